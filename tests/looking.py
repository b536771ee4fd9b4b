"""Pages in a real browser, where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
in_browser = pytest.mark.skipif(
    not (CHROMIUM.exists() and DRIVER.exists()),
    reason="the report in a browser: install chromium and chromium-driver",
)
VIEWS = [(width, scheme) for width in (390, 800, 1280) for scheme in ("light", "dark")]


@contextmanager
def chromium() -> Iterator[Any]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in ("headless", "no-sandbox", "disable-gpu", "no-first-run", "disable-sync"):
        options.add_argument(f"--{argument}")
    options.add_argument("--disable-dev-shm-usage")
    options.add_argument("--disable-background-networking")
    options.add_argument("--disable-component-update")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    try:
        yield driver
    finally:
        driver.quit()


def show(browser: Any, page: Path, width: int = 1280, scheme: str = "light") -> None:
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    wish = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", wish)
    browser.get(page.as_uri())
