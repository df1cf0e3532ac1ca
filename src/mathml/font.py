"""The font of the formulas: STIX Two Math, cut down to what a site shows."""

import re
from html import unescape
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path

from fontTools import subset

FONT = Path("assets/fonts/stix-two-math.woff2")
"""Where the font lies below a built site; the stylesheet names it."""

_MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
_UNSEEN = re.compile(r"<annotation\b.*?</annotation>|<[^>]*>", re.DOTALL)
# Characters that a browser draws although no page writes them: the sign of a
# root (an element of its own), primes, invisible operators, the minus.
_ALWAYS = [*map(chr, range(0x20, 0x7F)), *"√′−\u2061\u2062\u2063"]


def characters(site: Path) -> str:
    """The characters inside the formulas of all pages of a built site."""
    seen = set(_ALWAYS)
    for path in site.rglob("*.html"):
        for formula in _MATH.findall(path.read_text("utf-8")):
            seen.update(unescape(_UNSEEN.sub("", formula)))
    seen |= {_italic(c) for c in seen}
    return "".join(sorted(seen - set("\n\t")))


def _italic(letter: str) -> str:
    """What a single-letter ``<mi>`` is displayed as, per MathML Core."""
    if letter == "h":
        return "\u210e"
    for first, last, italic in (
        ("A", "Z", 0x1D434),
        ("a", "z", 0x1D44E),
        ("Α", "Ω", 0x1D6E2),
        ("α", "ω", 0x1D6FC),
    ):
        if first <= letter <= last:
            return chr(italic + ord(letter) - ord(first))
    others = dict(zip("∂ϵϑϰϕϱϖ", map(chr, range(0x1D715, 0x1D71C)))) | {
        "∇": "\U0001d6fb"
    }
    return others.get(letter, letter)


def write(site: Path, text: str) -> None:
    """Write the font with the glyphs of ``text`` into a built site.

    The math table and the larger variants of stretchy glyphs stay.
    """
    source = distribution("ziamath").locate_file(
        "ziamath/fonts/STIXTwoMath-Regular.ttf"
    )
    target = site / FONT
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(cut(Path(str(source)), text, ["*"]))


def cut(
    source: Path, text: str, features: list[str], names: list[int] | None = None
) -> bytes:
    """The subset of a font that has the glyphs of ``text``, as woff2.

    It keeps the layout ``features`` with these tags, and the entries of its name table
    with the numbers ``names``; by default those that fontTools keeps.
    """
    options = subset.Options(
        flavor="woff2",
        layout_features=features,
        hinting=False,
        desubroutinize=True,
        notdef_outline=True,
        drop_tables=[*subset.Options().drop_tables, "FFTM"],
    )
    if names is not None:
        options.name_IDs = names
    font = subset.load_font(str(source), options)
    cutter = subset.Subsetter(options)
    cutter.populate(text=text)
    cutter.subset(font)
    made = BytesIO()
    subset.save_font(font, made, options)
    return made.getvalue()
