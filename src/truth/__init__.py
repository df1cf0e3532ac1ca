"""What the pages claim beyond what programs print, and whether it holds.

For a reader's own tests there is ``check_rule``, and ``explain`` says what is wrong.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .rules.check_rule import check_rule
    from .rules.explain import explain

__all__ = ["check_rule", "explain"]


def __getattr__(name: str) -> object:
    # TensorFlow takes seconds to import, and most of truth does without.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "explain":
        from .rules.explain import explain

        return explain
    from .rules.check_rule import check_rule

    return check_rule
