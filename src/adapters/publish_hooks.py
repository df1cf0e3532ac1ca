"""MkDocs hooks that complete a built site for publication, but not while serving."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority

from reader import assets, metadata
from reader.metadata.project import Project
from takeaway import offline
from tracebook import files as on_disk

_serving = False


def on_startup(command: str, dirty: bool) -> None:
    global _serving
    _serving = command == "serve"


@event_priority(-250)  # after all other files of the site are written
def on_post_build(config: MkDocsConfig) -> None:
    if _serving:
        return
    site, docs = Path(config.site_dir), Path(config.docs_dir).resolve()
    moved = config.extra.get("moved") or {}
    if not isinstance(moved, dict):
        raise PluginError("mkdocs.yml: extra: moved: write {old/: new/}")
    project = Project(
        root=docs.parent,
        docs=docs.name,
        name=config.site_name,
        description=config.site_description or "",
        address=config.site_url or "",
        repository=config.repo_url or "",
        moved={str(old): str(new) for old, new in moved.items()},
    )
    try:
        metadata.write(site, project, docs.parent / ".cache" / "cards")
    except ValueError as error:
        raise PluginError(str(error)) from error
    assets.write(site)
    on_disk.write(site / offline.NAME, offline.archive(site))
