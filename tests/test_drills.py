"""Promise: a mistake that is planted is caught. Of each kind a few; ``make drills`` plants
them all."""

import pytest

from .drills.__main__ import PARTS
from .drills.tally import Tally
from .project import ROOT

pytestmark = pytest.mark.drills


def _name(part) -> str:
    return part.__name__.rpartition(".")[2]


@pytest.mark.parametrize("part", PARTS, ids=_name)
def test_every_planted_mistake_is_caught(part):
    tally = Tally(fast=True)
    part.run(ROOT, tally)
    assert tally.kinds
    assert tally.failures == []
