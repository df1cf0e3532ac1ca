"""The adapter to MkDocs: the ledger is there, also where nothing was recorded."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files, InclusionLevel

from .. import results
from ..page import LEDGER
from . import page as ledger


class TruthPlugin(BasePlugin):
    """Makes the page of the results on record and the pages as they are now.

    So it claims nothing of a page that was edited since ``python -m truth``.
    """

    def on_files(self, files: Files, *, config: MkDocsConfig) -> None:
        root = Path(config.config_file_path).resolve().parent
        # A file, and not text alone: other plugins name its path in messages.
        path = root / results.FILE.with_name("ledger.md")
        results.write(path, ledger.text(root))
        uri = LEDGER.removeprefix("docs/")
        if written := files.get_file_from_path(uri):
            files.remove(written)
        # A book without it in its menu is a book, too.
        files.append(
            File.generated(
                config, uri, abs_src_path=str(path), inclusion=InclusionLevel.NOT_IN_NAV
            )
        )
