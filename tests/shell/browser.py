# SPDX-License-Identifier: Apache-2.0
"""How is a page looked at? In a real Chromium without a screen, which tells what it complained of
and what it asked the network for."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any, Iterator

import machine

WIDTH, HEIGHT = 1400, 1000
_OPTIONS = (
    "--headless",
    "--no-sandbox",  # it is run as root, on pages of our own
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--window-size={WIDTH},{HEIGHT}",
)


class Browser:
    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def open(self, page: Path) -> None:
        self.complaints(), self.requests()  # those of before
        self._driver.get(page.as_uri())

    def open_at(self, address: str) -> None:
        self.complaints(), self.requests()
        self._driver.get(address)

    def run(self, script: str, *values: Any) -> Any:
        return self._driver.execute_script(script, *values)

    def run_later(self, script: str) -> Any:
        """script calls done(its answer)."""
        return self._driver.execute_async_script(f"const [done] = arguments; {script}")

    def find(self, selector: str) -> Any:
        return self._driver.find_element("css selector", selector)

    def type(self, selector: str, text: str) -> None:
        """In the place of what is there."""
        found = self.find(selector)
        found.send_keys("\ue009a\ue000\ue003")  # control and a, backspace
        found.send_keys(text)

    def all(self, selector: str) -> list[Any]:
        return list(self._driver.find_elements("css selector", selector))

    def shown(self, selector: str) -> list[Any]:
        """Those that are rendered: neither folded nor left out."""
        script = (
            "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility())"
        )
        return list(self.run(script, selector))

    def command(self, name: str, **values: Any) -> Any:
        """Of Chromium's own protocol."""
        return self._driver.execute_cdp_cmd(name, values)

    def emulate(self, media: str = "screen", scheme: str = "light") -> None:
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.command("Emulation.setEmulatedMedia", media=media, features=[feature])

    def resize(self, width: int) -> None:
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=HEIGHT,
            deviceScaleFactor=1,
            mobile=False,
        )

    def complaints(self) -> list[str]:
        """On its console, since it was asked last."""
        return [entry["message"] for entry in self._driver.get_log("browser")]

    def requests(self) -> dict[str, str]:
        """Addresses, since it was asked last, and what kept it from asking there: "csp", or ""."""
        found: dict[str, str] = {}
        addresses = {}
        for entry in self._driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            facts = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                addresses[facts["requestId"]] = facts["request"]["url"]
                found[facts["request"]["url"]] = ""
            elif facts.get("requestId") in addresses and "blockedReason" in facts:
                found[addresses[facts["requestId"]]] = facts["blockedReason"]
        return found


@contextlib.contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """folder: for its profile, which is new."""
    try:
        from selenium import webdriver  # type: ignore[import]
        from selenium.webdriver.chrome.service import Service  # type: ignore[import]
    except ImportError:
        raise machine.Missing("There is no selenium: apt-get install python3-selenium") from None
    paths = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    for name, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if paths[name] is None:
            raise machine.Missing(f"There is no {name}: apt-get install {package}")
    options = webdriver.ChromeOptions()
    options.binary_location = paths["chromium"]
    for option in (*_OPTIONS, f"--user-data-dir={folder / 'chromium'}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service(paths["chromedriver"]), options=options)
    try:
        yield Browser(driver)
    finally:
        driver.quit()
