"""The adapter to MkDocs: when all that pages load is written, it gets its version."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority

from reader import assets

_serving = False


def on_startup(command: str, dirty: bool) -> None:
    global _serving
    _serving = command == "serve"


@event_priority(-150)  # after fonts and scripts, before the site is packed
def on_post_build(config: MkDocsConfig) -> None:
    if not _serving:  # where a browser asks for each file anew
        assets.write(Path(config.site_dir))
