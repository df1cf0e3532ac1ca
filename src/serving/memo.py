"""Pages that are rendered once, as long as all that rendering reads stays the same.

A page rests on its text, its address, the options of MkDocs, the files that its links
name, and whatever else the Markdown extensions and the plugins read. An extension's
module, or a plugin, that reads more than the text defines ``cache_key(page, text, docs,
root)``. It returns what it reads for that page, as a value that ``repr`` tells from all
others, or ``UNKNOWN`` if it can't tell: such a page is rendered each time.
"""

import logging
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

UNKNOWN = None
"""What ``cache_key`` returns for a page that can't be kept."""

_KEPT = ("markdown", "content", "toc", "_title_from_render", "present_anchor_ids")
_NOT_READ = ("nav", "extra", "extra_css", "extra_javascript", "theme", "plugins")
"""Options that rendering Markdown doesn't read; a plugin's change needs a new start."""
_numbers = count()


@dataclass(frozen=True)
class _Rendered:
    """A page's text and what was made of it."""

    key: str
    number: int
    """Tells it from all other renderings."""
    values: Mapping[str, Any]
    meta: Mapping[str, Any]
    links: Mapping[str, dict[str, str]]
    """By the path of the page to which they lead."""
    asked: Mapping[str, tuple | None]
    """The files that links name, as they were."""
    said: list[logging.LogRecord]


class Memo:
    """The last rendering of each page."""

    def __init__(self) -> None:
        self._rendered: dict[str, _Rendered] = {}
        self._shown: dict[str, tuple[str, str]] = {}
        self._options: tuple[MkDocsConfig, str] | None = None

    def populating(self, populate: Callable[..., None]) -> Callable[..., None]:
        """MkDocs' function that reads and renders one page, with a memory."""

        def remembering(
            page: Page, config: MkDocsConfig, files: Files, dirty: bool = False
        ) -> None:
            path = page.file.src_uri
            key = self._key(page, config)
            known = self._rendered.get(path)
            if known and known.key == key and _answers(files, known.asked):
                _restore(page, known, files)
                return
            self._rendered.pop(path, None)
            asking, said = _Asking(files), _Said()
            logging.getLogger("mkdocs").addHandler(said)
            try:
                populate(page, config, asking, dirty)
            finally:
                logging.getLogger("mkdocs").removeHandler(said)
            if key:
                self._rendered[path] = _rendering(page, key, asking.asked, said.records)

        return remembering

    def _key(self, page: Page, config: MkDocsConfig) -> str | None:
        path, text = page.file.src_uri, page.file.content_string
        if not path.endswith(".md"):
            return None  # a notebook is kept by who runs it
        if self._options is None or self._options[0] is not config:
            self._options = config, _options(config)
        root = Path(config.config_file_path).resolve().parent
        parts = [path, page.file.url, text, self._options[1]]
        for cache_key in _readers(config):
            read = cache_key(path, text, Path(config.docs_dir), root)
            if read is UNKNOWN:
                return None
            parts.append(repr(read))
        return _digest(parts)

    def environment(
        self, env: Environment, nav: Navigation, config: MkDocsConfig
    ) -> Any:
        """Templates that aren't filled in again for a page that didn't change."""
        folder = config.theme.custom_dir
        overrides = [
            (str(each), each.stat().st_mtime_ns, each.stat().st_size)
            for each in sorted(Path(folder).rglob("*") if folder else ())
        ]
        menu = [_shape(item) for item in nav.items]
        around = repr((_user_configs(config), config.site_url, config.extra))
        return _Environment(self, env, _digest([around, repr(menu), repr(overrides)]))

    def shown(self, page: Page | None, around: str, show: Callable[[], str]) -> str:
        """The HTML of a page, as it was if nothing changed that its template reads."""
        known = page and self._rendered.get(page.file.src_uri)
        if not page or not known or page.content is not known.values["content"]:
            return show()
        key = _digest([around, str(known.number), str(page.title)])
        path = page.file.src_uri
        if self._shown.get(path, ("",))[0] != key:
            self._shown[path] = key, show()
        return self._shown[path][1]

    def forget_all_but(self, paths: set[str]) -> None:
        """Pages that are gone take no memory."""
        for kept in (self._rendered, self._shown):
            for path in kept.keys() - paths:
                del kept[path]


class _Asking:
    """The files of a book, and which of them were asked for."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.asked: dict[str, tuple | None] = {}

    def get_file_from_path(self, path: str) -> File | None:
        found = self._files.get_file_from_path(path)
        self.asked[path] = _known(found)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files, name)

    def __iter__(self) -> Iterator[File]:
        return iter(self._files)


class _Said(logging.Handler):
    """What is logged of a page: it is said again as long as it holds. What another
    thread logs meanwhile, such as the engine's answer, isn't of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self._thread:
            self.records.append(record)


class _Environment:
    """The templates of one build."""

    def __init__(self, memo: Memo, env: Environment, around: str) -> None:
        self._memo, self._env, self._around = memo, env, around

    def get_template(self, name: str) -> Any:
        # It must be there in any case, and is compiled only if a page needs it.
        if self._env.loader:
            self._env.loader.get_source(self._env, name)
        return _Template(self._memo, self._env, self._around, name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._env, name)


@dataclass(frozen=True)
class _Template:
    memo: Memo
    env: Environment
    around: str
    name: str

    def render(self, context: Mapping[str, Any]) -> str:
        return self.memo.shown(
            context.get("page"),
            f"{self.name} {self.around}",
            lambda: self.env.get_template(self.name).render(context),
        )


def _rendering(
    page: Page, key: str, asked: dict, said: list[logging.LogRecord]
) -> _Rendered:
    return _Rendered(
        key,
        next(_numbers),
        {name: getattr(page, name) for name in _KEPT},
        dict(page.meta),
        {to.src_uri: links for to, links in (page.links_to_anchors or {}).items()},
        asked,
        said,
    )


def _restore(page: Page, known: _Rendered, files: Files) -> None:
    for name, value in known.values.items():
        setattr(page, name, value)
    page.meta = dict(known.meta)
    there = {path: files.get_file_from_path(path) for path in known.links}
    page.links_to_anchors = {
        file: known.links[path] for path, file in there.items() if file
    }
    for record in known.said:
        logging.getLogger(record.name).handle(record)


def _known(file: File | None) -> tuple | None:
    return (file.src_uri, file.url, file.inclusion) if file else None


def _answers(files: Files, asked: Mapping[str, tuple | None]) -> bool:
    return all(
        _known(files.get_file_from_path(path)) == was for path, was in asked.items()
    )


def _readers(config: MkDocsConfig) -> Iterator[Callable]:
    """What reads more than a page's text, and says what."""
    modules = [import_module(name) for name in _modules(config.markdown_extensions)]
    for reader in (*modules, *config.plugins.values()):
        if cache_key := getattr(reader, "cache_key", None):
            yield cache_key


def _modules(extensions: list[str]) -> Iterator[str]:
    """Those named by their module; Markdown's own have short names and read nothing."""
    return (name for name in extensions if "." in name and ":" not in name)


def _options(config: MkDocsConfig) -> str:
    said = [
        {name: value for name, value in each.items() if name not in _NOT_READ}
        for each in _user_configs(config)
    ]
    return repr((said, config.mdx_configs))


def _user_configs(config: MkDocsConfig) -> Sequence[Mapping[str, Any]]:
    """The options as they are written; MkDocs warns of their use, and is frozen."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return config.user_configs


def _shape(item: Any) -> tuple:
    children = [_shape(each) for each in item.children or ()]
    return type(item).__name__, item.title, getattr(item, "url", ""), children


def _digest(parts: list[str]) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
