"""Draw the card of a page: the image that previews show for it.

A card has the title of the page and its formula or its description. It is drawn without
a network.
"""

import logging
import re
from hashlib import sha256
from html import escape
from importlib.metadata import distribution, version
from io import BytesIO
from pathlib import Path

import resvg_py
import ziamath
from fontTools.ttLib import TTFont
from lxml import etree, html
from PIL import Image

from .built_page import BuiltPage

WIDTH, HEIGHT = 1200, 630
_MARGIN = 80
_LARGEST = 1.8
"""The factor by which a formula is enlarged at most."""
_ROLES = ("upstream", "local", "downstream")
_FONT = Path(
    str(distribution("ziamath").locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf"))
)
_FAMILY = "STIX Two Math"
_SVG = re.compile(r"<svg\b.*</svg>", re.DOTALL)
_BOX = re.compile(r'viewBox="([^"]+)"')


class Cards:
    """The cards of a site, drawn only if the cache doesn't have them.

    Args:
        cache: Folder for cards, by a digest of their content.
        name: Name of the site, above the title.
        line: Last line of each card.
        css: Style sheet of the site, whose first scheme has the colors.
    """

    def __init__(self, cache: Path, name: str, line: str, css: str) -> None:
        self._cache, self._name, self._line = cache, name, line
        self._colors = dict(reversed(re.findall(r"--([\w-]+): (#\w+);", css)))
        font = TTFont(_FONT)
        self._glyphs, self._advances = font.getBestCmap(), font["hmtx"]
        self._units_per_em = font["head"].unitsPerEm
        libraries = [version(each) for each in ("pillow", "resvg-py", "ziamath")]
        code = sha256(Path(__file__).read_bytes()).hexdigest()
        self._key = code, libraries, name, line, sorted(self._colors.items())

    def png(self, page: BuiltPage) -> bytes:
        """Return the card of a page."""
        has_formula = page.formula is not None
        formula = html.tostring(page.formula, with_tail=False) if has_formula else b""
        key = repr((self._key, page.title, page.description, formula))
        path = self._cache / f"{sha256(key.encode()).hexdigest()[:32]}.png"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_suffix(".half")
            temporary.write_bytes(_to_png(self._svg(page)))
            temporary.rename(path)
        return path.read_bytes()

    def _svg(self, page: BuiltPage) -> str:
        title = self._wrapped(page.title, 68, 2)
        top = 150 + 78 * len(title)
        if page.formula is not None:
            content = _fitted(self._formula(page.formula), top)
        else:
            lines = self._wrapped(page.description, 38, 4)
            content = self._text(lines, 38, top + 60, 54, "ink-soft")
        third = WIDTH / 3
        bars = (
            self._rectangle(n * third, third, 14, role) for n, role in enumerate(_ROLES)
        )
        return "".join(
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}"'
                f' height="{HEIGHT}" font-family="{_FAMILY}">',
                self._rectangle(0, WIDTH, HEIGHT, "page"),
                *bars,
                self._text([self._name], 30, 92, 0, "ink-soft"),
                self._text(title, 68, 190, 78, "ink"),
                content,
                self._text([self._line], 26, HEIGHT - 44, 0, "ink-soft"),
                "</svg>",
            )
        )

    def _rectangle(self, x: float, width: float, height: float, color: str) -> str:
        return (
            f'<rect x="{x}" y="0" width="{width}" height="{height}"'
            f' fill="{self._colors[color]}"/>'
        )

    def _text(
        self, lines: list[str], size: int, top: float, step: int, color: str
    ) -> str:
        return "".join(
            f'<text x="{_MARGIN}" y="{top + n * step}" font-size="{size}"'
            f' fill="{self._colors[color]}">{escape(line)}</text>'
            for n, line in enumerate(lines)
        )

    def _wrapped(self, text: str, size: int, most: int) -> list[str]:
        """Break a text into at most so many lines, with an ellipsis if it is longer."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self._width(longer, size) > WIDTH - 2 * _MARGIN:
                lines.append(word)
            else:
                lines[-1] = longer
        if len(lines) > most:
            lines = [*lines[: most - 1], f"{lines[most - 1].rstrip(',;:. …')} …"]
        return lines

    def _width(self, text: str, size: int) -> float:
        """Return the width of a line in pixels."""
        units = sum(
            self._advances[self._glyphs.get(ord(sign), ".notdef")][0] for sign in text
        )
        return units * size / self._units_per_em

    def _formula(self, formula: html.HtmlElement) -> str:
        """Return a formula as SVG, with its factors in their colors."""
        parsed = html.fragment_fromstring(html.tostring(formula, with_tail=False))
        for annotation in parsed.xpath("//annotation"):
            annotation.getparent().remove(annotation)
        for element in parsed.xpath("//*[@class]"):
            if (role := element.attrib.pop("class")) in _ROLES:
                element.set("mathcolor", self._colors[role])
        for cell in parsed.iter("mtd"):
            if side := re.search(r"text-align:\s*(\w+)", cell.get("style", "")):
                cell.set("columnalign", side[1])
        etree.strip_tags(parsed, "semantics")
        parsed.set("mathcolor", self._colors["ink"])
        text = etree.tostring(parsed, encoding="unicode")
        return ziamath.Math(text, size=48).svg()


def _fitted(svg: str, top: float) -> str:
    """Center a formula in the area below the title, as large as it fits."""
    svg = _SVG.findall(svg)[0]
    box = _BOX.findall(svg)[0]
    box_width, box_height = map(float, box.split()[2:])
    width, height = WIDTH - 2 * _MARGIN, HEIGHT - 90 - top
    scale = min(width / box_width, height / box_height, _LARGEST)
    box_width, box_height = box_width * scale, box_height * scale
    x = _MARGIN + (width - box_width) / 2
    y = top + (height - box_height) / 2
    content = svg[svg.index(">") + 1 : svg.rindex("</svg>")]
    namespaces = " ".join(dict.fromkeys(re.findall(r'xmlns(?::\w+)?="[^"]*"', svg)))
    return (
        f'<svg {namespaces} x="{x:.2f}" y="{y:.2f}" width="{box_width:.2f}"'
        f' height="{box_height:.2f}" viewBox="{box}" overflow="visible">{content}</svg>'
    )


def _to_png(svg: str) -> bytes:
    """Return an image with 64 colors, which are enough for text and lines."""
    png = resvg_py.svg_to_bytes(
        svg_string=svg, skip_system_fonts=True, font_files=[str(_FONT)]
    )
    image = Image.open(BytesIO(bytes(png))).convert("RGB")
    buffer = BytesIO()
    image.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        buffer, "PNG"
    )
    return buffer.getvalue()


logging.getLogger("ziamath").setLevel(logging.ERROR)
