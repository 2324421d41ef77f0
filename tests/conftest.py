"""Fixtures of every test; `builders.py` beside this file holds what tests call themselves."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where a test's own warehouse is made; never the project's."""
    return tmp_path / "home"


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """A folder for a test's input; its name is its data set's."""
    folder = tmp_path / "raw"
    folder.mkdir()
    return folder
