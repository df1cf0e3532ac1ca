"""The adapter of ``mathml`` to MkDocs: it logs bad formulas, and writes the font."""

import logging
import os
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from mathml import extension, font
from serving import on_demand

log = logging.getLogger("mkdocs.plugins.mathml")


class MathmlPlugin(BasePlugin):
    """Fails a build if a formula does not convert; while serving, it warns."""

    def on_startup(self, *, command: str, dirty: bool) -> None:
        self._serving = command == "serve"

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        self._failed = 0

    def on_page_markdown(
        self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> None:
        rendered = extension.RenderedPage(
            _label(page.file, config), page.file.content_string
        )
        extension.current_page.set(rendered)

    def on_page_content(
        self, html: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> None:
        if rendered := extension.current_page.get():
            for problem in rendered.problems(html):
                self._failed += 1
                log.log(logging.WARNING if self._serving else logging.ERROR, problem)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        if self._failed and not self._serving:
            raise PluginError(
                f"{self._failed} formulas do not convert; the site is not built"
            )
        site = Path(config.site_dir)
        on_demand.make("font", str(font.FONT), lambda: font.write(site))


def _label(file: File, config: MkDocsConfig) -> str:
    """Return the path of a page in the project, or that of a generated page."""
    root = os.path.dirname(os.path.abspath(config.config_file_path))
    path = file.abs_src_path
    return os.path.relpath(path, root) if path else file.src_uri
