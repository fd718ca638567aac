"""Fixtures that several tests need."""

import os

import pytest
import wgalois


@pytest.fixture
def adapters():
    """The GPUs. Without one a test is not run; in CI it fails."""
    found = wgalois.devices()
    if not found:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("NOT RUN: no adapter")
    return found
