"""What changes between two plain values, as a JSON merge patch (RFC 7396): a page need not hold every position."""

from __future__ import annotations

from typing import Any


def merge_patch(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """What makes `after` of `before`: keys that change with their values, keys that go with null.

    No value may be None, which such a patch cannot say.
    """
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            if old != value:
                patch[key] = merge_patch(old, value)
        elif old != value:
            patch[key] = value
    return patch
