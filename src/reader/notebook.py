"""Notebook pages in the markup of all other pages.

mkdocs-jupyter writes JupyterLab's markup, with 590 KB of its style sheets, a
copy button of its own and ids that change with each build. And it removes the
outputs of tagged cells before it runs them, so it removes none.
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
"""What tells the page of a notebook."""

_SETUP = "celltag_setup"
_STDERR = "application/vnd.jupyter.stderr"
_DEFINITIONS = re.compile(r"\s*\$\\def\\[^$]*\$")
"""Macros that a notebook needs elsewhere and the site has."""
# Programs, pictures and styles of a notebook hold no formulas.
_OPAQUE = re.compile(r"(<(pre|code|script|style|svg)\b.*?</\2>|<[^>]*>)", re.DOTALL)
_TEX = re.compile(r"\$\$(?P<display>[^<$]+)\$\$|\$(?P<inline>[^<$\s][^<$]*)\$")
_LONE_DISPLAY = re.compile(r"<p>\s*(\$\$[^<$]+\$\$)\s*</p>")


def cache(root: Path) -> Path:
    """Where executed labs are kept: they run again when the lock changes."""
    lock = root / "requirements.txt"
    made_from = lock.read_bytes() if lock.exists() else b""
    return root / ".cache" / f"labs-{sha256(made_from).hexdigest()[:16]}"


@lru_cache(maxsize=8)
def plain(html: str, noise: re.Pattern) -> str:
    """The cells of a notebook; lines of stderr that ``noise`` matches go.

    A cell tagged ``setup`` shows no output.
    """
    cells = BeautifulSoup(html, "html.parser").select(
        ".jp-Notebook-cell:not(:has(.jp-Notebook-cell))"
    )
    return "\n".join(part for cell in cells for part in _parts(cell, noise))


def _parts(cell: Tag, noise: re.Pattern) -> Iterator[str]:
    if prose := cell.select_one(".jp-RenderedMarkdown"):
        for link in prose.select("a.anchor-link"):
            link.attrs |= {"class": "headerlink", "title": "Permanent link"}
        # A display formula becomes a block, and no paragraph may hold one.
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
    """MathML for the dollars that nbconvert left to a script."""
    parts = re.split(_OPAQUE, html)
    # A split with two groups gives text, whole tag, tag's name, text, …
    texts, tags = parts[::3], parts[1::3]
    found = [
        (unescape(m["display"] or m["inline"]).strip(), bool(m["display"]))
        for text in texts
        for m in _TEX.finditer(text)
    ]
    rendered = iter(extension.render(found))
    texts = [_TEX.sub(lambda _: next(rendered), text) for text in texts]
    return "".join(a + (b or "") for a, b in zip(texts, [*tags, ""]))
