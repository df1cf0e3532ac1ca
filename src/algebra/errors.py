"""Reasons why a formula is not accepted."""


class Refusal(Exception):
    """A formula that cannot be read, has no value, or does not hold.

    Args:
        reason: one line, for the writer of the formula.
        position: offset in the formula's LaTeX, 0 if it is not known.
    """

    def __init__(self, reason: str, position: int = 0) -> None:
        super().__init__(reason)
        self.position = position


class LatexError(Refusal):
    """LaTeX outside of the grammar."""


class EvaluationError(Refusal):
    """A formula in the grammar that has no value here."""


class Refuted(Refusal):
    """A false claim."""


class ShapeMismatch(Refuted):
    """A claim about arrays of different shapes."""


class WrongNumber(Refuted):
    """A false claim about numbers alone."""
