"""Promise: a trace may differ from the page in rounding, and in nothing else."""

import pytest

from tracebook.compare import difference, lines_agree

pytestmark = pytest.mark.tools

REL = 1e-5


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("", ""),
        ("gradient = 0.0451766551", "gradient = 0.0451766588"),
        ("[0.1 0.2]", "[0.10000001 0.19999999]"),
        ("[[0.78644776 0.41997433]]", "[[0.7864477  0.41997433]]"),
        ("[0.7864477  0.41997433]", "[0.7864477 0.4199743]"),
        ("[-0.2293712  0.7971002]", "[-0.22937116  0.7971003 ]"),
        ("loss 1e-07", "loss 1.000001e-07"),
        ("y = 1", "y = 0.99999994"),
        ("x = -2.5, y = +3.25", "x = -2.50001, y = +3.25001"),
        ("(1+2.5j)", "(1+2.5000001j)"),
        ("nan inf -inf None True", "nan inf -inf None True"),
        ("shape=(2, 3), dtype=float32", "shape=(2, 3), dtype=float32"),
    ],
)
def test_agrees(shown, printed):
    assert lines_agree(shown, printed, REL)
    assert lines_agree(printed, shown, REL)
    assert difference(shown, printed, REL) is None


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("gradient = 0.0451766551", "gradient = 0.0451799999"),
        ("gradient = 0.045", "gradeint = 0.045"),
        ("256", "257"),
        ("256.0", "257.0"),
        ("16", "16.0"),
        ("1e-3", "0"),
        ("0.001", "0.0"),
        ("0.0", "1e-30"),
        ("0.0", "-0.0"),
        ("1.5", "-1.5"),
        ("1.5", "+1.5"),
        ("nan", "0.0"),
        ("nan", "inf"),
        ("inf", "-inf"),
        ("None", "0.0"),
        ("[1.5, 2.5]", "[1.5, 2.5, 2.5]"),
        ("[1.5, 2.5]", "[1.5 2.5]"),
        ("1.5", "1.5 "),
        ("[1.5  2.5]", "[1.5 2.5]"),
        ("1e400", "1.5e308"),
        ("float32", "float64"),
        ("x1 = 2.5", "x2 = 2.5"),
        ("2.21.0", "2.21.1"),
        ("", "1"),
    ],
)
def test_differs(shown, printed):
    assert not lines_agree(shown, printed, REL)
    assert not lines_agree(printed, shown, REL)
    assert difference(shown, printed, REL)


def test_no_tolerance_reaches_a_whole_number_or_zero():
    wide = 0.9
    assert lines_agree("2.5", "2.6", wide)
    for shown, printed in [
        ("256", "257"),
        ("2.0", "3.0"),
        ("0.5", "0"),
        ("0.5", "-0.5"),
        ("nan", "1.5"),
    ]:
        assert not lines_agree(shown, printed, wide)


def test_a_missing_or_added_line_differs():
    for printed in ("a\nb\nc\n", "a\n", "a\nb", "\na\nb\n", "a\n\nb\n"):
        assert difference("a\nb\n", printed, REL)


def test_the_diff_names_the_line_and_holds_real_differences_only():
    found = difference("0.5\nx = 1\nend\n", "0.5000001\nx = 2\nend\n", REL)
    assert found
    line, diff = found
    assert line == 2
    changed = [each for each in diff.split("\n")[2:] if each[:1] in ("+", "-")]
    assert changed == ["-x = 1", "+x = 2"]


def test_many_equal_lines_are_compared_at_once():
    """A search for the longest match would take hours."""
    found = difference("x\n" * 100_000, "x\n" * 100_001, REL)
    assert found and found[0] == 100_001
    assert found[1].endswith("\n x\n x\n+x")
