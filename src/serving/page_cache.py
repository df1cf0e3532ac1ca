"""Cache rendered pages, and render a page again if anything that it reads changes.

The key of a page covers its text, its address, MkDocs' options, the files that its
links name, and everything else that Markdown extensions and plugins read. An extension
module or a plugin that reads more than the text defines ``cache_key(page, text, docs,
root)``. It returns the values it reads for that page, with a ``repr`` that differs
whenever they differ, or ``UNKNOWN`` if it can't tell. A page with an unknown key is
rendered in each build.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

UNKNOWN = None
"""Key of a page that can't be cached."""

_RENDERED = ("markdown", "content", "toc", "_title_from_render", "present_anchor_ids")
"""Attributes that rendering sets on MkDocs' page."""
_NOT_READ = ("nav", "extra", "extra_css", "extra_javascript", "theme", "plugins")
"""Options that rendering Markdown doesn't read; changed plugins need a restart."""


@dataclass(frozen=True)
class _Rendering:
    """Result of rendering one page."""

    key: str
    values: Mapping[str, Any]
    meta: Mapping[str, Any]
    links: Mapping[str, dict[str, str]]
    """Links to anchors, by the path of the target page."""
    requested: Mapping[str, tuple | None]
    """State of each file that links name, by the path in the link."""


class PageCache:
    """The latest rendering of each page."""

    def __init__(self) -> None:
        self._renderings: dict[str, _Rendering] = {}
        self._options: tuple[MkDocsConfig, str] | None = None

    def wrap_populate(self, populate: Callable[..., None]) -> Callable[..., None]:
        """Return a cached version of MkDocs' function that renders one page."""

        def populate_or_restore(
            page: Page, config: MkDocsConfig, files: Files, dirty: bool = False
        ) -> None:
            path = page.file.src_uri
            key = self._key(page, config)
            cached = self._renderings.get(path)
            if cached and cached.key == key and _is_current(cached, files):
                _restore(page, cached, files)
                return
            self._renderings.pop(path, None)
            recorder = _FileRecorder(files)
            populate(page, config, recorder, dirty)
            if key:
                self._renderings[path] = _rendering(page, key, recorder.requested)

        return populate_or_restore

    def _key(self, page: Page, config: MkDocsConfig) -> str | None:
        path, text = page.file.src_uri, page.file.content_string
        if not path.endswith(".md"):
            return None  # mkdocs-jupyter has its own cache
        if self._options is None or self._options[0] is not config:
            self._options = config, _options(config)
        root = Path(config.config_file_path).resolve().parent
        parts = [path, page.file.url, text, self._options[1]]
        for cache_key in _cache_keys(config):
            value = cache_key(path, text, Path(config.docs_dir), root)
            if value is UNKNOWN:
                return None
            parts.append(repr(value))
        text = "\0".join(parts)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _FileRecorder:
    """Wrapper of MkDocs' files that records which of them a page requests."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.requested: dict[str, tuple | None] = {}

    def get_file_from_path(self, path: str) -> File | None:
        file = self._files.get_file_from_path(path)
        self.requested[path] = _state(file)
        return file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files, name)

    def __iter__(self) -> Iterator[File]:
        return iter(self._files)


def _rendering(page: Page, key: str, requested: dict) -> _Rendering:
    return _Rendering(
        key,
        {name: getattr(page, name) for name in _RENDERED},
        dict(page.meta),
        {to.src_uri: links for to, links in (page.links_to_anchors or {}).items()},
        requested,
    )


def _restore(page: Page, cached: _Rendering, files: Files) -> None:
    for name, value in cached.values.items():
        setattr(page, name, value)
    page.meta = dict(cached.meta)
    targets = {path: files.get_file_from_path(path) for path in cached.links}
    page.links_to_anchors = {
        file: cached.links[path] for path, file in targets.items() if file
    }


def _state(file: File | None) -> tuple | None:
    return (file.src_uri, file.url, file.inclusion) if file else None


def _is_current(cached: _Rendering, files: Files) -> bool:
    return all(
        _state(files.get_file_from_path(path)) == state
        for path, state in cached.requested.items()
    )


def _cache_keys(config: MkDocsConfig) -> Iterator[Callable]:
    """Return the functions ``cache_key`` of extensions and plugins."""
    # Markdown's own extensions have short names, and read only the text.
    modules = [
        import_module(name)
        for name in config.markdown_extensions
        if "." in name and ":" not in name
    ]
    for reader in (*modules, *config.plugins.values()):
        if cache_key := getattr(reader, "cache_key", None):
            yield cache_key


def _options(config: MkDocsConfig) -> str:
    options = [
        {name: value for name, value in user.items() if name not in _NOT_READ}
        for user in _user_configs(config)
    ]
    return repr((options, config.mdx_configs))


def _user_configs(config: MkDocsConfig) -> Sequence[Mapping[str, Any]]:
    """Return the options as the user wrote them.

    MkDocs deprecates this attribute, but 1.x has no further releases.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return config.user_configs
