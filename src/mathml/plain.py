"""MathML as plain text, for where no formula can be drawn: ``∂L/∂x₀ = 2x²``."""

from collections.abc import Iterable
from typing import Any
from unicodedata import normalize

_NORMAL = "0123456789+−=()aehijklmnoprstuvxβγρφχ"
_LOW = str.maketrans(_NORMAL, "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ")
_RAISED = "0123456789+−=()in*⊤T𝖳H"
_HIGH = str.maketrans(_RAISED, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿ*ᵀᵀᵀᴴ")
_ACCENTS = {"¯": "\u0304", "‾": "\u0304", "~": "\u0303", "^": "\u0302", "˙": "\u0307"}
_UNSEEN = dict.fromkeys(map(ord, "\u2060\u2061\u2062\u2063\u2064"))
_RELATIONS = {*"=≈≠<>≤≥→↦∈≔"} | {":="}


def plain(element: Any) -> str:
    """The text of a formula, or of a part of one; an element of any parser."""
    parts = list(element)
    match element.tag.rpartition("}")[2]:
        case "annotation":
            return ""
        case "mspace":
            return " " if element.get("width") else ""
        case "mfrac":
            above, below = map(plain, parts)
            return f"{_grouped(above)}/{_grouped(below)}"
        case "msqrt":
            return f"√{_grouped(_joined(parts))}"
        case "msub" | "munder":
            base, low = map(plain, parts)
            return base + _low(low)
        case "msup":
            base, high = map(plain, parts)
            return base + _high(high)
        case "mover":
            base, high = map(plain, parts)
            return base + (_ACCENTS.get(high) or _high(high))
        case "msubsup" | "munderover":
            base, low, high = map(plain, parts)
            return base + _low(low) + _high(high)
        case "mtr":
            return "".join(map(plain, parts)) + " "
        case "mo" if (sign := (element.text or "").strip()) in _RELATIONS:
            return f" {sign} "
        case "mo" if element.text == ",":
            return ", "
        case "math":
            return normalize("NFC", " ".join(_joined(parts).split()))
        case _:
            return (element.text or "").translate(_UNSEEN) + _joined(parts)


def _joined(parts: Iterable[Any]) -> str:
    return "".join(map(plain, parts))


def _grouped(text: str) -> str:
    text = text.strip()
    return text if len(text) < 4 and text.isalnum() else f"({text})"


def _low(text: str) -> str:
    return text.translate(_LOW) if {*text} <= {*_NORMAL} else f"_{_grouped(text)}"


def _high(text: str) -> str:
    return text.translate(_HIGH) if {*text} <= {*_RAISED} else f"^{_grouped(text)}"
