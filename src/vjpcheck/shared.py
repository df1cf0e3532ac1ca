"""Which global variables a function and the functions that it calls can see."""

import inspect
from collections.abc import Callable
from typing import Any

from .function import codes_of, visible_values

LIBRARIES = ("tensorflow", "keras", "numpy", "vjpcheck")


def globals_of(function: Callable) -> list[tuple[dict[str, Any], str]]:
    """The namespace and the name of each variable, except functions and modules."""
    variables: dict[tuple[int, str], tuple[dict[str, Any], str]] = {}
    done: set[int] = set()
    waiting = [function]
    for function_found in waiting:  # grows while it is read
        inner = getattr(
            inspect.unwrap(function_found), "__func__", inspect.unwrap(function_found)
        )
        if id(inner) in done or not hasattr(inner, "__globals__"):
            continue
        done.add(id(inner))
        space = inner.__globals__
        for name in sorted({n for code in codes_of(inner) for n in code.co_names}):
            if name in space and not _is_code(space[name]):
                variables[id(space), name] = space, name
        waiting += [value for value in visible_values(inner).values() if _is_own(value)]
    return [*variables.values()]


def _is_code(value: object) -> bool:
    return inspect.ismodule(value) or inspect.isroutine(value) or inspect.isclass(value)


def _is_own(value: object) -> bool:
    """A function that no library defines."""
    home = str(getattr(value, "__module__", None) or "").partition(".")[0]
    return callable(value) and bool(home) and home not in LIBRARIES
