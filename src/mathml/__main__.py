"""``python -m mathml SITE``: give a built site the font of its formulas.

For site generators without an adapter; run it after the build.
"""

import argparse
from pathlib import Path

from . import font


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mathml")
    parser.add_argument("site", type=Path, help="folder of the built site")
    site = parser.parse_args().site
    if not site.is_dir():
        parser.error(f"{site} is not a folder")
    font.write(site, font.characters(site))


if __name__ == "__main__":
    main()
