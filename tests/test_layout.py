"""Promise: a table tells its style, without a script, what it needs on a narrow screen."""

import pytest
from lxml import html
from markdown import Markdown

LONG = "`tf.raw_ops.FakeQuantWithMinMaxArgsGradient(gradients=…)`"


def table(*rows):
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    extensions = ["tables", "attr_list", "reader.layout"]
    return html.fromstring(Markdown(extensions=extensions).convert(text))


def test_a_narrow_table_stays_a_table():
    narrow = table(["dtype", "tolerance"], ["`float32`", "1e-3"])
    assert not narrow.attrib
    assert not [cell for cell in narrow.iter("td") if cell.attrib]


def test_a_row_that_is_too_wide_for_a_phone_has_labels_and_roles():
    head = ["Your **function**", "`grad` & more", "Gradient"]
    cards = table(head, ["averylongname_x", "anotherlongname", "`yetanother`"])
    assert {"data-cards", "role"} == {*cards.attrib}
    labels = [cell.get("data-label") for cell in cards.iter("td")]
    assert labels == ["Your function", "grad & more", "Gradient"]
    roles = {element.tag: element.get("role") for element in cards.iter()}
    assert roles["table"] == "table" and roles["tr"] == "row"
    assert roles["thead"] == roles["tbody"] == "rowgroup"
    assert roles["th"] == "columnheader" and roles["td"] == "cell"


@pytest.mark.parametrize("columns, is_wide", [(2, False), (6, True)])
def test_a_table_with_many_long_words_is_wide(columns, is_wide):
    cells = ["raises a LookupError here"] * columns
    assert ("data-wide" in table(["Heading"] * columns, cells).attrib) == is_wide


def test_a_browser_may_break_a_very_long_name_at_its_joints():
    [name] = table(["Name"], [LONG]).iter("code")
    assert name.text_content() == LONG.strip("`")
    parts = [*name.itertext()]
    assert parts[:3] == ["tf.", "raw_", "ops."]


def test_the_matrix_of_signs_is_a_table_without_labels():
    head = ["Place", *["A long heading of a kind"] * 4]
    matrix = table(head, ["eager", *["[wrong](#why){ .is-wrong }"] * 4])
    assert dict(matrix.attrib) == {"role": "table", "data-signs": ""}
    assert {cell.attrib.get("role") for cell in matrix.iter("td")} == {"cell"}
    assert not any("data-label" in cell.attrib for cell in matrix.iter("td"))
