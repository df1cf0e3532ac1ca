"""Promise: a mistake that is planted is caught. Of each kind a few, and what the last
commit and the working tree changed; ``make drills`` plants them all."""

import pytest

from .drills.__main__ import PARTS
from .drills.book import Book, Tally

pytestmark = pytest.mark.drills


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drills").resolve()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("TMPDIR", "")  # the book sets it; this takes it back
        book = Book(folder)
        yield book
        book.engine.close()


def _name(part) -> str:
    return part.__name__.rpartition(".")[2]


@pytest.mark.parametrize("part", PARTS, ids=_name)
def test_every_planted_mistake_is_caught(part, book, built_site):
    tally = Tally(fast=True)
    part.run(book, tally, built_site)
    assert tally.kinds
    assert tally.failures == []


def test_nothing_outlives_the_drills(book):
    assert book.left() == []
