"""MkDocs hooks that date the pages, and complete a built site for publication."""

import re
from functools import cache
from html import unescape
from pathlib import Path
from textwrap import shorten

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from reader import assets, redirects, versions
from reader.history import Change, History
from takeaway import offline
from tracebook import files as on_disk

_LONGEST = 160
"""The number of characters that a description has at most."""
_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
_serving = False


def on_startup(command: str, dirty: bool) -> None:
    global _serving
    _serving = command == "serve"
    _history.cache_clear()


def on_config(config: MkDocsConfig) -> None:
    """Link pages to their editor, if the sources have an address; else MkDocs warns."""
    if config.repo_url:
        config.edit_uri = "edit/main/docs/"


def on_env(env: object, config: MkDocsConfig, files: Files) -> None:
    """Give each page a date for the site map, and a description if it has none."""
    for file in files.documentation_pages():
        if page := file.page:
            if change := _last_change(page, config):
                page.update_date = change.day
            if first := _PARAGRAPH.search(page.content or ""):
                text = unescape(re.sub("<[^>]*>", "", first[1]))
                text = shorten(text, _LONGEST, placeholder=" …")
                page.meta.setdefault("description", text)


def on_page_context(
    context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation
) -> None:
    facts = {
        "changed": _last_change(page, config),
        "revision": _history(_root(config)).revision,
        "versions": versions.in_words(versions.packages()),
    }
    context.update(facts)  # type: ignore[typeddict-item]


@event_priority(-250)  # after all other files of the site are written
def on_post_build(config: MkDocsConfig) -> None:
    if _serving:
        return
    moved = config.extra.get("moved") or {}
    if not isinstance(moved, dict):
        raise PluginError("mkdocs.yml: extra: moved: write {old/: new/}")
    site = Path(config.site_dir)
    try:
        redirects.write(site, {str(old): str(new) for old, new in moved.items()})
    except ValueError as error:
        raise PluginError(str(error)) from error
    assets.write(site)
    on_disk.write(site / offline.NAME, offline.archive(site))


def _last_change(page: Page, config: MkDocsConfig) -> Change | None:
    """Return the last change of a page's text or of its programs."""
    path = page.file.src_uri
    docs = Path(config.docs_dir).name
    programs = f"snippets/{path.rpartition('.')[0]}"
    return _history(_root(config)).last(f"{docs}/{path}", programs)


def _root(config: MkDocsConfig) -> Path:
    return Path(config.docs_dir).resolve().parent


@cache
def _history(root: Path) -> History:
    return History(root, ("docs", "snippets"))
