"""The plugin ``truth``: refuse to build pages that weren't checked, and publish the
ledger and the tests of claims."""

import logging
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from mkdocs.config.base import Config
from mkdocs.config.config_options import Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel

from tracebook.settings import SettingsError
from truth import claims
from truth.ledger import page as ledger
from truth.page import LEDGER, all_pages
from truth.site_check import SiteCheck

_UNCHECKED = "not checked as it is now"
_MANY = 3
_WRITTEN = ".cache/ledger.md"
log = logging.getLogger("mkdocs.plugins.truth")


@contextmanager
def _as_plugin_errors() -> Iterator[None]:
    """Report errors of settings and files as MkDocs does."""
    try:
        yield
    except (SettingsError, OSError) as error:
        raise PluginError(f"truth: {error}") from error


class TruthConfig(Config):
    """Options of the plugin."""

    demand = Type(bool, default=True)
    """Whether a build fails where ``python -m truth`` would have work to do."""


class TruthPlugin(BasePlugin[TruthConfig]):
    """``build`` fails unless every page passed its checks; ``serve`` warns.

    The ledger consists of the stored results of the pages as they are now. While
    serving, it is that of the last build.
    """

    def on_startup(
        self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool
    ) -> None:
        self._serving = command == "serve"
        self._unverified: list[str] = []
        self._thread = ThreadPoolExecutor(max_workers=1)

    def on_shutdown(self) -> None:
        self._thread.shutdown(cancel_futures=True)

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        if self.config.demand and not self._serving:
            self._log_unverified(_root(config))

    def _log_unverified(self, root: Path) -> None:
        with _as_plugin_errors():
            unverified = [*SiteCheck(root, all_pages(root), []).unverified()]
        if unverified != self._unverified:
            for line in _summary(unverified) if self._serving else unverified:
                log.log(logging.WARNING if self._serving else logging.ERROR, line)
            if unverified and self._serving:
                log.warning("To check these, run: python -m truth")
        self._unverified = unverified

    def on_files(self, files: Files, *, config: MkDocsConfig) -> None:
        # A file, and not text alone: other plugins name its path in messages.
        path = _root(config) / _WRITTEN
        if not (self._serving and path.exists()):
            with _as_plugin_errors():
                ledger.write(_root(config), path)
        uri = LEDGER.removeprefix("docs/")
        if written := files.get_file_from_path(uri):
            files.remove(written)
        # The menu needn't have it.
        files.append(
            File.generated(
                config, uri, abs_src_path=str(path), inclusion=InclusionLevel.NOT_IN_NAV
            )
        )

    @event_priority(-50)  # before the site is packed
    def _copy_tests(self, *, config: MkDocsConfig) -> None:
        """Publish the tests of claims, which pages link to."""
        tests = _root(config) / claims.FOLDER
        for path in sorted(tests.rglob("*.py")):
            target = Path(config.site_dir, claims.FOLDER, path.relative_to(tests))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)

    @event_priority(-300)  # after all others
    def _demand(self, *, config: MkDocsConfig) -> None:
        if self._serving and self.config.demand:
            self._thread.submit(self._log_unverified, _root(config))
        # Not before the other plugins have reported their problems.
        if self._unverified and not self._serving:
            raise PluginError(
                f"truth: {len(self._unverified)} things are not known to hold; the site"
                " is not built; run: python -m truth"
            )

    on_post_build = CombinedEvent(_copy_tests, _demand)


def _summary(unverified: list[str]) -> Iterator[str]:
    """Return the lines, but of many pages that weren't checked only the number."""
    unchecked = [line for line in unverified if line.endswith(_UNCHECKED)]
    if len(unchecked) <= _MANY:
        yield from unverified
        return
    yield from (line for line in unverified if line not in unchecked)
    yield f"{len(unchecked)} pages are not checked as they are now"


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).resolve().parent
