"""The figures of programs have the typeface of the text around them.

The engine imports this before programs run. Without the engine, they have
Matplotlib's own.
"""

from importlib.metadata import distribution

import matplotlib
from matplotlib import font_manager

_NAME = "Source Sans Pro"
for style in ("Regular", "It", "Semibold", "Bold"):
    file = f"font_source_sans_pro/files/SourceSansPro-{style}.ttf"
    path = distribution("font-source-sans-pro").locate_file(file)
    font_manager.fontManager.addfont(str(path))
matplotlib.rcParams |= {
    "font.family": [_NAME, "DejaVu Sans"],  # the second has the characters it lacks
    "font.size": 12,  # its small letters are smaller than those of Matplotlib's own
    "mathtext.fontset": "custom",
    "mathtext.rm": _NAME,
    "mathtext.it": f"{_NAME}:italic",
    "mathtext.cal": _NAME,  # Matplotlib warns if there is no cursive font
}
