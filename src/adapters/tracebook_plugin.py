"""The plugin ``tracebook``: check the programs while pages render, and publish figures
and sliders."""

import json
import logging
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

from mkdocs.config.base import Config
from mkdocs.config.config_options import Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files

from serving import on_demand
from sliders import recording
from tracebook import files as on_disk
from tracebook import includes, pages
from tracebook.settings import Settings, SettingsError, load

from .engine import Engine

log = logging.getLogger("mkdocs.plugins.tracebook")
LINES = "assets/lines.js"
_INCLUDES = "tracebook.extension"


class TracebookConfig(Config):
    """Options of the plugin."""

    remember = Type(bool, default=False)
    """Whether a build reuses runs of an earlier day; ``serve`` always does."""


class TracebookPlugin(BasePlugin[TracebookConfig]):
    """``build`` waits, and fails where an output differs; ``serve`` warns."""

    _settings: Settings
    _engine: Engine | None = None
    _answer: Future | None = None
    _requests: int = 0
    _problems: Sequence[str] = ()
    """Messages at the top of pages while they are served."""
    _lines: Mapping[str, list[int]] = {}
    _news: Path
    """A folder that MkDocs watches, to render again when problems change."""

    def on_startup(self, *, command: str, dirty: bool) -> None:
        self._serving = command == "serve"
        # One request runs at a time, and one more may wait.
        self._thread = ThreadPoolExecutor(max_workers=1)

    def on_config(self, config: MkDocsConfig) -> None:
        config.extra["problems"] = [*self._problems]
        try:
            settings = _settings(config)
        except SettingsError as error:
            raise PluginError(str(error)) from error
        # Without the folder, the extension would look below the current one.
        config.mdx_configs[_INCLUDES] = {"snippets": str(settings.snippets_dir)}
        if _INCLUDES not in config.markdown_extensions:
            config.markdown_extensions.append(_INCLUDES)
        if self._engine and settings == self._settings:
            if self._engine.is_alive:
                return
            log.info("tracebook ended, and is started again")
        self._close()
        self._settings, self._news = settings, settings.cache_dir / "news"
        remember = self.config.remember or self._serving
        self._engine = Engine(settings.root, settings.docs, remember)

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        if unreadable := [*pages.unreadable(self._settings)]:
            raise PluginError("\n".join(unreadable))
        if self._answer:
            self._answer.cancel()  # unless it has begun
        assert self._engine
        self._requests += 1
        if self._serving:
            check: Callable = partial(self._check, self._engine, self._requests)
        else:
            check = self._engine.check
        self._answer = self._thread.submit(check)

    def _check(self, engine: Engine, number: int) -> None:
        try:
            report = engine.check()
        except ChildProcessError as error:
            if engine is self._engine:  # which wasn't closed
                log.warning("%s; it starts again when a file is saved", error)
            return
        if number == self._requests:  # no file has changed since
            self._log(report, logging.WARNING)

    def _log(self, report: dict, level: int) -> None:
        self._lines = report["plugins"].get("lines", {})
        for problem in report["problems"]:
            log.log(level, "%(location)s: %(message)s", problem)
        number, remembered = len(report["problems"]), report["remembered"]
        ran = f"{report['ran']} run" + f", {remembered} remembered" * bool(remembered)
        total = f"{number} problem{'s' * (number > 1)}" * bool(number)
        if not number or level < logging.ERROR:
            result = total or "all outputs agree"
            log.info("%d snippets, %s, %s", len(report["outputs"]), ran, result)
        messages = tuple(f"{p['location']}: {p['message']}" for p in report["problems"])
        if self._serving and messages != self._problems:
            self._problems = messages
            on_disk.write(self._news / "problems", "\n".join(messages).encode())

    def cache_key(self, page: str, text: str, docs: Path, root: Path) -> object:
        """Return the content of the files that a page includes; None if an include is
        malformed."""
        contents: dict[str, bytes | None] = {}
        for include in includes.find(text):
            if not include.name:
                return None
            contents[include.name] = None
            with suppress(OSError):  # not there
                path = self._settings.snippets_dir / include.name
                contents[include.name] = path.read_bytes()
        return contents

    def on_files(self, files: Files, *, config: MkDocsConfig) -> None:
        # MkDocs would wait for a pipe, and fail on the lock file of an editor, or where
        # the engine removes a figure that no program draws any longer.
        for file in [*files]:
            is_special = file.abs_src_path and not os.path.isfile(file.abs_src_path)
            if is_special or file.src_uri.startswith("figures/"):
                files.remove(file)
        # Figures are still being drawn: links to them resolve from now on,
        # and their content follows when the engine has answered.
        for name in pages.figures(self._settings):
            if not files.get_file_from_path(uri := f"figures/{name}"):
                files.append(File.generated(config, uri, content=""))

    @event_priority(-100)  # other plugins work on while programs still run
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        if not self._serving and self._answer:
            try:
                report = self._answer.result()
            except ChildProcessError as error:
                raise PluginError(str(error)) from error
            self._log(report, logging.ERROR)
            if problems := report["problems"]:
                raise PluginError(
                    f"tracebook: {len(problems)} problems; the site is not built"
                )
        site = Path(config.site_dir)
        self._copy_figures(site)
        # Which line of a program printed a line of its output, for readers who point
        # at it; in one order, whichever program ended first.
        lines = json.dumps(self._lines, separators=(",", ":"), sort_keys=True)
        on_disk.write(site / LINES, f"printedBy={lines}\n".encode())
        on_demand.make("sliders", "snippets/", partial(self._write_sliders, site))
        if self._serving and self._answer and not self._answer.done():
            log.info("The programs run behind the pages; what differs follows")

    def _write_sliders(self, site: Path) -> None:
        for name, script in recording.scripts(self._settings):
            on_disk.write(site / "snippets" / name, script.encode())

    def _copy_figures(self, site: Path) -> None:
        figures = self._settings.figures_dir
        if figures.exists():
            shutil.copytree(figures, site / "figures", dirs_exist_ok=True)

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Callable
    ) -> None:
        # From here on, MkDocs sees each figure that changes, and renders again.
        server.watch(str(self._settings.snippets_dir))
        server.watch(str(self._settings.root / "pyproject.toml"))
        self._news.mkdir(parents=True, exist_ok=True)
        server.watch(str(self._news))
        self._copy_figures(Path(config.site_dir))

    def on_build_error(self, *, error: Exception) -> None:
        if not self._serving:
            self._close()

    def on_shutdown(self) -> None:
        self._close()
        self._thread.shutdown()

    def _close(self) -> None:
        if self._answer:
            self._answer.cancel()
        if engine := self._engine:
            self._engine = None
            engine.close()


def _settings(config: MkDocsConfig) -> Settings:
    """Return the project's settings, with the folder of pages that MkDocs has.

    Raises:
        SettingsError: ``mkdocs.yml`` has other folders than ``pyproject.toml``.
    """
    folder, name = os.path.split(os.path.abspath(str(config.config_file_path)))
    root = Path(folder).resolve()
    settings = load(root, os.path.relpath(config.docs_dir, folder))
    if name in ("mkdocs.yml", "mkdocs.yaml"):
        docs_dir = load(root).docs_dir
        if docs_dir != settings.docs_dir:
            raise SettingsError(
                f"{name}: docs_dir is {settings.docs}, and not {docs_dir};"
                f" write docs = {settings.docs!r} below [tool.tracebook]"
            )
    time = os.environ.get("SOURCE_DATE_EPOCH", "0")
    if not time.isdecimal() or int(time) >= 2**32:
        raise SettingsError(f"SOURCE_DATE_EPOCH={time} is no time; unset it")
    site, programs = Path(config.site_dir).resolve(), settings.snippets_dir.resolve()
    if site.is_relative_to(programs) or programs.is_relative_to(site):
        raise SettingsError(f"site_dir: {site} would be emptied, with the programs")
    return settings
