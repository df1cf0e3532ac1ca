"""Promise: the index of the search has the text of the pages, by sections and words."""

import json
import re
from typing import Any

import markdown
from lxml import html

from mathml import plain
from mathml.convert import convert
from reader import search
from reader.sections import sections

PAGE = """
# A page

Before $\\frac{\\d y}{\\d x}$ a paragraph.

## Clipping { #clip data-forms="gradient clipping" }

- one `tf.recompute_grad`
- two

```python
RegisterGradient = 1
```

### Hidden { data-search-exclude }

secret

| a | b |
| --- | --- |
| c | d |
"""


def _page(text: str) -> str:
    return markdown.markdown(
        text,
        extensions=[
            "attr_list",
            "fenced_code",
            "tables",
            "toc",
            "pymdownx.arithmatex",
            "mathml.extension",
        ],
        extension_configs={
            "pymdownx.arithmatex": {"generic": True, "inline_syntax": ["dollar"]}
        },
    )


def test_a_page_is_split_into_sections():
    first, second = sections(_page(PAGE))
    assert (first.anchor, first.title) == ("a-page", "A page")
    assert first.prose == ["Before dy/dx a paragraph."]
    assert (second.anchor, second.level) == ("clip", 2)
    assert second.names == ("gradient clipping",)
    assert second.prose == ["one tf.recompute_grad", "two"]
    assert second.code == ["RegisterGradient = 1"]


def test_a_formula_is_written_on_one_line():
    for tex, line in {
        r"\frac{a + b}{2 h}": "(a + b)/(2h)",
        r"\downstream{\bar x}_{ij} = \upstream{\bar y} \cdot 2 x": "x̄_(ij) = \u0233 ⋅ 2x",
        r"\sum_{i=1}^n x_i^2": "∑_(i = 1)^n x_i^2",
        r"f'(x) = \sqrt{x}": "f′(x) = √(x)",
        r"\sin x": "sin x",
    }.items():
        math = html.fragment_fromstring(convert(tex, False))
        assert plain.line(math) == line, tex


def test_a_name_is_found_whole_and_by_its_parts():
    for text, expected in {
        "tf.RegisterGradient": {"tf.registergradient", "registergradient", "gradient"},
        "tf.recompute_grad": {"recompute_grad", "recomput", "grad"},
        "the gradients of clipped slices": {"gradient", "clip", "slic"},
        "\u0233 and ∂L/∂x": {"y\u0304", "∂l", "∂x"},
    }.items():
        assert expected <= {*search.words(text)}, text
    assert not {"the", "of", "x"} & {*search.words("the x of")}


def _files(*texts: str) -> dict[str, Any]:
    pages = [search.IndexedPage(f"{n}/", _page(text)) for n, text in enumerate(texts)]
    return {
        name: json.loads(re.fullmatch(r'searched\("[^"]+",(.*)\)\n', text)[1])
        for name, text in search.files(pages).items()
    }


def test_a_word_weighs_more_in_a_title_than_in_code():
    fillers = [f"# Page {n}\n\nwords" for n in range(4)]
    pages = ("# Softmax", "# Other\n\nsoftmax and more", "# B\n\n    softmax")
    files = _files(*pages, *fillers)
    words = files["search/words/0.js"]
    number, title, step, prose, to_code, code = words["softmax"]
    assert (number, step, to_code) == (0, 1, 1) and title > prose > code
    assert "word" not in words  # it is in more than half of the sections
    assert files["search/prose/1.js"] == {"1": ["softmax and more"]}
    assert files["search/code/2.js"] == {"2": ["softmax"]}


def test_two_indexes_of_the_same_pages_are_the_same():
    page = search.IndexedPage("a/", _page(PAGE))
    assert search.files([page], [page]) == search.files([page], [page])


def test_a_list_of_messages_has_the_links_that_explain_them():
    row = "<tr><td><code>No: N</code></td><td><a href='../a/#b'>B</a></td></tr>"
    page = search.IndexedPage("mistakes/all/", f"<table>{row}</table>")
    assert [*search.messages(page)] == [("No: N", [("B", "mistakes/a/#b")])]
