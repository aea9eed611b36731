"""A policy in a file: the weights of its network, and what one must know to play it and to trust it.

A `.npz` of arrays of numbers, so reading one runs no code. Beside the weights stands `about`, JSON in UTF-8: how the
policy was made, what observations it was trained on, and how it did against the panel.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from king_env.bots.heuristic.actions import HEURISTIC_VERSION
from king_env.bots.pretrained.advice import ADVICE_LOGIT
from king_env.bots.pretrained.forward import Weights
from king_env.bots.pretrained.layout import current_layout, layout_difference
from king_env.bots.pretrained.suits import NUM_FEATURES, PLACES, ROW
from king_env.episode import KIND_NAMES

POLICY_FORMAT = 1
ABOUT = "about"
FINGERPRINT_BYTES = 4
LARGEST_WIDTH = 4096
# What every file says of itself; the rest is for people.
CONTENTS = {"format": int, "layout": list, "advice_logit": float, "heuristic_version": int, "points_a_unit": list}


class PolicyFileError(ValueError):
    """A file that holds no policy for this game: says why in one line."""


@dataclass(frozen=True)
class Policy:
    """A network with what is known of it."""

    weights: Weights
    about: Mapping[str, Any]

    @cached_property
    def fingerprint(self) -> int:
        """A short hash of the weights: policies that differ have different numbers."""
        digest = hashlib.sha256()
        for array in self.weights:
            digest.update(np.ascontiguousarray(array, dtype="<f4").tobytes())
        return int.from_bytes(digest.digest()[:FINGERPRINT_BYTES], "big")


def about_policy(points_a_unit: list[float], **more: Any) -> dict[str, Any]:
    """What a file of this version says of itself; points_a_unit: what a unit of the value is, by kind of deal."""
    return {
        "format": POLICY_FORMAT,
        "layout": [list(section) for section in current_layout()],
        "advice_logit": ADVICE_LOGIT,
        "heuristic_version": HEURISTIC_VERSION,
        "points_a_unit": points_a_unit,
        **more,
    }


def write_policy(policy: Policy, path: Path) -> None:
    """Write a policy so that the file is at every moment either the old one or the new one, whole."""
    about = np.frombuffer(json.dumps(policy.about, indent=1).encode(), dtype=np.uint8)
    arrays: dict[str, Any] = {**policy.weights._asdict(), ABOUT: about}
    unfinished = path.with_name(path.name + ".tmp")
    with unfinished.open("wb") as file:
        np.savez_compressed(file, **arrays)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)


def read_policy(path: Path) -> Policy:
    """A policy made for this game; anything else is refused."""
    if not path.is_file():
        raise PolicyFileError(f"no policy {path}")
    arrays = _arrays(path)
    about = _about(arrays, path)
    _check_fits(about, path)
    return Policy(_weights(arrays, path), about)


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file that belong to a policy."""
    try:
        # Opened here: numpy would leave a file open that only begins like a zip.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            found = {name: archive[name] for name in (ABOUT, *Weights._fields) if name in archive.files}
    except Exception:  # numpy and zipfile raise half a dozen kinds, depending on what the file is
        raise PolicyFileError(f"{path} is not a policy: it is no .npz file of plain arrays") from None
    return {name: array for name, array in found.items() if isinstance(array, np.ndarray)}


def _about(arrays: Mapping[str, np.ndarray], path: Path) -> dict[str, Any]:
    try:
        about = json.loads(arrays[ABOUT].tobytes().decode())
    except (KeyError, UnicodeDecodeError, json.JSONDecodeError):
        raise PolicyFileError(f"{path} is not a policy of King: it does not say what it is") from None
    for key, kind in CONTENTS.items():
        if not isinstance(about, dict) or not isinstance(about.get(key), kind):
            raise PolicyFileError(f"{path} is not a policy of King: {key!r} is not the {kind.__name__} it must be")
    return about


def _check_fits(about: Mapping[str, Any], path: Path) -> None:
    """Refuse a policy that was made for another version of what it is shown."""
    if about["format"] != POLICY_FORMAT:
        raise PolicyFileError(f"{path} has policy format {about['format']}; this version reads {POLICY_FORMAT}")
    try:
        difference = layout_difference([(str(name), int(size)) for name, size in about["layout"]], current_layout())
    except (TypeError, ValueError, OverflowError):
        raise PolicyFileError(f"{path} is not a policy of King: its layout is no list of names and sizes") from None
    if difference:
        raise PolicyFileError(f"{path} was trained on another observation layout: {difference}")
    if about["heuristic_version"] != HEURISTIC_VERSION:
        raise PolicyFileError(
            f"{path} was trained with the advice of heuristic version {about['heuristic_version']}; "
            f"this is version {HEURISTIC_VERSION}"
        )
    if about["advice_logit"] != ADVICE_LOGIT:
        raise PolicyFileError(f"{path} weighs advice {about['advice_logit']}; this version weighs it {ADVICE_LOGIT}")
    points = about["points_a_unit"]
    if len(points) != len(KIND_NAMES) or not all(isinstance(each, float) and math.isfinite(each) for each in points):
        raise PolicyFileError(
            f"{path} is not a policy of King: 'points_a_unit' must be {len(KIND_NAMES)} numbers, one a kind of deal"
        )


def shapes_of(width: int) -> dict[str, tuple[int, ...]]:
    """The shapes of the weights of a network of this width, by name."""
    rows = int(PLACES[ROW].max()) + 1
    return {
        "features": (NUM_FEATURES, width),
        "bias": (width,),
        "own": (width, width),
        "own_bias": (width,),
        "together": (width, width),
        "policy": (rows, width),
        "policy_bias": (rows,),
        "value": (width,),
        "value_bias": (1,),
    }


def _weights(arrays: Mapping[str, np.ndarray], path: Path) -> Weights:
    width = arrays["bias"].size if "bias" in arrays else 0
    if not 0 < width <= LARGEST_WIDTH:
        raise PolicyFileError(f"{path} holds no network: bias must have 1 to {LARGEST_WIDTH} units, not {width}")
    for name, shape in shapes_of(width).items():
        array = arrays.get(name)
        if array is None or array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
            found = "missing" if array is None else f"{array.dtype}{list(array.shape)}"
            raise PolicyFileError(f"{path}: {name} must be finite float32{list(shape)}; it is {found}")
    return Weights(*(np.ascontiguousarray(arrays[name]) for name in Weights._fields))
