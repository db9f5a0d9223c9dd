# SPDX-License-Identifier: Apache-2.0
"""How does speedscope read a file? Its own page, from npm, in Chromium, opens it as its command
does, and exports all that it has understood."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any

import npm
from browser import Browser

PATIENCE = 60.0  # seconds
_HOOK = """
window.exported = null;
const usual = URL.createObjectURL;
URL.createObjectURL = (blob) => { window.exported = blob; return usual.call(URL, blob); };
HTMLAnchorElement.prototype.click = () => {};
const all = [...document.querySelectorAll("div")];
all.filter((one) => one.innerText.endsWith("Export")).pop().click();
"""


def read(seen: Browser, file: Path, folder: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Its profiles in speedscope's own format, and what it complained of."""
    page = npm.package("speedscope") / "dist" / "release" / "index.html"
    content = base64.b64encode(file.read_bytes()).decode()
    loads = folder / "load.js"
    loads.write_text(f"speedscope.loadFileFromBase64({json.dumps(file.name)}, '{content}')")
    seen.open_at("about:blank")
    seen.open_at(f"{page.as_uri()}#localProfilePath={loads}")
    _until(lambda: "Export" in str(seen.run("return document.body.innerText")))
    seen.run(_HOOK)
    _until(lambda: bool(seen.run("return window.exported !== null")))
    exported = json.loads(seen.run_later("window.exported.text().then(done)"))
    words = ("Tried to end", "still open", "rror")
    complaints = [one for one in seen.complaints() if any(word in one for word in words)]
    frames = exported["shared"]["frames"]
    return [_with_frames(profile, frames) for profile in exported["profiles"]], complaints


def _until(holds: Any) -> None:
    ends = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < ends, "speedscope does not show it"
        time.sleep(0.05)


def _with_frames(profile: dict[str, Any], frames: list[dict[str, Any]]) -> dict[str, Any]:
    return {**profile, "frames": frames}


def stacks(profile: dict[str, Any]) -> dict[tuple[str, ...], float]:
    """How long was each stack, outermost frame first?"""
    found: dict[tuple[str, ...], float] = {}
    open_frames: list[str] = []
    before = profile["startValue"]
    for event in profile["events"]:
        if open_frames:
            key = tuple(open_frames)
            found[key] = found.get(key, 0) + event["at"] - before
        before = event["at"]
        name = profile["frames"][event["frame"]]["name"]
        if event["type"] == "O":
            open_frames.append(name)
        else:
            assert open_frames.pop() == name
    assert not open_frames
    return {key: value for key, value in found.items() if value}
