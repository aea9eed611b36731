"""Headless Chromium, driven by Selenium: for pictures of pages, and for the tests that look at them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import Chrome, ChromeOptions, ChromeService

FLAGS = (
    "--headless=new",
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@contextmanager
def headless_chromium(folder: Path) -> Iterator[Chrome]:
    """A browser of its own, which keeps what it keeps in this folder. RuntimeError if there is none on the machine."""
    programs = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if None in programs:
        raise RuntimeError("pages are looked at by the programs chromium and chromedriver: run scripts/setup-browser")
    os.environ["SE_OFFLINE"] = os.environ["SE_AVOID_STATS"] = "true"  # Selenium fetches no browser and reports nothing
    options = ChromeOptions()
    options.binary_location = str(programs[0])
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=ChromeService(executable_path=str(programs[1])))
    try:
        yield driver
    finally:
        driver.quit()
