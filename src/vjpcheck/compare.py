"""A rule at one point, beside differences of the forward pass."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle

import numpy as np
import tensorflow as tf

from .declared import Declared, chosen
from .directions import Along, Directions, Undecided, Wrong
from .function import Function, Point, Refused, describe, evaluate, flat, unflat, wide
from .points import Domain, beside, normal
from .slopes import Pairing, dot, exactly, pair

SIZES = (1.0, 10.0, 0.1, 1e3)
"""Of upstream."""
AROUND = 24
"""Points that tell what is around a kink."""
UNSETTLED = 1 / 10
"""Of all slopes, at most, or one."""
ROUNDING = {tf.float16: 1e-3, tf.bfloat16: 8e-3}
"""Of a number, relative; 1e-7 in all wider dtypes."""


@dataclass
class Report:
    """How much ``check_rule`` compared."""

    repeated: int = 0
    """Used only by the site's build: how many calls in a program it could repeat."""
    points: int = 0
    """The number of points at which the gradient was compared."""
    shapes: int = 0
    """The number of shapes that were tried, in addition to those of the inputs."""
    precisions: set[str] = field(default_factory=set)
    """The names of the dtypes in which the gradient was compared."""
    graph: bool = False
    """True if the gradient was also compared inside ``tf.function``."""
    slices: bool = False
    """True if the gradient function also accepted ``tf.IndexedSlices`` as upstream."""
    second: int = 0
    """The number of points at which the second derivative was compared."""
    slopes: int = 0
    """The number of directional derivatives that the check tried to compare."""
    kinks: int = 0
    """How often a direction met a kink, where the check accepts a range of values."""
    unsettled: int = 0
    """How many directional derivatives stayed undecided, because their finite
    differences were too inaccurate."""
    settled: dict[str, bool] = field(default_factory=dict, repr=False)
    """Whether a slope by this input was ever found."""
    elsewhere: list[int] = field(default_factory=lambda: [0, 0], repr=False)
    """The same two, but where the checker chose the point, and the values go on."""
    differs: bool = field(default=False, repr=False)
    """Whether the rule ever differs from the forward pass's own gradient."""

    def demand_enough(self, declared: Declared) -> None:
        """Raises Wrong where too little was compared to say that a rule holds."""
        if unsettled := [name for name, found in self.settled.items() if not found]:
            raise Undecided(
                "no derivative with respect to"
                f" {', '.join(unsettled)} was found at any point"
            )
        slopes, unknown = self.elsewhere
        if unknown > max(1, UNSETTLED * slopes):
            raise Undecided(
                f"finite differences don't determine {unknown} of {slopes} derivatives:"
                " declare conditions that keep inputs away from where they fail"
            )
        if declared.intends_another and not self.differs:
            raise Undecided(
                "a different gradient is declared, but it equals that of the forward"
                " pass"
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
    sides: list[float]
    """Of the program's numbers, which upstream shall be beside."""

    def __post_init__(self) -> None:
        self._next_side = cycle(self.sides)

    def demand(self, start: Point, double: bool, thorough: bool = False) -> None:
        """Demand that the rule holds: raises Wrong if it does not."""
        if not double:
            start = self._rounded(start)
        point = self.domain.point(start)
        tensors = self.function.tensors(point, double)
        if self.reference is not self.function:
            with demanded(self.declared.surrogate):
                self.reference.outputs(tensors)
        directions = Directions(
            self.function,
            self.reference,
            self.declared,
            self.domain,
            self.rng,
            start,
            thorough,
        ).slopes()
        self.function.tensors(point, double)  # variables were moved
        for n, upstream in enumerate(self._upstreams(tensors, thorough)):
            downstream = self.downstream(tensors, upstream)
            unknown = self.report.unsettled
            self._pairs(directions, start, upstream, downstream, double)
            if n:  # a slope that is not told is so for all
                self.report.unsettled = unknown
            elif not thorough:
                # At an edge, there are no values on one of its sides.
                doubts = [along.reference.doubt for along in directions]
                edges = sum(bool(d.size and np.isinf(d).all()) for d in doubts)
                self.report.elsewhere[0] += len(directions) - edges
                self.report.elsewhere[1] += self.report.unsettled - unknown - edges
        self.report.slopes += len(directions)
        if thorough and not self.declared.dense:
            self._slices(directions, start, double)
        self._note_precision(double)

    def _note_precision(self, double: bool) -> None:
        self.report.precisions.add("/".join(sorted(self.function.dtypes(double))))

    def _is_around(
        self,
        actual: float,
        moved: np.ndarray,
        start: Point,
        double: bool,
        upstream: list,
    ) -> bool:
        """Return whether it lies between results of the rule close by. Where several
        kinks meet, as where three numbers to be sorted are equal, the two sides of a
        direction do not show them all."""
        around: list[float] = []
        if flat([start[i] for i in self.function.moving]).size < 3:
            return False
        for _ in range(AROUND):
            near = list(start)
            for i in self.function.moving:
                near[i] = start[i] + 1e-4 * normal(self.rng, np.asarray(start[i]))
            point = self.domain.point(near)
            if self.domain.holds(point, double):
                tensors = self.function.tensors(point, double)
                around.append(dot(self.downstream(tensors, upstream), moved))
        low, high = min(around, default=np.nan), max(around, default=np.nan)
        slack = (high - low) / 16 + 1e-3 * (abs(high) + abs(low))
        return bool(low - slack <= actual <= high + slack)

    def _upstreams(self, tensors: list, thorough: bool) -> Iterator[list[tf.Tensor]]:
        """Yield upstream gradients: of several sizes, zero, mostly zero, and beside the
        program's numbers."""
        with demanded():
            like = self.function.outputs(tensors)
        if not thorough:
            for size in (1.0, self.rng.choice(SIZES[1:])):
                yield [self.random(each, size) for each in like]
            return
        for size in SIZES:
            yield [self.random(each, size) for each in like]
        yield [tf.zeros_like(each) for each in like]
        yield [
            tf.where(
                self.rng.random(each.shape) < 2 / (2 + np.prod(each.shape)),
                self.random(each),
                tf.zeros_like(each),
            )
            for each in like
        ]
        numbers = sum(flat([each]).size for each in like)
        for _ in range(0, len(self.sides), max(numbers, 4)):
            way = beside(self._next_side)
            yield [tf.cast(way(self.rng, each.numpy()), each.dtype) for each in like]

    def _slices(self, directions: list[Along], start: Point, double: bool) -> None:
        """Upstream as what ``tf.gather`` passes on, some rows twice: of more rows than
        there are, and of as many, which a factor for each row fits by chance. A rule
        may raise at it, but not take it for other numbers."""
        tensors = self.function.tensors(self.domain.point(start), double)
        with demanded():
            like = self.function.outputs(tensors)
        lengths = {each.shape[0] if each.shape.rank else 0 for each in like}
        if len(lengths) > 1 or not (length := lengths.pop()):
            return
        taken = True
        for size, places in zip(SIZES, (length + 1, length)):
            rows = self.rng.integers(length, size=places)
            outputs, rule = self.function.recorded(tensors, rows)
            parts = [self.random(each, size) for each in outputs]
            try:
                gradients = rule(parts)
            except Exception:
                taken = False
                continue
            try:
                self._pairs(
                    directions,
                    start,
                    [_added_up(each, rows, length) for each in parts],
                    self.row(gradients, tensors),
                    double,
                )
            except Wrong as wrong:
                raise Wrong(
                    f"{wrong}; upstream was tf.IndexedSlices, as behind tf.gather:"
                    " convert it with tf.convert_to_tensor(upstream)"
                ) from wrong
        self.report.slices = taken

    def _pairs(
        self,
        directions: list[Along],
        start: Point,
        upstream: list,
        downstream: np.ndarray,
        double: bool,
    ) -> None:
        row = flat(upstream)
        tensors = self.function.tensors(self.domain.point(start), double)
        changed = flat([self._becomes("upstream", each, tensors) for each in upstream])
        changed_downstream = self._meant_at_last(directions, changed, tensors)
        rel, noise = self.tolerance(double)
        atol = chosen(self.declared.atol, self.function.dtypes(double)) or 0.0
        for n, along in enumerate(directions):
            # Rounding within the rule does not shrink as inputs grow: in float64
            # it is out of sight, in narrower dtypes it is not.
            ground = noise / along.reference.size if double else noise
            slope, weights = along.reference, changed
            if changed_downstream is not None:
                doubts = np.max([each.reference.doubt for each in directions], 0)
                doubt = dot(abs(changed), np.where(np.isfinite(doubts), doubts, 0))
                slope = exactly(changed_downstream[n], doubt, abs(changed).sum())
                weights = np.ones(1)
            pairing = pair(weights, slope, downstream, along.moved, rel, ground, atol)
            if pairing.verdict == "wrong" and not (
                pairing.at_kink
                and self._is_around(
                    pairing.actual, along.moved, start, double, upstream
                )
            ):
                raise Wrong(
                    f"{self.place(tensors)} with upstream = {as_text(upstream)}: the"
                    f" gradient with respect to {along.name} is {pairing.actual:.6g},"
                    f" but {pairing.expected} is right"
                )
            self._note(along, pairing)
            if self.declared.intends_another:
                plain = pair(row, along.forward, downstream, along.moved, rel, ground)
                self.report.differs |= plain.verdict == "wrong"

    def _note(self, along: Along, pairing: Pairing) -> None:
        """Count a comparison in the report."""
        self.report.kinks += pairing.at_kink
        self.report.unsettled += pairing.verdict == "unknown"
        if along.leaf:
            self.report.settled[along.leaf] = (
                pairing.verdict == "holds"
                and bool(along.moved.any() or along.leaf in self.declared.fixed)
            ) or self.report.settled.get(along.leaf, False)

    def narrow(self, start: Point) -> None:
        """Demand that the rule gives in the dtypes of the program what it gives in
        float64, but for rounding."""
        start = self._rounded(start)
        point = self.domain.point(start)
        if not self.domain.holds(point, double=False):
            return
        narrow, double = (self.function.tensors(point, each) for each in (False, True))
        upstream = self.upstream(narrow)
        actual = self.downstream(narrow, upstream)
        right = self.downstream(
            double, [tf.cast(each, wide(each.dtype)) for each in upstream]
        )
        if not np.allclose(
            actual, right, 0, 100 * self._rounding * abs(right).max(initial=0)
        ):
            self.demand(
                start, False
            )  # maybe rounding itself, or the kink of one of them
        self._note_precision(double=False)

    @property
    def _rounding(self) -> float:
        return max(
            ROUNDING.get(self.function.leaves[i].dtype, 1e-7)
            for i in self.function.moving
        )

    def tolerance(self, double: bool) -> tuple[float, float]:
        """Between rule and differences, of the gradient and of the values that
        are differentiated; in float64, or in the dtypes of the program."""
        rel = 1e-6 if double else max(1e-4, 30 * self._rounding)
        noise = (
            1e-9
            if double and self.reference.in_double
            else max(1e-5, 10 * self._rounding)
        )
        rtol = chosen(self.declared.rtol, self.function.dtypes(double))
        return max(rel if rtol is None else rtol, self.declared.within or 0), noise

    def _rounded(self, start: Point) -> Point:
        """The point in the dtypes of the program."""
        rounded = list(start)
        for i in self.function.moving:
            rounded[i] = (
                start[i]
                .astype(self.function.leaves[i].dtype.as_numpy_dtype)
                .astype(start[i].dtype)
            )
        return rounded

    def random(self, like: tf.Tensor, size: float = 1.0) -> tf.Tensor:
        array = like.numpy().astype(wide(like.dtype).as_numpy_dtype)
        return tf.cast(size * normal(self.rng, array), like.dtype)

    def upstream(self, tensors: list) -> list[tf.Tensor]:
        """A random one for each output."""
        with demanded():
            return [self.random(each) for each in self.function.outputs(tensors)]

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
        plain = np.array([upstream @ along.reference.settled for along in directions])
        sources = [tensors[i] for i in self.function.moving]
        return flat(
            [
                self._becomes("downstream", tf.cast(each, like.dtype), tensors)
                for each, like in zip(
                    unflat(plain, [like.numpy() for like in sources]), sources
                )
            ]
        )

    def downstream(self, tensors: list, upstream: list) -> np.ndarray:
        """Return the rule's result as one row. Raises Wrong for a wrong form."""
        try:
            gradients = self.function.gradients(tensors, upstream)
        except Refused as error:
            raise Wrong(f"the forward pass: {error}") from error
        except Exception as error:
            raise Wrong(
                f"{self.place(tensors)}: the gradient function raises {describe(error)}"
            ) from error
        return self.row(gradients, tensors)

    def row(self, gradients: list, tensors: list) -> np.ndarray:
        arrays = []
        for i, gradient in zip(self.function.moving, gradients):
            like, name = tensors[i], self.function.leaves[i].name
            if gradient is None:
                gradient = tf.zeros(like.shape, like.dtype)
            try:
                gradient = tf.convert_to_tensor(gradient)
            except ValueError as error:  # of IndexedSlices without their shape
                raise Wrong(
                    f"{self.place(tensors)}: the gradient with respect to {name} isn't"
                    f" a tensor: {describe(error)}"
                ) from error
            returned, wanted = (
                [f"shape {list(each.shape)}", f"dtype {each.dtype.name}"]
                for each in (gradient, like)
            )
            for actual, needs in zip(returned, wanted):
                if actual != needs:
                    raise Wrong(
                        f"{self.place(tensors)}: the gradient with respect to {name}"
                        f" has {actual}, but {name} has {needs}"
                    )
            arrays.append(gradient.numpy())
        return flat(arrays)

    def place(self, tensors: list) -> str:
        return "at " + ", ".join(
            f"{leaf.name} = {as_text([tensor])}"
            for leaf, tensor in zip(self.function.leaves, tensors)
            if leaf.dtype is not None
        )


@contextlib.contextmanager
def demanded(name: str = "the forward pass") -> Iterator[None]:
    """Raise Wrong where the inputs are refused."""
    try:
        yield
    except Refused as error:
        raise Wrong(f"{name}: {error}") from error


def _added_up(parts: tf.Tensor, rows: np.ndarray, length: int) -> tf.Tensor:
    sums = np.zeros((length, *parts.shape[1:]), parts.dtype.as_numpy_dtype)
    np.add.at(sums, rows, parts.numpy())
    return tf.constant(sums)


def as_text(arrays: list) -> str:
    def one(array: np.ndarray) -> str:
        if array.size > 12:
            return f"numbers of shape {list(array.shape)}"
        return " ".join(np.array2string(array, precision=4).split())

    return ", ".join(one(np.asarray(each)) for each in arrays)
