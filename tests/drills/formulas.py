"""Mistakes in displayed formulas that ``truth.formulas`` must see, in memory."""

import re
from collections.abc import Iterator

from truth.formulas.check import check_page
from truth.formulas.latex import marks, parse
from truth.formulas.tree import is_condition
from truth.page import Formula, Page, all_pages

from .book import Book, Tally
from .claims import altered

_AT_MOST = 6
"""Mistakes on each page, in a fast run."""
_CONDITION = "condition on its inputs"
_TRUE_ALL_THE_SAME = (
    ("kink", r"'-' → '+' in 1, \qquad \frac{f(h) - f(0)}{h} = 2", "f(0) is 0"),
    ("kink", r"'1' → '2' in ge f(0) + s \, t, \qquad 1 \le s \le 2", "says less"),
    (
        "several_outputs",
        r"'+' → '-' in cal{(y + \cos x)} + \upstream{\bar w} \cdot",
        "what it adds is 0",
    ),
    (
        "training",
        r"'1' → '2' in 8.04 \cdot 10^{-6}, \\ x_1 &=",
        "another name, used nowhere else",
    ),
    (
        "broadcasting",
        r"'1' → '2' in qquad c \in \R^{2 \times 1}",
        "of a wider c it is still the first column",
    ),
    *(
        ("stability", rf"'x' → 'y' in {around}", "y is the norm of x, and its own norm")
        for around in (
            r"= \local{\frac{x^{\T}}{\|x\|}} \, \d x",
            r"t \local{\frac{x^{\T}}{\|x\|}} \, \d x",
            r"\cdot \local{\frac{x}{\|x\|}}",
        )
    ),
    *(
        ("trace", what, "x and y are the same")
        for what in (
            r"'y' → 'x' in \d y_i = \local{1} \cdot \d x",
            r"'x' → 'y' in y_i = \local{1} \cdot \d x_i",
            r"'y' → 'x' in upstream{\bar y_i} \, \d y_i = \sum_i \ups",
            r"'x' → 'y' in i} \cdot \local{1} \, \d x_i",
        )
    ),
    *(
        ("identity", f"'x' → 'y' in {around}", "x and y are the same")
        for around in (
            r"\d y_i = \local{1} \, \d x_i",
            r"cal{1} \, \d x_i, \qquad x, z \in \R^n",
            r"{\bar y_i}) \bigr) \, \d x_i",
            r"upstream{\bar y_i} \, \d x_i, \qquad \tau > 0",
            r"upstream{\bar y_i} \, \d x_i, \qquad \lambda \in \R",
            r"m{\bar y_i} + z_i) \, \d x_i",
        )
    ),
    *(
        ("identity", rf"{change} in {around}", "a constant has no slope")
        for change, around in (
            ("'-' → '+'", r"} r^2 & |r| \le 1 \\ |r| - \frac{1}{2}"),
            ("'1' → '2'", r"|r| \le 1 \\ |r| - \frac{1}{2}"),
            ("'2' → '3'", r"\le 1 \\ |r| - \frac{1}{2}"),
        )
    ),
    *(
        ("points", change, "f(0) is 0")
        for change in (
            r"'-' → '+' in \frac{f(0) - f(-h)}{h} = -1",
            r"'-' → '+' in = -1, \qquad \frac{f(h) - f(0)}{h} = 1",
            r"'+' → '-' in f(t) \ge f(0) + g \, t",
        )
    ),
    ("trace", r"'-' → '+' in % premise u = h - c,", "c is any point"),
    *(
        ("vjp", what, "it holds for any y")
        for what in (
            r"in % premise y = (x_1 x_2, \; x_2 \sin x_3), ",
            r"in emise y = (x_1 x_2, \; x_2 \sin x_3), ",
            r"in ise y = (x_1 x_2, \; x_2 \sin x_3), ",
            r"in x_3), \qquad x \in \R^3, \qquad y \in \R^2",
        )
    ),
    (
        "structures",
        r"'x' → 'c' in }(c \odot c), \qquad x \in \R^3",
        "c has the shape of x",
    ),
    (
        "structures",
        r"'x' → 'c' in l{\frac{2 c_i}{3}} \, \d x_i",
        "the sum of all c_i is 0",
    ),
    *(
        ("complex", what, "the matrix has other rows, and the rule is as before")
        for what in (
            r"'-' → '+' in \in \C^4 \\ F_{jk} &= e^{-2 \pi \mathrm{i} (j - 1)",
            r"'-' → '+' in e^{-2 \pi \mathrm{i} (j - 1) (k - 1) / 4}",
            r"'-' → '+' in pi \mathrm{i} (j - 1) (k - 1) / 4}",
            r"'1' → '2' in ^{-2 \pi \mathrm{i} (j - 1) (k - 1) / 4}",
            r"'1' → '2' in \mathrm{i} (j - 1) (k - 1) / 4}",
        )
    ),
    ("complex", r"'z' → 'y' in } \cdot \local{\frac{z}{|z|}}", "y is |z|"),
    (
        "vectors",
        r"'i' → 'j' in \begin{cases} \local{2 x_i} & i = j",
        "it is 2 x_j where i = j",
    ),
    (
        "vectors",
        r"'i' → 'j' in \sum_i \upstream{\bar y_i} \, \local{J_{ij}} =",
        "J is diagonal",
    ),
)
"""Changes that leave a formula true, each looked at: page, change, reason."""
_PROTECTED = re.compile(
    r"(?<!\\)%[^\n]*|\\(?:begin|end)\{\w+\}|\\operatorname\{\w+\}|\\text\{[^}]*\}"
    r"|\\[A-Za-z]+|\\."
)
_GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_SUBSCRIPT = re.compile(r"_(?:\{[^}]*\}|\w)")


def run(book: Book, tally: Tally, site) -> None:
    for page in tally.some(all_pages(book.root), 20):
        if any(finding.state == "failed" for finding in check_page(page)):
            tally.count("no formula fails by itself", page.shown, False)
            continue
        for kind, what, text in tally.some(list(_mistakes(page)), _AT_MOST):
            found = check_page(altered(page, text))
            caught = any(finding.state == "failed" for finding in found)
            if not caught and _is_true(page, what, kind):
                tally.kind(kind).equal += 1
            else:
                tally.count(kind, f"{page.shown}: {what}", caught)


def _is_true(page: Page, what: str, kind: str) -> bool:
    """A condition under which the formula is still proven, or one of the list."""
    return kind.endswith(_CONDITION) or any(
        page.path.stem == stem and change in what
        for stem, change, _ in _TRUE_ALL_THE_SAME
    )


def _mistakes(page: Page) -> Iterator[tuple[str, str, str]]:
    """Kind, description, and the page's whole text with one mistake."""
    for formula in page.formulas:
        if not formula.display or any(
            mark.startswith("definition") for mark in marks(formula.text)
        ):
            continue
        conditions = _conditions(formula)
        for kind, (start, end), new in _of(formula):
            if any(first <= start < last for first, last in conditions):
                kind = _CONDITION
            old = formula.text[start:end]
            around = " ".join(formula.text[max(0, start - 25) : end + 25].split())
            begin = formula.start + start
            text = page.text[:begin] + new + page.text[begin + len(old) :]
            yield (
                f"a formula's {kind}",
                f"line {formula.line}: {old!r} → {new!r} in {around}",
                text,
            )


def _conditions(formula: Formula) -> list[tuple[int, int]]:
    """Where a formula says for which inputs it holds."""
    statements = parse(formula.text)
    ends = [each.position for each in statements[1:]] + [len(formula.text)]
    return [
        (each.position, end)
        for each, end in zip(statements, ends)
        if is_condition(each)
    ]


def _of(formula: Formula) -> Iterator[tuple[str, tuple[int, int], str]]:
    tex = formula.text
    # Commands and marks are blanked, so that their letters are no symbols.
    plain = _PROTECTED.sub(lambda m: "\0" * len(m[0]), tex)
    inside = [match.span() for match in _SUBSCRIPT.finditer(plain)]

    def is_index(at: int) -> bool:
        return any(start < at < end for start, end in inside)

    for match in re.finditer(r"[+-]", plain):
        if not is_index(match.start()):
            yield "sign", match.span(), "-" if match[0] == "+" else "+"
    for match in re.finditer(r"\d+(\.\d+)?", plain):
        last = (int(match[0][-1]) + 1) % 10
        kind = (
            "index"
            if is_index(match.start())
            else (
                "exponent"
                if plain[: match.start()].rstrip(" {-").endswith("^")
                else "coefficient"
            )
        )
        yield kind, match.span(), f"{match[0][:-1]}{last}"
    for match in re.finditer(r"(?<![A-Za-z\0])[ijk](?![A-Za-z])|(?<=_\{)[ijk]", plain):
        yield "index", match.span(), {"i": "j", "j": "i", "k": "i"}[match[0]]
    symbols = [
        match
        for match in re.finditer(r"[a-zA-DF-Z]", plain)
        if match[0] not in "ijkefgnL"
    ]
    for match in symbols:
        others = sorted({each[0] for each in symbols} - {match[0]})
        for other in others[:1]:
            yield "symbol", match.span(), other
    for match in re.finditer(
        rf"(\\cdot\s*|\\,\s*)?\\(upstream|local)(?!\{{1\}}){_GROUP}", tex
    ):
        yield "factor", match.span(), ""
    for old, new in (
        (r"\\sin\b", r"\cos"),
        (r"\\cos\b", r"\sin"),
        (r"\\exp\b", r"\sin"),
    ):
        for match in re.finditer(old, tex):
            yield "function", match.span(), new
    for match in re.finditer(r"\^\{?\\T\}?", tex):
        yield "transpose", match.span(), ""
    for match in re.finditer(r"\^\*|\^\{\\mathrm\{H\}\}", tex):
        yield "conjugate", match.span(), ""
    for match in re.finditer(r"\\mathrm\{i\}", tex):
        yield "imaginary unit", match.span(), "1"
    for old, new in (("Re", "Im"), ("Im", "Re")):
        for match in re.finditer(rf"\\operatorname\{{{old}\}}", tex):
            yield "part", match.span(), rf"\operatorname{{{new}}}"
    for match in re.finditer(r"\\sum_(?:\{[^}]*\}|\w)", tex):
        yield "sum", match.span(), ""
    for old, new in (("<", ">"), (">", "<")):
        for match in re.finditer(old, plain):
            yield "condition", match.span(), new
    for old, new in (
        (r"\\upstream\b", r"\downstream"),
        (r"\\downstream\b", r"\upstream"),
    ):
        for match in re.finditer(old + r"(?=\{\\bar)", tex):
            yield "role", match.span(), new
