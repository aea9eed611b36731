"""What a figure was measured on."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

OWN_PACKAGES = ("king-env", "numpy", "numba", "gymnasium", "torch")
PEER_PACKAGES = ("open_spiel", "rlcard", "pettingzoo", "sb3-contrib")


def machine() -> dict[str, str | int]:
    """The hardware and the Python."""
    return {
        "processor": processor(),
        "cores": os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def processor() -> str:
    """The name of the processor's model, as far as the system tells it."""
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def versions() -> dict[str, str | None]:
    """The releases of all that is measured, None for what is not installed."""
    return {package: version(package) for package in OWN_PACKAGES + PEER_PACKAGES}


def version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
