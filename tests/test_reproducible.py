"""Promise: the same sources give the same site, byte for byte."""

import os
from pathlib import Path

from .conftest import build_site


def _files(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in site.rglob("*")
        if path.is_file()
    }


def test_two_builds_are_the_same(built_site, tmp_path, monkeypatch):
    if os.environ.get("CI") == "true":  # and every program runs again
        monkeypatch.setenv("PYTHONHASHSEED", "1")
    else:
        monkeypatch.setenv("TRACEBOOK_REMEMBER", "1")
    first, second = _files(built_site), _files(build_site(tmp_path / "site"))
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
