"""Formulas as one line of text, for places that show no MathML."""

import re
from unicodedata import normalize

from lxml.etree import _Element as Element

_ACCENTS = {"¯": "\u0304", "~": "\u0303", "˜": "\u0303", "^": "\u0302", "ˆ": "\u0302"}
_UNIT = re.compile(r"d?\w[̄̃̂]?(_\w)?|\d+(\.\d+)?|[^\W\d]{3,}|[′″∗]+|\(.*\)")
"""Parts that need no parentheses beside others."""


def line(math: Element) -> str:
    """Return a formula as text: ``<mfrac>`` as ``a/b``, ``<msub>`` as ``a_b``."""
    text = " ".join(_text(math).replace("\u2061", " ").split())
    return normalize("NFC", re.sub(r"(?<=[(\[|]) | (?=[)\],|])", "", text))


def _text(element: Element) -> str:
    parts = [_text(child) for child in element if child.tag != "annotation"]
    after = ""
    if parts and element.tag.startswith(("msu", "munder")) and element[0].tag == "mo":
        parts[0], after = parts[0].strip(), " "
    match element.tag, parts:
        case "mfrac", [above, below]:
            return f" {_grouped(above)}/{_grouped(below)} "
        case "msub" | "munder", [base, low]:
            return f"{base}_{_grouped(low)}{after}"
        case "msup", [base, high] if set(high.strip()) <= {"′", "″"}:
            return f"{base}{high.strip()}"
        case "msup", [base, high]:
            return f"{base}^{_grouped(high)}"
        case "mover", [base, high] if high.strip() in _ACCENTS:
            return f"{base.strip()}{_ACCENTS[high.strip()]}"
        case "msubsup" | "munderover", [base, low, high]:
            return f"{base}_{_grouped(low)}^{_grouped(high)}{after}"
        case "msqrt", _:
            return f" √({''.join(parts).strip()}) "
        case "mtr" | "mtable" | "mtd", _:
            return " ".join(parts) + " "
        case "mspace", _:
            return " " if element.get("width") else ""
        case "mo", _:
            sign = (element.text or "").strip()
            return f" {sign} " if re.fullmatch(r"[^\w()\[\]{}|.′!]", sign) else sign
        case "mi", _ if len(element.text or "") > 1:
            return f" {element.text} "
        case _:
            return (element.text or "") + "".join(parts)


def _grouped(part: str) -> str:
    part = part.strip()
    return part if _UNIT.fullmatch(part) else f"({part})"
