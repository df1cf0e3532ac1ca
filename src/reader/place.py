"""Where a Markdown extension is: the generators of the site tell it, each its way."""

import posixpath
from pathlib import Path
from typing import Any

from markdown import Markdown


def page(md: Markdown) -> str | None:
    """The page below ``docs`` that is rendered, as the site generator knows it."""
    if "relpath" in md.treeprocessors:  # MkDocs
        relpath: Any = md.treeprocessors["relpath"]
        return relpath.file.src_uri
    if "rendering_context" in md.preprocessors:  # Zensical
        context: Any = md.preprocessors["rendering_context"]
        return context.page.path
    return None


def docs(md: Markdown) -> Path:
    """Where the pages are: MkDocs knows; Zensical runs in the folder above."""
    if "relpath" in md.treeprocessors:
        relpath: Any = md.treeprocessors["relpath"]
        return Path(relpath.config.docs_dir)
    return Path.cwd() / "docs"


def link(md: Markdown, page: str, to: str) -> str:
    """From one page below ``docs`` to another, for HTML that no processor of
    Markdown reads any more: MkDocs leaves it alone, Zensical resolves its links."""
    if "relpath" not in md.treeprocessors:
        return posixpath.relpath(to, posixpath.dirname(page) or ".")
    here, there = (name.removesuffix(".md") for name in (page, to))
    return posixpath.relpath(there, here.removesuffix("index").rstrip("/") or ".") + "/"


def file(md: Markdown, page: str, to: str) -> str | None:
    """From a page below ``docs`` to a file of the site that a plugin or a hook writes.
    Zensical runs neither, and has no such file."""
    if "relpath" not in md.treeprocessors:
        return None
    relpath: Any = md.treeprocessors["relpath"]
    return posixpath.relpath(to, posixpath.dirname(relpath.file.url) or ".")
