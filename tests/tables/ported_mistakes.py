"""What each framework does with the same mistake in a custom gradient."""

from . import ROOT, markdown

_FOLDER = "snippets/guide/ported_mistakes/wrong"
_COLUMNS = {"": "TensorFlow", ".jax": "JAX", ".torch": "PyTorch"}


def table() -> str:
    """Return a row for each mistake, with the outcome of its first mode, and that of the
    second one if it is another: in a graph, with ``jit``, with ``compile``."""
    rows: dict[str, list[str]] = {}
    for suffix in _COLUMNS:
        outcomes: dict[str, list[str]] = {}
        text = (ROOT / _FOLDER / f"mistakes{suffix}.out").read_text("utf-8")
        for line in text.splitlines():
            name, mode, outcome = line.split(" | ")
            outcomes.setdefault(name, []).append(_shown(outcome, mode))
        for name, (first, second) in outcomes.items():
            is_same = first == second.partition(": ")[2]
            rows.setdefault(name, []).append(first if is_same else f"{first}; {second}")
    return markdown(["Mistake", *_COLUMNS.values()], [[k, *v] for k, v in rows.items()])


def _shown(outcome: str, mode: str) -> str:
    """Return an outcome in a word or two, behind the name of another mode than eager."""
    kind, _, detail = outcome.partition(": ")
    kind = kind.partition(" ")[0]  # an error without its type
    if kind == "silent":
        got = next((w for w in ("shape", "None", "float64") if w in detail), "number")
        kind = f"**silent** ({got})"
    return kind if mode == "eager" else f"{mode}: {kind}"
