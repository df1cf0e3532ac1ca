"""Promise: names have the same color in code as in formulas, and the text is unchanged."""

import re

import markdown
import pytest

pytestmark = pytest.mark.tools

BLOCK = """```{{.{} title="x"}}
{}
```
"""
TEXTS = {
    "python": """def grad(upstream):  # upstream < 3
    local_x = 2.0 * x & y
    return {"local": upstream * local_x, "upstreams": 3}
""",
    "text": """backward x = 4  upstream = -3.2e-05  local = [[1 2]
 [3 4]]  downstream 7
upstreams are 3 in x.local, localhost, local_devices 3
""",
}
COLORED = {
    "python": ["upstream", "upstream", "local_x", "local", "upstream", "local_x"],
    "text": ["upstream = -3.2e-05", "local = [[1 2]\n [3 4]]", "downstream 7"],
}


def _render(text: str) -> str:
    return markdown.markdown(
        text, extensions=["pymdownx.highlight", "pymdownx.superfences", "reader.roles"]
    )


@pytest.mark.parametrize("kind", TEXTS)
def test_names_in_a_block_are_colored(kind):
    html = _render(BLOCK.format(kind, TEXTS[kind]))
    colored = r'<span class="(upstream|local|downstream)">([^<]*)</span>'
    spans = [*re.finditer(colored, html)]
    assert [span[2] for span in spans] == COLORED[kind]
    assert all(span[2].startswith(span[1]) for span in spans)
    plain = markdown.markdown(
        BLOCK.format(kind, TEXTS[kind]),
        extensions=["pymdownx.highlight", "pymdownx.superfences"],
    )
    assert re.sub("<[^>]*>", "", html) == re.sub("<[^>]*>", "", plain)


def test_only_a_lone_name_in_a_sentence_is_colored():
    html = _render("`upstream` is not `upstream * 2`, and not upstream.")
    assert html.count('class="upstream"') == 1


def test_a_token_in_the_color_of_the_text_has_no_element():
    html = _render(BLOCK.format("python", TEXTS["python"]))
    assert {*re.findall(r'class="(\w+)">', html)} & {"n", "o", "mf", "mi", "w"} == set()
    assert {"k", "nf", "p", "c1", "s2"} <= {*re.findall(r'class="(\w+)">', html)}
