"""Promise: what a built page displays is the snippet's file and the trace of a
fresh run, as text a reader sees; and no page shows raw TeX."""

import gzip

import pytest

from adapters.engine import Engine

from . import built


@pytest.fixture(scope="module")
def fresh_traces(built_site) -> dict[str, str]:
    """What programs printed when the site was built, and not what was recorded."""
    engine = Engine(built.SETTINGS.root, remember=True)
    try:
        return engine.check()["outputs"]
    finally:
        engine.close()


@pytest.mark.parametrize("path", built.PAGES, ids=lambda p: p.stem)
def test_displays_files_and_fresh_traces(path, built_site, fresh_traces):
    built.displays_files_and_fresh_traces(path, built_site, fresh_traces)


@pytest.mark.parametrize("path", built.PAGES, ids=lambda p: p.stem)
def test_traces_name_their_programs(path, built_site):
    built.traces_name_their_programs(path, built_site)


def test_wrong_snippets_say_so_in_their_first_line():
    for each in built.SNIPPETS.values():
        marked = each.source.startswith(
            ('"""Wrong on purpose: ', '"""Deliberately wrong: ')
        )
        assert marked == ("wrong" in each.path.parts), each.label
        if each.raises:
            assert marked, f"{each.label} shall fail, so it lives in wrong/"


def test_no_page_shows_raw_tex(built_site):
    for path in built.built_pages(built_site):
        built.has_no_raw_tex(path)


@pytest.mark.parametrize("path", built.PAGES, ids=lambda p: p.stem)
def test_displays_the_formulas_of_its_source(path, built_site):
    built.displays_the_formulas_of_its_source(path, built_site)


def test_no_page_is_heavy(built_site):
    """Compressed, as hosts send it; the ledger was half a megabyte once."""
    sizes = {
        path: len(gzip.compress(path.read_bytes()))
        for path in built.built_pages(built_site)
    }
    heaviest = max(sizes, key=sizes.__getitem__)
    assert sizes[heaviest] < 100_000, (heaviest, sizes[heaviest])


def test_every_link_inside_the_site_has_a_target(built_site):
    built.every_link_inside_has_a_target(built_site)


def test_no_page_shows_a_line_of_the_log(built_site):
    for path in built.built_pages(built_site):
        for block in built.document(path).iter("pre"):
            for line in block.text_content().splitlines():
                assert not built.SETTINGS.noise_pattern.match(line), f"{path}: {line}"
