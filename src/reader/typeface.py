"""Write the font of running text: Source Sans Pro, subset to the needs of English.

Its small letters are about as high as those of STIX Two Math. Its license reserves the
name, so the subsets have none. ``python -m reader.typeface SITE`` writes them into a
site that was built without hooks.
"""

import sys
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

from mathml import font

FOLDER = Path("assets/fonts")
"""Folder below a built site. The stylesheet names the files."""
STYLES = {"regular": "Regular", "semibold": "Semibold", "italic": "It"}
_TEXT = (
    "".join(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0x100)))) + "–—‘’“”…→←×−≤≥≠≈›"
)


def write(site: Path) -> None:
    """Write the fonts of running text into a built site."""
    (site / FOLDER).mkdir(parents=True, exist_ok=True)
    for style in STYLES:
        (site / FOLDER / f"text-{style}.woff2").write_bytes(cut(style))


@cache
def cut(style: str) -> bytes:
    """Return the subset of a style in the format woff2."""
    source = f"font_source_sans_pro/files/SourceSansPro-{STYLES[style]}.ttf"
    path = Path(str(distribution("font-source-sans-pro").locate_file(source)))
    return font.cut(path, _TEXT, ["kern", "liga", "mark"], names=[0, 13, 14])


if __name__ == "__main__":
    write(Path(sys.argv[1]))
