"""Promise: the same sources give the same site, byte for byte."""

from pathlib import Path

from .conftest import IN_CI, build_site


def _files(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in site.rglob("*")
        if path.is_file()
    }


def test_two_builds_are_the_same(built_site, tmp_path, monkeypatch):
    if IN_CI:  # where every program runs again
        monkeypatch.setenv("PYTHONHASHSEED", "1")
    first, second = _files(built_site), _files(build_site(tmp_path / "site"))
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
