"""The adapter to MkDocs: when all pages are written, the site is completed."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority

from reader import found

_serving = False


def on_startup(command: str, dirty: bool) -> None:
    global _serving
    _serving = command == "serve"


@event_priority(50)  # before the site is copied or measured
def on_post_build(config: MkDocsConfig) -> None:
    if _serving:  # what is being written is not to be found yet
        return
    docs = Path(config.docs_dir).resolve()
    moved = config.extra.get("moved") or {}
    if not isinstance(moved, dict):
        raise PluginError("mkdocs.yml: extra: moved: write {old/: new/}")
    book = found.Book(
        root=docs.parent,
        docs=docs.name,
        name=config.site_name,
        description=config.site_description or "",
        address=config.site_url or "",
        repository=config.repo_url or "",
        moved={str(old): str(new) for old, new in moved.items()},
    )
    try:
        found.write(Path(config.site_dir), book, docs.parent / ".cache" / "cards")
    except ValueError as error:
        raise PluginError(str(error)) from error
