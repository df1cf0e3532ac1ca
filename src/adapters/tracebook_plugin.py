"""The adapter to MkDocs: ask the engine while pages render, then obey it."""

import errno
import json
import logging
import os
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

from mkdocs.config.base import Config
from mkdocs.config.config_options import Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files

from tracebook import files as on_disk
from tracebook import live, pages, snippet
from tracebook.client import Engine
from tracebook.settings import Settings, SettingsError, load

from .last_site import LastSite

log = logging.getLogger("mkdocs.plugins.tracebook")
LINES = "assets/lines.js"
_INCLUDES = "tracebook.extension"


class TracebookConfig(Config):
    remember = Type(bool, default=False)
    """Whether a build takes the runs of another day; ``serve`` always does."""


class TracebookPlugin(BasePlugin[TracebookConfig]):
    """``build`` waits, and fails where a trace does not hold; ``serve`` warns."""

    _settings: Settings
    _engine: Engine | None = None
    _answer: Future | None = None
    _asked: int = 0
    """How often, while this book is served."""
    _last_site: LastSite | None = None
    _problems: Sequence[str] = ()
    """What the pages say at their top while they are served."""
    _lines: Mapping[str, list[int]] = {}

    def on_startup(self, *, command: str, dirty: bool) -> None:
        self._serving = command == "serve"
        # One asks and listens at a time, and one more may wait.
        self._thread = ThreadPoolExecutor(max_workers=1)
        # Of programs whose inputs readers may change, made once for each content.
        self._scripts: dict[str, tuple[object, str]] = {}

    @property
    def _news(self) -> Path:
        """MkDocs watches this folder, and renders again."""
        return self._settings.cache_dir / "news"

    def on_config(self, config: MkDocsConfig) -> None:
        config.extra["problems"] = [*self._problems]
        try:
            settings = _settings(config)
        except SettingsError as error:
            raise PluginError(str(error)) from error
        if self._engine and settings == self._settings:
            if self._engine.is_alive:
                return
            log.info("tracebook ended, and is started again")
        if self._serving and not self._engine:
            self._last_site = _last_site(config, settings)
        self._close()
        self._settings = settings
        remember = self.config.remember or self._serving
        self._engine = Engine(settings.root, settings.docs, remember)

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        if unreadable := [*pages.unreadable(self._settings)]:
            raise PluginError("\n".join(unreadable))
        if self._answer:
            self._answer.cancel()  # it has not begun, or goes on
        assert self._engine
        self._asked += 1
        if self._serving:
            ask: Callable = partial(self._ask_and_tell, self._engine, self._asked)
        else:
            ask = partial(self._ask, self._engine)
        self._answer = self._thread.submit(ask)

    def _ask(self, engine: Engine) -> dict:
        engine.ask()
        return engine.answer()

    def _ask_and_tell(self, engine: Engine, number: int) -> None:
        try:
            report = self._ask(engine)
            if number == self._asked:  # else it is of files as they were before
                self._tell(report, logging.WARNING)
        except ChildProcessError as error:
            if engine is self._engine:  # else it was closed, and this is no news
                log.warning("%s; it starts again when a file is saved", error)

    def _tell(self, report: dict, level: int) -> None:
        self._lines = report["lines"]
        for problem in report["problems"]:
            log.log(level, "%(location)s: %(message)s", problem)
        if not report["problems"] or level < logging.ERROR:
            number, remembered = len(report["problems"]), report["remembered"]
            log.info(
                "%d snippets, %d run%s, %s",
                len(report["outputs"]),
                report["ran"],
                f", {remembered} remembered" if remembered else "",
                f"{number} problem{'s' * (number > 1)}"
                if number
                else "all traces hold",
            )
        said = tuple(f"{p['location']}: {p['message']}" for p in report["problems"])
        if self._serving and said != self._problems:
            self._problems = said
            on_disk.write(self._news / "problems", "\n".join(said).encode())

    def cache_key(self, page: str, text: str, docs: Path, root: Path) -> object:
        """What a page includes, and what that includes."""
        return pages.included(text, self._settings.snippets_dir)

    def on_files(self, files: Files, *, config: MkDocsConfig) -> None:
        # MkDocs would wait for a pipe, and fail on the lock file of an editor, or where
        # the engine removes a figure that nobody draws any more.
        for each in [*files]:
            is_other = each.abs_src_path and not os.path.isfile(each.abs_src_path)
            if is_other or each.src_uri.startswith("figures/"):
                files.remove(each)
        # Figures are still being drawn: links to them resolve from now on,
        # and their content follows when the engine has answered.
        for name in pages.figures(self._settings):
            if not files.get_file_from_path(uri := f"figures/{name}"):
                files.append(File.generated(config, uri, content=""))

    @event_priority(-100)  # the others work on, while snippets still run
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        if not self._serving and self._answer:
            try:
                report = self._answer.result()
            except ChildProcessError as error:
                raise PluginError(str(error)) from error
            self._tell(report, logging.ERROR)
            if problems := report["problems"]:
                raise PluginError(
                    f"tracebook: {len(problems)} problems; the site is not built"
                )
        self._copy_figures(config)
        self._write_lines(config)
        self._write_live(config)
        if self._serving:
            kept = self._settings.cache_dir / "site"
            keep = partial(LastSite.keep, Path(config.site_dir), kept)
            threading.Thread(target=keep, daemon=True).start()
            if self._answer and not self._answer.done():
                log.info("The programs run behind the pages; what differs follows")

    def _write_lines(self, config: MkDocsConfig) -> None:
        """Of each line of a trace its line of the program: what a pointer asks for."""
        said = json.dumps(self._lines, separators=(",", ":"))
        on_disk.write(Path(config.site_dir, LINES), f"printedBy={said}\n".encode())

    def _write_live(self, config: MkDocsConfig) -> None:
        """What programs print with other inputs, as recorded; the engine judges it."""
        folder = self._settings.snippets_dir
        for path in on_disk.below(folder):
            program = path.with_suffix(".py")
            if path.suffix != live.SUFFIX or not program.is_file():
                continue
            name = program.relative_to(folder).as_posix()
            try:
                parts = path, program, path.with_suffix(".out")
                now = [part.stat().st_mtime_ns for part in parts]
                if self._scripts.get(name, ((), ""))[0] != now:
                    its = live.load(snippet.load(program, self._settings))
                    self._scripts[name] = now, its.script() if its else ""
            except (live.LiveError, SettingsError, OSError):
                continue
            target = Path(config.site_dir, "snippets", live.published(name))
            on_disk.write(target, self._scripts[name][1].encode())

    def _copy_figures(self, config: MkDocsConfig) -> None:
        if self._settings.figures_dir.exists():
            shutil.copytree(
                self._settings.figures_dir,
                Path(config.site_dir, "figures"),
                dirs_exist_ok=True,
            )

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Callable
    ) -> None:
        # From here on MkDocs sees each figure that changes, and renders again.
        server.watch(str(self._settings.snippets_dir))
        server.watch(str(self._settings.root / "pyproject.toml"))
        self._news.mkdir(parents=True, exist_ok=True)
        server.watch(str(self._news))
        self._copy_figures(config)
        self._close_last_site()

    def on_build_error(self, *, error: Exception) -> None:
        self._close_last_site()
        if not self._serving:
            self._close()

    def on_shutdown(self) -> None:
        self._close_last_site()
        self._close()
        self._thread.shutdown()

    def _close_last_site(self) -> None:
        if self._last_site:
            self._last_site.close()
        self._last_site = None

    def _close(self) -> None:
        if self._answer:
            self._answer.cancel()
        if engine := self._engine:
            self._engine = None
            engine.close()


def _last_site(config: MkDocsConfig, settings: Settings) -> LastSite | None:
    host, port = config.dev_addr
    try:
        return LastSite.start(
            (host, port), str(config.site_url), settings.cache_dir / "site"
        )
    except OverflowError as error:
        raise PluginError(f"the site can't be served: {error}") from error
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            return None  # MkDocs may still listen there
        raise PluginError(
            f"the site can't be served on {host}:{port}: {os.strerror(error.errno)};"
            f" choose another port: make serve PORT={port + 1},"
            f" or mkdocs serve --dev-addr {host}:{port + 1}"
        ) from error


def _settings(config: MkDocsConfig) -> Settings:
    """The book's settings, as far as MkDocs' own agree, whose word counts."""
    folder, name = os.path.split(os.path.abspath(str(config.config_file_path)))
    root = Path(folder).resolve()
    settings = load(root, os.path.relpath(config.docs_dir, folder))
    if name in ("mkdocs.yml", "mkdocs.yaml"):
        others = load(root).docs_dir
        if others != settings.docs_dir:
            raise SettingsError(
                f"{name}: docs_dir is {settings.docs}, and not {others}"
            )
    site, programs = Path(config.site_dir).resolve(), settings.snippets_dir.resolve()
    if site.is_relative_to(programs) or programs.is_relative_to(site):
        raise SettingsError(f"site_dir: {site} would be emptied, with the programs")
    # Without the folder it would look from where the command was given.
    config.mdx_configs[_INCLUDES] = {"snippets": str(settings.snippets_dir)}
    if _INCLUDES not in config.markdown_extensions:
        config.markdown_extensions.append(_INCLUDES)
    return settings
