"""The adapter to MkDocs: names pages in messages, serves notebooks, cuts the font."""

import logging
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin

from reader import notebook
from tracebook import settings

from . import extension, font

log = logging.getLogger("mkdocs.plugins.formulas")


class MathmlPlugin(BasePlugin):
    """A formula that does not convert fails a build; while serving it warns."""

    def on_startup(self, *, command: str, dirty: bool) -> None:
        self._serving = command == "serve"
        self._cut: tuple[str, bytes] | None = None

    def on_config(self, config: MkDocsConfig) -> None:
        self._root = Path(config.config_file_path).resolve().parent
        self._noise = settings.load(self._root).noise_pattern
        if labs := config.plugins.get("mkdocs-jupyter"):
            labs.config["cache_dir"] = str(notebook.cache(self._root))

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        self._failed = 0

    def on_page_markdown(self, markdown: str, *, page, config, files) -> None:
        source = Path(page.file.abs_src_path).resolve()
        extension.page.set(
            extension.Page(
                source.relative_to(self._root).as_posix(), source.read_text("utf-8")
            )
        )

    def on_page_content(self, html: str, *, page, config, files) -> str:
        if notebook.MARK in html:
            html = notebook.with_formulas(notebook.plain(html, self._noise))
            # MkDocs reads these off Markdown; without them any anchor passes.
            page.present_anchor_ids = set(re.findall(r'\bid="([^"]+)"', html))
        rendered = extension.page.get()
        rendered.fail_if_raw(html)
        failures = rendered.failures
        self._failed += len(failures)
        for failure in failures:
            log.log(logging.WARNING if self._serving else logging.ERROR, failure)
        return html

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        if self._failed and not self._serving:
            raise PluginError(
                f"{self._failed} formulas do not convert; the site is not built"
            )
        site = Path(config.site_dir)
        text = font.characters(site)
        if self._cut is None or self._cut[0] != text:
            font.write(site, text)
            self._cut = text, (site / font.FONT).read_bytes()
        else:
            (site / font.FONT).parent.mkdir(parents=True, exist_ok=True)
            (site / font.FONT).write_bytes(self._cut[1])
