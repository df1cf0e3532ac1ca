"""Lets AutoGraph find the source of a lambda without parsing its whole file each time.

To trace a lambda, AutoGraph parses the file that holds it and looks for the lambda on
its line. What it doesn't find, for example because it stands in a decorator, it looks
for again at each tracing. Here a file is parsed once, and AutoGraph gets the statements
on that line: what it finds, and fails to find, stays the same.
"""

import functools
import pickle
from typing import Any

from tensorflow.python.autograph.pyct import parser


def parse_once() -> None:
    """From now on, in this process."""
    parse, parse_lambda = parser.parse, parser._parse_lambda
    if getattr(parse, "once", False):
        return
    line: int | None = None  # of the lambda that is looked for

    @functools.lru_cache(maxsize=8)
    def statements(source: str) -> list[tuple[int, int, bytes]]:
        nodes = parse(source, single_node=False)
        # AutoGraph changes what it gets: each time it gets a copy.
        return [(each.lineno, each.end_lineno, pickle.dumps(each)) for each in nodes]

    def on_line(source: str, preamble_len: int = 0, single_node: bool = True) -> Any:
        if line is None:
            return parse(source, preamble_len, single_node)
        return [
            pickle.loads(copy)
            for first, last, copy in statements(source)
            if first <= line <= last
        ]

    def found(of: Any) -> Any:
        nonlocal line
        line = of.__code__.co_firstlineno
        try:
            return parse_lambda(of)
        finally:
            line = None

    on_line.once = True  # type: ignore[attr-defined]
    parser.parse, parser._parse_lambda = on_line, found
