// SPDX-License-Identifier: Apache-2.0
"use strict";
// Search, the theme, and unfolding for printers. The page is whole without it.
(() => {
	const root = document.documentElement;
	const box = document.getElementById("search");
	const hits = document.getElementById("hits");
	const rows = Array.from(document.querySelectorAll("[data-who]"));
	const folded = new Map(); // what the search has unfolded, as it was

	document.getElementById("tools").hidden = false;

	document.getElementById("theme").addEventListener("click", () => {
		const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
		root.dataset.theme = dark ? "light" : "dark";
	});

	const inRanges = (ranges, number) =>
		ranges.split(",").some((part) => {
			const [low, high = low] = part.split("-").map(Number);
			return low <= number && number <= high;
		});

	// Is R1.7, R1 or T8 in a list such as "R1-3.0-6,8 T9"?
	const names = (list, id) =>
		list.split(" ").some((part) => {
			if (part[0] !== id.kind) return false;
			const [first, second] = part.slice(1).split(".");
			if (!inRanges(first, id.first)) return false;
			return id.second === null || (second !== undefined && inRanges(second, id.second));
		});

	const parsed = (word) => {
		const thread = /^R(\d+)(?:\.(\d+))?$/i.exec(word);
		if (thread) return { kind: "R", first: Number(thread[1]), second: thread[2] === undefined ? null : Number(thread[2]) };
		const native = /^T(\d+)$/.exec(word);
		return native ? { kind: "T", first: Number(native[1]), second: null } : null;
	};

	// Of a branch its own line, of anything else all of it; files are in titles.
	const texts = new Map();
	const textOf = (row) => {
		if (!texts.has(row)) {
			const own = row.querySelector(":scope > summary") || row;
			const titles = Array.from(own.querySelectorAll("[title]"), (one) => one.title);
			texts.set(row, [own.textContent, ...titles].join("\n").toLowerCase());
		}
		return texts.get(row);
	};

	const matches = (row, words) =>
		words.every(({ word, id }) => {
			if (id === null) return textOf(row).includes(word);
			return names(row.dataset.who + " " + (row.dataset.gdb || ""), id);
		});

	const unfold = (details) => {
		if (!details.open) {
			if (!folded.has(details)) folded.set(details, false);
			details.open = true;
		}
	};

	const search = () => {
		const words = box.value.split(/\s+/).filter(Boolean).map((word) => ({ word: word.toLowerCase(), id: parsed(word) }));
		for (const row of rows) row.classList.remove("hit", "way");
		for (const [details, open] of folded) details.open = open;
		folded.clear();
		root.classList.toggle("searching", words.length > 0);
		if (words.length === 0) {
			hits.value = "";
			return;
		}
		let found = 0;
		for (const row of rows) {
			if (!matches(row, words)) continue;
			found += 1;
			row.classList.add("hit");
			for (let outer = row.parentElement; outer !== null; outer = outer.parentElement) {
				if (outer.tagName === "DETAILS") unfold(outer);
				if (outer.dataset.who !== undefined) outer.classList.add("way");
			}
		}
		hits.value = found === 0 ? "nothing found" : found === 1 ? "1 row" : found + " rows";
	};

	let pending = 0;
	box.addEventListener("input", () => {
		clearTimeout(pending);
		pending = setTimeout(search, 80);
	});
	box.addEventListener("keydown", (event) => {
		if (event.key === "Escape") {
			box.value = "";
			search();
		}
	});
	document.addEventListener("keydown", (event) => {
		if (event.key === "/" && document.activeElement !== box) {
			event.preventDefault();
			box.focus();
		}
	});

	// For browsers in which the style sheet cannot unfold.
	let closed = [];
	addEventListener("beforeprint", () => {
		closed = Array.from(document.querySelectorAll("details:not([open])"));
		for (const details of closed) details.open = true;
	});
	addEventListener("afterprint", () => {
		for (const details of closed) details.open = false;
		closed = [];
	});
})();
