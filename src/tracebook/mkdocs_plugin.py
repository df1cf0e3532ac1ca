"""The adapter to MkDocs: ask the engine while pages render, then obey it."""

import logging
import shutil
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files

from . import pages
from .client import Engine
from .settings import Settings, SettingsError, load

log = logging.getLogger("mkdocs.plugins.tracebook")


class TracebookPlugin(BasePlugin):
    """``build`` fails where a trace does not hold; ``serve`` warns."""

    def on_startup(self, *, command: str, dirty: bool) -> None:
        self._problem_level = logging.WARNING if command == "serve" else logging.ERROR
        self._settings: Settings | None = None
        self._engine: Engine | None = None

    def on_config(self, config: MkDocsConfig) -> None:
        root = Path(config.config_file_path).resolve().parent
        try:
            settings = load(root)
        except SettingsError as error:
            raise PluginError(str(error)) from error
        if settings != self._settings:
            self.on_shutdown()
            self._settings, self._engine = settings, Engine(root)

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        self._engine.ask()

    def on_files(self, files: Files, *, config: MkDocsConfig) -> None:
        # Figures are still being drawn: links to them resolve from now on,
        # and their content follows when the engine has answered.
        for name in pages.figures(self._settings):
            if not files.get_file_from_path(uri := f"figures/{name}"):
                files.append(File.generated(config, uri, content=""))

    @event_priority(-100)  # the others work on, while snippets still run
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        try:
            report = self._engine.answer()
        except ChildProcessError as error:
            raise PluginError(str(error)) from error
        problems = report["problems"]
        for problem in problems:
            log.log(self._problem_level, "%(where)s: %(text)s", problem)
        if problems and self._problem_level == logging.ERROR:
            raise PluginError(
                f"tracebook: {len(problems)} problems; the site is not built"
            )
        if self._settings.figures_dir.exists():
            shutil.copytree(
                self._settings.figures_dir,
                Path(config.site_dir, "figures"),
                dirs_exist_ok=True,
            )
        log.info(
            "%d snippets, %d run, all traces judged",
            len(report["traces"]),
            report["ran"],
        )

    def on_serve(self, server, *, config: MkDocsConfig, builder) -> None:
        server.watch(str(self._settings.snippets_dir))
        server.watch(str(self._settings.root / "pyproject.toml"))

    def on_build_error(self, *, error: Exception) -> None:
        # An answer that nobody awaits must not be taken for the next one.
        self.on_shutdown()

    def on_shutdown(self) -> None:
        if self._engine:
            self._engine.close()
        self._engine = self._settings = None
