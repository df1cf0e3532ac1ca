"""Ask the site generator, MkDocs or Zensical, about the page that it renders."""

import posixpath
from pathlib import Path
from typing import Any

from markdown import Markdown


def page(md: Markdown) -> str | None:
    """Return the path of the page below ``docs``; None without a site generator."""
    if "relpath" in md.treeprocessors:  # MkDocs
        relpath: Any = md.treeprocessors["relpath"]
        return relpath.file.src_uri
    if "rendering_context" in md.preprocessors:  # Zensical
        context: Any = md.preprocessors["rendering_context"]
        return context.page.path
    return None


def docs(md: Markdown) -> Path:
    """Return the folder of the pages. Zensical runs in the folder above ``docs``."""
    if "relpath" in md.treeprocessors:
        relpath: Any = md.treeprocessors["relpath"]
        return Path(relpath.config.docs_dir)
    return Path.cwd() / "docs"


def link_to_file(md: Markdown, path: str) -> str | None:
    """Return a link from the page to a file that a plugin or a hook writes.

    The path of the file is below the site. Zensical runs no plugins and hooks. With it,
    the file doesn't exist, and the result is None.
    """
    if "relpath" not in md.treeprocessors:
        return None
    relpath: Any = md.treeprocessors["relpath"]
    return posixpath.relpath(path, posixpath.dirname(relpath.file.url) or ".")
