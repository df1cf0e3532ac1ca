"""The adapter to MkDocs: what is not known to hold is not built, and the ledger is
there, also where nothing was recorded."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from mkdocs.config.base import Config
from mkdocs.config.config_options import Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files, InclusionLevel

from tracebook.settings import SettingsError

from .. import results
from ..page import LEDGER, all_pages
from ..work import Work
from . import page as ledger

log = logging.getLogger("mkdocs.plugins.truth")


@contextmanager
def _told() -> Iterator[None]:
    """Have MkDocs name a setting or a file that is not as it must be."""
    try:
        yield
    except (SettingsError, OSError) as error:
        raise PluginError(f"truth: {error}") from error


class TruthConfig(Config):
    """Options of the plugin."""

    demand = Type(bool, default=True)
    """Whether a build fails where ``python -m truth`` would have work to do."""


class TruthPlugin(BasePlugin[TruthConfig]):
    """``build`` fails unless all is known to hold; ``serve`` warns.

    The ledger is made of the results on record and the pages as they are now, so
    it claims nothing of a page that was edited since.
    """

    def on_startup(
        self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool
    ) -> None:
        self._serving = command == "serve"
        self._unproven: list[str] = []

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        root = Path(config.config_file_path).resolve().parent
        if not self.config.demand:
            return
        with _told():
            unproven = [*Work(root, all_pages(root), []).unproven()]
        if unproven != self._unproven:
            for each in unproven:
                log.log(logging.WARNING if self._serving else logging.ERROR, each)
            if unproven and self._serving:
                log.warning("To check these, run: python -m truth")
        self._unproven = unproven

    def on_files(self, files: Files, *, config: MkDocsConfig) -> None:
        root = Path(config.config_file_path).resolve().parent
        # A file, and not text alone: other plugins name its path in messages.
        path = root / results.FILE.with_name("ledger.md")
        with _told():
            results.write(path, ledger.text(root))
        uri = LEDGER.removeprefix("docs/")
        if written := files.get_file_from_path(uri):
            files.remove(written)
        # A book without it in its menu is a book, too.
        files.append(
            File.generated(
                config, uri, abs_src_path=str(path), inclusion=InclusionLevel.NOT_IN_NAV
            )
        )

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        # Not before, so that all else that is wrong has been said.
        if self._unproven and not self._serving:
            raise PluginError(
                f"truth: {len(self._unproven)} things are not known to hold; the site"
                " is not built; run: python -m truth"
            )
