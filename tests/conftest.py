"""What all tests share."""

from __future__ import annotations

import pytest

# So that a failed assert in these shows its values, as one in a test does.
pytest.register_assert_rewrite("tests.engine.table", "tests.golden.plain_rules")
