"""Promise: the same sources give the same site, byte for byte."""

from pathlib import Path

import pytest

from .conftest import EVERY_PROGRAM, build_site

pytestmark = pytest.mark.builds


def _files(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in site.rglob("*")
        if path.is_file()
    }


def test_two_builds_are_the_same(built_site, tmp_path):
    """Each with an order of its own of what is hashed; in the shards of the workflow,
    each program runs again for the second."""
    again = build_site(tmp_path / "site", remember=not EVERY_PROGRAM)
    first, second = _files(built_site), _files(again)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
