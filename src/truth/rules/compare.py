"""A rule at one point, beside differences of the forward pass."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import tensorflow as tf

from .directions import Along, Directions, Undecided, Wrong
from .function import Function, Point, Refused, evaluate, flat, said, unflat, wide
from .points import Domain, normal
from .sites import Declared
from .slopes import exactly, pair

UPSTREAM_SIZES = (1.0, 10.0, 0.1)
UNSETTLED = 1 / 4
"""Of all slopes, at most."""
ROUNDING = {tf.float16: 1e-3, tf.bfloat16: 8e-3}
"""Of a number, relative; 1e-7 in all wider dtypes."""


@dataclass
class Report:
    """What was compared of one rule, over all its calls."""

    repeated: int = 0
    """Calls of the run that gave the same when made again."""
    points: int = 0
    shapes: int = 0
    """Others than those of the calls."""
    precisions: set[str] = field(default_factory=set)
    graph: bool = False
    """Whether inside ``tf.function``, too."""
    second: int = 0
    """Points at which the rule was itself differentiated."""
    slopes: int = 0
    kinks: int = 0
    """Slopes for which anything between both sides was allowed."""
    unsettled: int = 0
    """Slopes that differences did not tell."""
    settled: dict[str, bool] = field(default_factory=dict, repr=False)
    """Whether a slope by this input was ever found."""
    differs: bool = field(default=False, repr=False)
    """Whether the rule ever differs from the forward pass's own gradient."""

    def demand_enough(self, declared: Declared) -> None:
        """Raises Wrong where too little was compared to say that a rule holds."""
        if unsettled := [name for name, found in self.settled.items() if not found]:
            raise Undecided(
                f"no slope by {', '.join(unsettled)} was found at any point"
            )
        if self.unsettled > UNSETTLED * self.slopes:
            raise Undecided(
                f"differences do not tell {self.unsettled} of {self.slopes} slopes:"
                " declare conditions that keep inputs away from where they fail"
            )
        if declared.intends_another and not self.differs:
            raise Undecided(
                "another gradient is declared, but it is the forward pass's own"
            )


@dataclass
class Comparison:
    """One call of a rule, ready to be repeated at other points."""

    function: Function
    reference: Function
    """What the rule is meant to be the gradient of."""
    declared: Declared
    domain: Domain
    report: Report
    rng: np.random.Generator

    def at(self, drawn: Point, double: bool, sizes: tuple = UPSTREAM_SIZES) -> int:
        """Demand that the rule holds; at how many kinks it does.

        Raises Wrong if it does not.
        """
        if not double:
            drawn = self._rounded(drawn)
        point = self.domain.point(drawn)
        tensors = self.function.tensors(point, double)
        if self.reference is not self.function:
            with demanded(self.declared.surrogate):
                self.reference.outputs(tensors)
        directions = Directions(
            self.function, self.reference, self.declared, self.domain, self.rng, drawn
        ).all()
        self.function.tensors(point, double)  # variables were moved
        kinks = 0
        for size in sizes:
            # Each time anew: a rule may count on being asked once.
            outputs, rule = self.recorded(tensors)
            upstream = [self.random(each, size) for each in outputs]
            downstream = self.downstream(tensors, rule, upstream)
            kinks += self._pairs(directions, tensors, upstream, downstream, double)
        self.report.kinks += kinks
        dtypes = (self.function.leaves[i].dtype for i in self.function.moving)
        self.report.precisions.add(
            "/".join(sorted({(wide(each) if double else each).name for each in dtypes}))
        )
        return kinks

    def _pairs(
        self,
        directions: list[Along],
        tensors: list,
        upstream: list,
        downstream: np.ndarray,
        double: bool,
    ) -> int:
        kinks, row = 0, flat(upstream)
        changed = flat([self._becomes("upstream", each, tensors) for each in upstream])
        meant = self._meant_at_last(directions, changed, tensors)
        rel, noise = self.tolerance(double)
        for n, along in enumerate(directions):
            # Rounding within the rule does not shrink as inputs grow: in float64
            # it is out of sight, in narrower dtypes it is not.
            ground = noise / along.meant.size if double else noise
            known, by = along.meant, changed
            if meant is not None:
                known, by = exactly(meant[n]), np.ones(1)
            pairing = pair(by, known, downstream, along.moved, rel, ground)
            if pairing.verdict == "wrong":
                raise Wrong(
                    f"{self.place(tensors)} with upstream = {shown(upstream)}: the"
                    f" gradient by {along.name} is {pairing.got:.6g}, but"
                    f" {pairing.expected} is right"
                )
            kinks += pairing.verdict == "kink"
            self.report.slopes += 1
            self.report.unsettled += pairing.verdict == "unknown"
            if along.leaf:
                self.report.settled[along.leaf] = (
                    pairing.verdict == "holds"
                    or self.report.settled.get(along.leaf, False)
                )
            if self.declared.intends_another:
                own = pair(row, along.own, downstream, along.moved, rel, ground)
                self.report.differs |= own.verdict == "wrong"
        return kinks

    def tolerance(self, double: bool) -> tuple[float, float]:
        """Between rule and differences, of the gradient and of the values that
        are differentiated; in float64, or in the dtypes of the program."""
        rounding = max(
            ROUNDING.get(self.function.leaves[i].dtype, 1e-7)
            for i in self.function.moving
        )
        rel = 1e-6 if double else max(1e-3, 30 * rounding)
        noise = (
            1e-9 if double and self.reference.in_double else max(1e-5, 10 * rounding)
        )
        return max(rel, self.declared.within or 0), noise

    def _rounded(self, drawn: Point) -> Point:
        """The point in the dtypes of the program."""
        rounded = list(drawn)
        for i in self.function.moving:
            rounded[i] = (
                drawn[i]
                .astype(self.function.leaves[i].dtype.as_numpy_dtype)
                .astype(drawn[i].dtype)
            )
        return rounded

    def random(self, like: tf.Tensor, size: float = 1.0) -> tf.Tensor:
        array = like.numpy().astype(wide(like.dtype).as_numpy_dtype)
        return tf.cast(size * normal(self.rng, array), like.dtype)

    def _becomes(self, name: str, value: tf.Tensor, tensors: list) -> tf.Tensor:
        expression = self.declared.becomes.get(name)
        if not expression:
            return value
        return tf.convert_to_tensor(
            evaluate(expression, self.function.scope(tensors, **{name: value}))
        )

    def _meant_at_last(
        self, directions: list[Along], upstream: np.ndarray, tensors: list
    ) -> np.ndarray | None:
        """The gradients after the change that is declared of ``downstream``."""
        if "downstream" not in self.declared.becomes:
            return None
        plain = np.array([upstream @ along.meant.settled for along in directions])
        sources = [tensors[i] for i in self.function.moving]
        return flat(
            [
                self._becomes("downstream", tf.cast(each, like.dtype), tensors)
                for each, like in zip(
                    unflat(plain, [like.numpy() for like in sources]), sources
                )
            ]
        )

    def recorded(self, tensors: list) -> tuple[list[tf.Tensor], Callable]:
        with demanded():
            return self.function.recorded(tensors)

    def downstream(self, tensors: list, rule: Callable, upstream: list) -> np.ndarray:
        """What the rule returns, as one row. Raises Wrong for a wrong form."""
        try:
            gradients = rule(upstream)
        except Exception as error:
            raise Wrong(
                f"{self.place(tensors)}: the rule raises {said(error)}"
            ) from error
        return self.row(gradients, tensors)

    def row(self, gradients: list, tensors: list) -> np.ndarray:
        arrays = []
        for i, gradient in zip(self.function.moving, gradients):
            like, name = tensors[i], self.function.leaves[i].name
            if gradient is None:
                gradient = tf.zeros(like.shape, like.dtype)
            gradient = tf.convert_to_tensor(gradient)
            returned, wanted = (
                [f"shape {list(each.shape)}", each.dtype.name]
                for each in (gradient, like)
            )
            for has, needs in zip(returned, wanted):
                if has != needs:
                    raise Wrong(
                        f"{self.place(tensors)}: the gradient by {name} is of"
                        f" {has}, but {name} of {needs}"
                    )
            arrays.append(gradient.numpy())
        return flat(arrays)

    def place(self, tensors: list) -> str:
        return "at " + ", ".join(
            f"{leaf.name} = {shown([tensor])}"
            for leaf, tensor in zip(self.function.leaves, tensors)
            if leaf.dtype is not None
        )


@contextlib.contextmanager
def demanded(name: str = "the forward pass") -> Iterator[None]:
    """Inputs must be accepted here."""
    try:
        yield
    except Refused as error:
        raise Wrong(f"{name}: {error}") from error


def shown(arrays: list) -> str:
    def one(array: np.ndarray) -> str:
        if array.size > 12:
            return f"numbers of shape {list(array.shape)}"
        return " ".join(np.array2string(array, precision=4).split())

    return ", ".join(one(np.asarray(each)) for each in arrays)
