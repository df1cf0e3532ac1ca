"""``python -m mathml SITE``: write the font of the formulas into a built site."""

import sys
from pathlib import Path

from . import font

if __name__ == "__main__":
    font.write(Path(sys.argv[1]))
