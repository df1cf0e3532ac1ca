"""Rewrite notebook pages in the markup of all other pages.

mkdocs-jupyter writes JupyterLab's markup, with 590 KB of style sheets, another copy
button, and ids that change with each build. It can't remove the outputs of tagged
cells, because it would do so before it runs them.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from html import escape, unescape
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from mathml import extension

MARK = '<div class="jupyter-wrapper">'
"""Markup that only pages of notebooks have."""

_SETUP = "celltag_setup"
_STDERR = "application/vnd.jupyter.stderr"
_DEFINITIONS = re.compile(r"\s*\$\\def\\[^$]*\$")
"""Macros that the site has built in, and that a notebook needs elsewhere."""
_OPAQUE = re.compile(r"(<(pre|code|script|style|svg)\b.*?</\2>|<[^>]*>)", re.DOTALL)
"""Parts of a page without formulas."""
_TEX = re.compile(r"\$\$(?P<display>[^<$]+)\$\$|\$(?P<inline>[^<$\s][^<$]*)\$")
_LONE_DISPLAY = re.compile(r"<p>\s*(\$\$[^<$]+\$\$)\s*</p>")


def cache_folder(root: Path) -> Path:
    """Return the folder of executed notebooks for the locked packages of a project."""
    path = root / "requirements.txt"
    lock = path.read_bytes() if path.exists() else b""
    return root / ".cache" / f"labs-{sha256(lock).hexdigest()[:16]}"


@lru_cache(maxsize=8)
def simplified(html: str, noise: re.Pattern) -> str:
    """Return the cells of a notebook in the markup of other pages.

    A cell tagged ``setup`` shows no output, and no cell the lines of stderr that match
    ``noise``.
    """
    cells = BeautifulSoup(html, "html.parser").select(
        ".jp-Notebook-cell:not(:has(.jp-Notebook-cell))"
    )
    return "\n".join(part for cell in cells for part in _parts(cell, noise))


def _parts(cell: Tag, noise: re.Pattern) -> Iterator[str]:
    if prose := cell.select_one(".jp-RenderedMarkdown"):
        for link in prose.select("a.anchor-link"):
            link.attrs |= {"class": "headerlink", "title": "Permanent link"}
        # A display formula becomes a block, which a paragraph can't contain.
        yield _LONE_DISPLAY.sub(
            r'<div class="arithmatex">\1</div>',
            _DEFINITIONS.sub("", prose.decode_contents()),
        )
    if program := cell.select_one(".highlight-ipynb pre"):
        yield _block("python", program.decode_contents())
    if _SETUP not in cell["class"]:
        yield from _outputs(cell.select(".jp-OutputArea-output"), noise)


def _outputs(outputs: list[Tag], noise: re.Pattern) -> Iterator[str]:
    printed = ""
    for output in outputs:
        kind = output["data-mime-type"]
        if kind in ("text/plain", _STDERR):
            text = output.select("pre")[0].get_text()
            if kind == _STDERR:
                text = "".join(
                    line
                    for line in text.splitlines(keepends=True)
                    if not noise.match(line)
                )
            printed += text
            continue
        yield from _prints(printed)
        printed = ""
        yield (
            '<div class="figure" data-search-exclude>'
            f"{output.decode_contents().strip()}</div>"
        )
    yield from _prints(printed)


def _prints(text: str) -> Iterator[str]:
    if text.strip():
        yield _block("text", escape(text, quote=False), title="prints")


def _block(language: str, code: str, title: str = "") -> str:
    name = f'<span class="filename">{title}</span>' if title else ""
    return (
        f'<div class="language-{language} highlight">{name}'
        f"<pre><code>{code}</code></pre></div>"
    )


def with_formulas(html: str) -> str:
    """Return a notebook page with MathML in place of TeX between dollars."""
    # The pattern has two groups, so the parts are text, tag, name of the tag, text, …
    parts = re.split(_OPAQUE, html)
    texts = [_TEX.sub(_rendered, text) for text in parts[::3]]
    return "".join(a + (b or "") for a, b in zip(texts, [*parts[1::3], ""]))


def _rendered(formula: re.Match[str]) -> str:
    tex = unescape(formula["display"] or formula["inline"]).strip()
    return extension.render(tex, bool(formula["display"]))
