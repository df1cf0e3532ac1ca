"""The font of the formulas: STIX Two Math, cut down to the characters of a site."""

import re
from html import unescape
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path

from fontTools import subset

FONT = Path("assets/fonts/stix-two-math.woff2")
"""The path of the font in a built site, which the stylesheet has, too."""

_MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
_HIDDEN = re.compile(r"<annotation\b.*?</annotation>|<[^>]*>", re.DOTALL)
# Browsers draw these although no page may contain them: the sign of a root, which is an
# element, primes, invisible operators, the minus.
_ALWAYS = [*map(chr, range(0x20, 0x7F)), *"√′−\u2061\u2062\u2063"]


def characters(site: Path) -> str:
    """Return the characters in the formulas of all pages of a built site."""
    result = set(_ALWAYS)
    for path in site.rglob("*.html"):
        for formula in _MATH.findall(path.read_text("utf-8")):
            result.update(unescape(_HIDDEN.sub("", formula)))
    result |= {_italic(character) for character in result}
    return "".join(sorted(result - set("\n\t")))


def _italic(letter: str) -> str:
    """Return the character that a single-letter ``<mi>`` shows, by MathML Core."""
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
    variants = dict(zip("∂ϵϑϰϕϱϖ", map(chr, range(0x1D715, 0x1D71C))))
    variants["∇"] = "\U0001d6fb"
    return variants.get(letter, letter)


def write(site: Path) -> None:
    """Write the font with the glyphs of all formulas into a built site.

    The table of mathematics and the larger variants of stretchy glyphs are kept.
    """
    source = distribution("ziamath").locate_file(
        "ziamath/fonts/STIXTwoMath-Regular.ttf"
    )
    target = site / FONT
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(cut(Path(str(source)), characters(site), ["*"]))


def cut(
    source: Path, text: str, features: list[str], names: list[int] | None = None
) -> bytes:
    """Return the subset of a font with the glyphs of a text, as woff2.

    Args:
        source: the font's file.
        text: the text.
        features: tags of the layout features that are kept.
        names: numbers of the entries of the name table that are kept; by default those
            that fontTools keeps.
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
    result = BytesIO()
    subset.save_font(font, result, options)
    return result.getvalue()
