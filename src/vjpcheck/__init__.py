"""Checks the gradient of a TensorFlow function against the slopes of its values.

``check_rule`` asserts that a gradient is right. ``explain`` lists what is wrong with a
custom gradient, and where to read about it. Neither needs the site or its pages.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .check import check_rule
    from .linter import explain

__all__ = ["check_rule", "explain"]


def __getattr__(name: str) -> object:
    # TensorFlow takes seconds to import, and reading declarations does not need it.
    if name == "explain":
        from .linter import explain

        return explain
    if name == "check_rule":
        from .check import check_rule

        return check_rule
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
