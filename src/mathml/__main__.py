"""``python -m mathml SITE``: write the font of the formulas into a built site.

Run it after the build of a site generator without an adapter.
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
