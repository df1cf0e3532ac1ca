"""The picture that stands for a page where it is shared: its title with its formula,
its figure, or its first sentence. Drawn without a network, and kept by content."""

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

from .page import Page

WIDTH, HEIGHT = 1200, 630
_EDGE = 80
_ROLES = ("upstream", "local", "downstream")
_FONT = Path(
    str(distribution("ziamath").locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf"))
)
_FAMILY = "STIX Two Math"
_SVG = re.compile(r"<svg\b.*</svg>", re.DOTALL)
_BOX = re.compile(r'viewBox="([^"]+)"')


class Cards:
    """Draws what is not in ``kept``; the colors are the stylesheet's, of its first
    scheme."""

    def __init__(self, kept: Path, name: str, line: str, css: str) -> None:
        self._kept, self._name, self._line = kept, name, line
        self._colors = dict(reversed(re.findall(r"--([\w-]+): (#\w+);", css)))
        font = TTFont(_FONT)
        self._glyphs, self._advances = font.getBestCmap(), font["hmtx"]
        self._em = font["head"].unitsPerEm
        self._made_from = sha256(Path(__file__).read_bytes())
        drawn_with = [version(each) for each in ("pillow", "resvg-py", "ziamath")]
        for each in (name, line, repr((sorted(self._colors.items()), drawn_with))):
            self._made_from.update(each.encode())

    def png(self, page: Page) -> bytes:
        """The card of a page."""
        about = self._made_from.copy()
        for part in (page.title, page.description, _source(page)):
            about.update(part.encode() + b"\0")
        path = self._kept / f"{about.hexdigest()[:32]}.png"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            half = path.with_suffix(".half")
            half.write_bytes(_small(self._svg(page)))
            half.rename(path)
        return path.read_bytes()

    def _svg(self, page: Page) -> str:
        title = self._lines(page.title, 68, 2)
        below = 150 + 78 * len(title)
        room = (WIDTH - 2 * _EDGE, HEIGHT - 90 - below)
        if page.formula is not None:
            shown = _fitted(self._formula(page.formula), below, *room, largest=1.8)
        elif page.figure:
            shown = _fitted(page.figure.read_text("utf-8"), below, *room, largest=9.0)
        else:
            shown = self._text(
                self._lines(page.description, 38, 4), 38, below + 60, 54, "ink-soft"
            )
        third = WIDTH / 3
        return "".join(
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}"'
                f' height="{HEIGHT}" font-family="{_FAMILY}">',
                self._box(0, 0, WIDTH, HEIGHT, "page"),
                *(
                    self._box(n * third, 0, third, 14, role)
                    for n, role in enumerate(_ROLES)
                ),
                self._text([self._name], 30, 92, 0, "ink-soft"),
                self._text(title, 68, 190, 78, "ink"),
                shown,
                self._text([self._line], 26, HEIGHT - 44, 0, "ink-soft"),
                "</svg>",
            )
        )

    def _box(self, x: float, y: float, width: float, height: float, color: str) -> str:
        return (
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}"'
            f' fill="{self._colors[color]}"/>'
        )

    def _text(
        self, lines: list[str], size: int, top: float, step: int, color: str
    ) -> str:
        return "".join(
            f'<text x="{_EDGE}" y="{top + n * step}" font-size="{size}"'
            f' fill="{self._colors[color]}">{escape(line)}</text>'
            for n, line in enumerate(lines)
        )

    def _lines(self, text: str, size: int, most: int) -> list[str]:
        """Broken at spaces; what does not fit is left out, and said to be."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self._width(longer, size) > WIDTH - 2 * _EDGE:
                lines.append(word)
            else:
                lines[-1] = longer
        if len(lines) > most:
            lines = [*lines[: most - 1], f"{lines[most - 1].rstrip(',;:. …')} …"]
        return lines

    def _width(self, text: str, size: int) -> float:
        units = sum(
            self._advances[self._glyphs.get(ord(sign), ".notdef")][0] for sign in text
        )
        return units * size / self._em

    def _formula(self, formula: html.HtmlElement) -> str:
        """With its factors in their colors."""
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


def _source(page: Page) -> str:
    if page.formula is not None:
        return html.tostring(page.formula, encoding="unicode", with_tail=False)
    return page.figure.read_text("utf-8") if page.figure else ""


def _fitted(svg: str, top: float, width: float, height: float, largest: float) -> str:
    """A picture in the middle of a room, as large as it fits."""
    svg = _SVG.findall(svg)[0]
    box = _BOX.findall(svg)[0]
    its_width, its_height = map(float, box.split()[2:])
    scale = min(width / its_width, height / its_height, largest)
    its_width, its_height = its_width * scale, its_height * scale
    x = _EDGE + (width - its_width) / 2
    y = top + (height - its_height) / 2
    inside = svg[svg.index(">") + 1 : svg.rindex("</svg>")]
    spaces = " ".join(dict.fromkeys(re.findall(r'xmlns(?::\w+)?="[^"]*"', svg)))
    return (
        f'<svg {spaces} x="{x:.2f}" y="{y:.2f}" width="{its_width:.2f}"'
        f' height="{its_height:.2f}" viewBox="{box}" overflow="visible">{inside}</svg>'
    )


def _small(svg: str) -> bytes:
    """Few colors are enough for type and lines."""
    png = resvg_py.svg_to_bytes(
        svg_string=svg, skip_system_fonts=True, font_files=[str(_FONT)]
    )
    picture = Image.open(BytesIO(bytes(png))).convert("RGB")
    small = BytesIO()
    few = picture.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(small, "PNG")
    return small.getvalue()


logging.getLogger("ziamath").setLevel(logging.ERROR)
