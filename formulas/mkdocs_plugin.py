"""The adapter to MkDocs: names pages in messages, serves notebooks, cuts the font."""

import logging
import re
from html import unescape
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin

from . import extension, font

log = logging.getLogger("mkdocs.plugins.formulas")

_NOTEBOOK = '<div class="jupyter-wrapper">'
# Programs, pictures and styles of a notebook hold no formulas.
_OPAQUE = re.compile(
    r"(<(pre|code|script|style|svg)\b.*?</\2>|<[^>]*>)", re.DOTALL)
_TEX = re.compile(r"\$\$(?P<display>[^<$]+)\$\$|\$(?P<inline>[^<$\s][^<$]*)\$")
# nbconvert loads MathJax and Mermaid from another host; MathML needs neither.
_FOREIGN = re.compile(
    r"<!-- Load mathjax -->.*?<!-- End of mathjax configuration -->"
    r'|<script type="module">(?:(?!</script>).)*mermaid.*?</script>', re.DOTALL)


class FormulasPlugin(BasePlugin):
    """A formula that does not convert fails a build; while serving it warns."""

    def on_startup(self, *, command: str, dirty: bool) -> None:
        self._serving = command == "serve"
        self._cut: tuple[str, bytes] | None = None

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        self._failed = 0

    def on_page_markdown(self, markdown: str, *, page, config, files) -> None:
        source = Path(page.file.abs_src_path)
        extension.page.set(extension.Page(
            source.relative_to(Path(config.config_file_path).parent).as_posix(),
            source.read_text("utf-8")))

    def on_page_content(self, html: str, *, page, config, files) -> str:
        if _NOTEBOOK in html:
            html = notebook_formulas(_FOREIGN.sub("", html))
        failures = extension.page.get().failures
        self._failed += len(failures)
        for failure in failures:
            log.log(logging.WARNING if self._serving else logging.ERROR, failure)
        return html

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        if self._failed and not self._serving:
            raise PluginError(
                f"{self._failed} formulas do not convert; the site is not built")
        site = Path(config.site_dir)
        text = font.characters(site)
        if self._cut is None or self._cut[0] != text:
            font.write(site, text)
            self._cut = text, (site / font.FONT).read_bytes()
        else:
            (site / font.FONT).parent.mkdir(parents=True, exist_ok=True)
            (site / font.FONT).write_bytes(self._cut[1])


def notebook_formulas(html: str) -> str:
    """MathML for the dollars that nbconvert left to a script."""
    parts = re.split(_OPAQUE, html)
    # A split with two groups gives text, whole tag, tag's name, text, …
    texts, tags = parts[::3], parts[1::3]
    found = [(unescape(m["display"] or m["inline"]).strip(), bool(m["display"]))
             for text in texts for m in _TEX.finditer(text)]
    rendered = iter(extension.render(found))
    texts = [_TEX.sub(lambda _: next(rendered), text) for text in texts]
    return "".join(a + (b or "") for a, b in zip(texts, [*tags, ""]))
