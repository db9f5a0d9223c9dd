// SPDX-License-Identifier: Apache-2.0
//
// perfetto.mjs FOLDER TRACE QUERY...: Perfetto's own trace processor opens the trace and answers in SQL: a line of JSON for
// each query, of rows. FOLDER: where its WebAssembly lies, with the script that runs it in a browser's worker.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const [folder, trace, ...queries] = process.argv.slice(2);
const file = (name) => path.join(folder, name);
const say = console.log;
console.log = console.error; // how far it is with the trace

// What it expects of a worker: to tell itself by, and to read its own file.
globalThis.WorkerGlobalScope = Object;
globalThis.self = { location: pathToFileURL(file("")) };
globalThis.XMLHttpRequest = class {
	open(method, name) {
		this.name = name;
	}
	send() {
		this.response = Uint8Array.from(fs.readFileSync(file(this.name))).buffer;
	}
};

// Newer ones of Node.js have memory of 64 bit, for which no file is there.
const source = fs.readFileSync(file("engine_bundle.node.js"), "utf8");
const asked = "= hasMemory64Support();";
if (source.split(asked).length !== 2) throw new Error("the script is another one");
vm.runInThisContext(source.replace(asked, "= false;"));

const { EngineBase } = await import(pathToFileURL(file("engine.mjs")).href);
const port = { postMessage: (bytes) => engine.onRpcResponseBytes(bytes) };
const engine = new (class extends EngineBase {
	rpcSendRequestBytes(data) {
		port.onmessage({ data });
	}
})();
self.onmessage({ data: port });
await new Promise(setImmediate);

await engine.parse(new Uint8Array(fs.readFileSync(trace)));
await engine.notifyEof();
for (const query of queries) {
	const answer = await engine.query(query);
	const names = answer.columns();
	const rows = [];
	for (const row = answer.iter({}); row.valid(); row.next()) rows.push(names.map((name) => row.get(name)));
	say(JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
}
