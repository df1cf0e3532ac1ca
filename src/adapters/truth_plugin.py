"""The plugin ``truth``: refuse to build pages that weren't checked, and publish the
ledger and the tests of claims."""

import logging
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Literal

from mkdocs.config.base import Config
from mkdocs.config.config_options import Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page as RenderedPage

from tracebook.settings import SettingsError
from truth import claims, numbers
from truth.ledger import page as ledger
from truth.page import LEDGER, Page, all_pages
from truth.site_check import SiteCheck

_UNCHECKED = "not checked as it is now"
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
    serving, it is that of the last build, and numbers are checked as pages render.
    """

    def on_startup(
        self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool
    ) -> None:
        self._serving = command == "serve"
        self._unverified: list[str] = []
        self._false_numbers: dict[str, list[str]] = {}
        """By the addresses of the pages, the page that was rendered last first."""
        self._thread = ThreadPoolExecutor(max_workers=1)

    def on_shutdown(self) -> None:
        self._thread.shutdown(cancel_futures=True)

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        if self.config.demand and not self._serving:
            self._log_unverified(_root(config))

    def _log_unverified(self, root: Path) -> None:
        with _as_plugin_errors():
            unverified = [*SiteCheck(root, all_pages(root), []).unverified()]
        if unverified == self._unverified:
            return
        self._unverified = unverified
        later = [x for x in unverified if self._serving and x.endswith(_UNCHECKED)]
        for line in unverified:
            if line not in later:
                log.log(logging.WARNING if self._serving else logging.ERROR, line)
        if later:
            some = ", ".join(line.partition(":")[0] for line in later[:3])
            advice = f"not checked as they are now, among them {some}"
            log.warning("%d pages are %s; run: python -m truth", len(later), advice)

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

    def on_page_markdown(
        self, markdown: str, *, page: RenderedPage, config: MkDocsConfig, files: Files
    ) -> None:
        uri = page.file.src_uri
        if self._serving and uri != LEDGER.removeprefix("docs/"):
            source = Page(Path(config.docs_dir, uri).resolve(), _root(config))
            failed = [str(f) for f in numbers.check(source) if f.state == "failed"]
            self._false_numbers = {uri: failed} | self._false_numbers | {uri: failed}
            for line in failed:
                log.warning(line)

    def on_env(self, env: object, *, config: MkDocsConfig, files: Files) -> None:
        """Show false numbers at the top of the pages."""
        pages = {file.src_uri for file in files}
        shown = (lines for uri, lines in self._false_numbers.items() if uri in pages)
        problems = config.extra.get("problems", [])
        config.extra["problems"] = [*chain.from_iterable(shown), *problems]

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


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).resolve().parent
