"""Where a custom gradient is tried: points, shapes, graphs, and orders of calls."""

import contextlib
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import tensorflow as tf

from . import points
from .arrays import as_text, flat, moved_to
from .core import AT_MOST, Arrays, Comparison, GradientError, Undecided, reworded
from .function import added_up, as_arrays, describe, wide, widened
from .point_check import PointCheck
from .rule import Rule

FEWEST = 5
"""Points that ``where`` must leave, of those that are drawn."""
OUTSIDE = 0.25
"""Of the difference of two sides of a kink, where a point may be very close to it."""
SIZES = (1.0, 10.0, 0.1, 1e3)
"""Of upstream gradients."""
ACCEPTED = (
    "; the forward pass accepts this shape: mend the gradient function, or exclude the"
    " shape with where=… or shapes=False"
)
SLICES = (
    "; upstream was tf.IndexedSlices, as behind tf.gather: convert it with"
    " tf.convert_to_tensor(upstream)"
)
INSIDE = "inside tf.function"
TURNS = (((0, 1), (0, 1)), ((0, 1), (1, 0)), ((1, 0), (1, 0)))
"""Orders of two forward and two backward passes."""


@contextlib.contextmanager
def _raising(subject: str) -> Iterator[None]:
    """Raise GradientError where a gradient function raises another error."""
    try:
        yield
    except GradientError:
        raise
    except Exception as error:
        raise GradientError(f"{subject} raises {describe(error)}") from error


class Situations:
    """All that a custom gradient is put to.

    Raises GradientError, in whichever method, when the gradient is wrong.
    """

    def __init__(self, rule: Rule) -> None:
        self._rule, self._function, self._options = rule, rule.function, rule.options
        self._here, self._double, self._result = rule.here, rule.double, rule.result
        self._has_shapes = (
            rule.options.shapes is not False and not rule.function.has_composites
        )

    def run(self) -> None:
        """Check all that is asked."""
        is_first, function = self._rule.is_first, self._function
        self._check_points()
        if is_first and self._options.graph and not function.keywords:
            self._check_graph()
        if self._options.order > 1:
            self._check_second()
        if self._has_shapes:
            self._check_shapes()
        if is_first:
            self._check_fixed()
            if not function.noisy:
                self._check_turns()
                self._check_outputs()

    # Points.

    def _ways(self) -> Iterator[tuple[tuple, bool, float]]:
        """Yield ways to draw inputs, whether differences should settle there, and how
        far outside of a kink's two sides they may be: near the call, elsewhere, where
        gradient functions break, and beside the constants, where kinks are too close
        to be told."""
        rule = self._rule
        near = [(way,) for way in points.NEAR] * (2 if rule.is_first else 1)
        yield from ((ways, True, 0.0) for ways in near)
        if rule.is_first and rule.is_far:
            numbers = sum(np.size(self._here[i]) for i in self._function.moving)
            yield from (((way, *points.FAR), True, 0.0) for way in points.FAR)
            yield from ((ways, False, OUTSIDE) for ways in self._extreme())
            beside = (partial(points.beside, rule.next_side),)
            turns = -(-len(rule.sides) // max(numbers, 2))
            yield from [(beside, False, np.inf)] * turns

    def _extreme(self) -> tuple:
        """Return ways to draw where gradient functions break. Of an argument that may
        not be negative, zero is the end of the domain."""
        for i in self._function.moving:
            mirrored = moved_to(self._here, [i], [-self._here[i]])
            is_positive = bool((flat([self._here[i]]) > 0).all())
            if is_positive and not self._rule.domain.holds(mirrored, self._double):
                return points.EXTREME
        return points.EXTREME + points.ZEROS

    def _check_points(self) -> None:
        """Check the point of the program's call, points near it, and elsewhere."""
        rule, domain, ways = self._rule, self._rule.domain, [*self._ways()]
        places: list[tuple[Arrays, bool, float]] = []
        for draws, counts, slack in ways:
            if point := domain.draw(draws, self._here, self._double):
                places.append((point, counts, slack))
        reached = sum(counts for _, counts, _ in places)
        wanted = sum(counts for _, counts, _ in ways)
        if reached < min(FEWEST, wanted // 2):
            raise Undecided(
                "at too few points, the forward pass is finite and where=… is true:"
                " pass a function that makes valid arguments out of any"
            )
        if domain.holds(self._here, self._double):
            places.insert(0, (self._here, True, 0.0))
        for n, (point, counts, slack) in enumerate(places):
            self._demand(point, self._double, rule.is_first and not n, counts, slack)
            self._result.points += 1
        dtypes = map(self._function.dtypes, (True, False))
        if self._double and len({*map(tuple, dtypes)}) > 1:
            for place in places:
                self._check_narrow(*place)

    def _demand(
        self,
        point: Arrays,
        double: bool,
        thorough: bool = False,
        counts: bool = True,
        slack: float = 0.0,
    ) -> None:
        """Demand that the gradient is right at a point, for several upstreams. Of one
        that ``counts``, the result notes how many derivatives differences determine."""
        result, each_number = self._result, AT_MOST if thorough else 0
        check = PointCheck(self._rule, point, double, each_number, slack)
        before = result.unsettled
        for n, upstream in enumerate(self._upstreams(check.outputs, thorough)):
            unsettled = result.unsettled
            check.demand(upstream)
            if n:  # a slope that is not told is so for all
                result.unsettled = unsettled
        if check.comparison and counts and not thorough:
            outside = check.comparison.outside
            result._elsewhere[0] += len(check.comparison.along) - outside
            result._elsewhere[1] += result.unsettled - before - outside
        if thorough and self._options.slices:
            self._check_slices(check)
        self._note_dtypes(double)

    def _note_dtypes(self, double: bool) -> None:
        names = {each.name for each in self._function.dtypes(double)}
        self._result.dtypes.add("/".join(sorted(names)))

    def _upstreams(self, like: list, thorough: bool) -> Iterator[list[tf.Tensor]]:
        """Yield upstream gradients: of several sizes, zero, mostly zero, and beside the
        program's numbers."""
        rule, rng = self._rule, self._rule.rng
        for size in SIZES if thorough else (1.0, rng.choice(SIZES[1:])):
            yield [rule.random(each, size) for each in like]
        if not thorough:
            return
        yield [tf.zeros_like(each) for each in like]
        yield [
            tf.where(
                rng.random(each.shape) < 2 / (2 + np.prod(each.shape)),
                rule.random(each),
                tf.zeros_like(each),
            )
            for each in like
        ]
        numbers = sum(flat([each]).size for each in like)
        beside = partial(points.beside, rule.next_side, rng)
        for _ in range(0, len(rule.sides), max(numbers, 4)):
            yield [tf.cast(beside(each.numpy()), each.dtype) for each in like]

    def _check_slices(self, check: PointCheck) -> None:
        """Upstream as what ``tf.gather`` passes on, some rows twice: of more rows than
        there are, and of as many, which a factor for each row fits by chance. A
        gradient function may raise at it, but not take it for other numbers."""
        rule, function, rng = self._rule, self._function, self._rule.rng
        lengths = {each.shape[0] if each.shape.rank else 0 for each in check.outputs}
        if len(lengths) > 1 or not (length := lengths.pop()):
            return
        taken = True
        for size, count in zip(SIZES, (length + 1, length)):
            rows = rng.integers(length, size=count)
            rows[-1] = rows[0]
            if self._options.vjp:  # maybe not linear, so that each row must come once
                rows = rng.permutation(length)
            tensors = function.tensors(check.point, check.double)
            outputs, pullback = function.recorded(tensors, rows)
            parts = [rule.random(each, size) for each in outputs]
            try:
                gradients = pullback(parts)
            except Exception:
                taken = False
                continue
            with reworded(lambda message: f"{message}{SLICES}"):
                sums = [added_up(each, rows, length) for each in parts]
                arrays = rule.as_arrays(gradients, check.point, check.double)
                check.demand(sums, arrays)
        self._result.slices = taken

    def _check_narrow(self, point: Arrays, counts: bool, slack: float) -> None:
        """Demand that the gradient in the dtypes of the program is that in float64, but
        for rounding."""
        rule = self._rule
        point = rule.rounded(point)
        if not rule.domain.holds(point, double=False):
            return
        upstream = rule.random_upstream(point, double=False)
        actual = flat(rule.gradients(point, upstream, double=False))
        wider = [tf.cast(each, wide(each.dtype)) for each in upstream]
        right = flat(rule.gradients(point, wider, double=True))
        near = 100 * rule.rounding * abs(right).max(initial=0)
        if not counts:  # far away, rounding may change all digits
            if (lost := np.isfinite(right) & ~np.isfinite(actual)).any():
                raise GradientError(
                    f"{rule.at(point)} with upstream = {as_text(upstream)}: an element"
                    f" of the gradient is {actual[lost][0]:.6g}, but"
                    f" {right[lost][0]:.6g} in float64"
                )
        elif not np.allclose(actual, right, 0, near):
            # Maybe rounding itself, or the kink of one of them.
            self._demand(point, double=False, counts=counts, slack=slack)
        self._note_dtypes(double=False)

    # Shapes.

    def _check_shapes(self) -> None:
        """Other shapes, if the forward pass accepts them."""
        for point in self._other_shapes():
            with reworded(lambda message: f"{message}{ACCEPTED}"):
                self._demand(point, self._double, slack=np.inf)
            self._result.shapes += 1

    def _other_shapes(self) -> Iterator[Arrays]:
        """Yield points of other shapes that the forward pass accepts."""
        function, shapes = self._function, self._options.shapes
        ways = points.ways_elsewhere(self._rule.sides)
        for like in points.batches(function, self._here):
            if not (point := self._of_shape(like, next(ways))):
                break  # the first axis is that of no batch
            yield point
        families = [points.other_sizes(function, self._here)] if shapes else []
        if shapes == "broadcast":
            families.append(points.broadcast(function, self._here))
        for like in (each for family in families for each in family):
            if point := self._of_shape(like, next(ways)):
                yield point

    def _of_shape(self, like: Arrays, ways: tuple) -> Arrays | None:
        """Return a random point, or None where the forward pass refuses the shape, or
        returns no numbers, as differences of neighbors of a single number."""
        domain = self._rule.domain
        if (point := domain.draw(ways, like, self._double)) is None:
            return None
        values = flat(domain.values(point, self._double) or [])
        numbers = flat([point[i] for i in self._function.moving])
        return point if values.size or not numbers.size else None

    # Graphs, and orders of calls.

    def _check_graph(self) -> None:
        """The same numbers inside ``tf.function``: also with an unknown length of the
        batch, with an unknown rank, and compiled by XLA."""
        function, options, here = self._function, self._options, self._here
        upstream = self._rule.random_upstream(here, double=False)
        eager = self._rule.gradients(here, upstream, double=False, eagerly=True)
        modes: dict[str, dict[str, Any]] = {INSIDE: {}}
        if options.unknown and self._has_shapes and function.batch is not None:
            modes[f"{INSIDE}, with an unknown batch size,"] = {"unknown": "batch"}
        if options.unknown and self._has_shapes and options.shapes == "broadcast":
            modes[f"{INSIDE}, with an unknown rank,"] = {"unknown": "rank"}
        if options.xla:
            modes["compiled by XLA,"] = {"jit_compile": True}
        run, tensors = function.both_passes, function.tensors(here, double=False)
        for text, mode in modes.items():
            try:
                gradients = function.in_graph(run, tensors, upstream, **mode)
            except Exception as error:
                if "unknown" in mode and self._refuses(tensors, mode):
                    continue
                raise GradientError(f"{text} it raises {describe(error)}") from error
            if not function.noisy:
                actual = self._rule.as_arrays(gradients, here, double=False)
                self._demand_equal(actual, eager, here, text, "eagerly")
        self._result.graph = True

    def _refuses(self, tensors: list, mode: dict[str, Any]) -> bool:
        """Return whether the forward pass alone raises in this mode, too."""
        run = partial(self._function.run, self._function.call)
        try:
            self._function.compiled(run, tensors, **mode)(tensors)
        except Exception:
            return True
        return False

    def _check_turns(self) -> None:
        """Compare calls whose two passes have another call between them: a gradient
        function that keeps a value outside would use that of the other call."""
        rule, function, double = self._rule, self._function, self._double
        text = "with another call between its passes"
        neighbors = [rule.draw_near()]
        if self._has_shapes:
            neighbors += islice(self._other_shapes(), 1)
        fixed = len(function.inputs)  # variables have one value for both
        for neighbor in filter(None, neighbors):
            calls = []
            for arguments in (self._here, neighbor):
                point = [*arguments[:fixed], *self._here[fixed:]]
                calls.append((point, rule.random_upstream(point, double)))
            alone = [rule.gradients(*call, double) for call in calls]
            for forward, backward in TURNS:
                pullbacks = {}
                for i in forward:
                    tensors = function.tensors(calls[i][0], double)
                    pullbacks[i] = function.recorded(tensors)[1]
                for i in backward:
                    point, upstream = calls[i]
                    with _raising(f"{text} it"):
                        gradients = pullbacks[i](upstream)
                    actual = rule.as_arrays(gradients, point, double)
                    beside = "alone (it depends on the order of calls)"
                    self._demand_equal(actual, alone[i], point, text, beside)

    def _check_outputs(self) -> None:
        """Demand that the gradients of single outputs add up to the one for all, and
        that a second backward pass of the same call returns the same."""
        tensors = self._function.tensors(self._here, double=False)
        outputs, pullback = self._function.recorded(tensors, persistent=True)
        upstream = [self._rule.random(each) for each in outputs]
        arrays = partial(self._rule.as_arrays, point=self._here, double=False)
        total = arrays(pullback(upstream))
        step = "a second backward pass of the same call"
        with _raising(step):
            repeated = arrays(pullback(upstream))
        self._demand_equal(repeated, total, self._here, f"in {step}", "in the first")
        with _raising("a backward pass of one of the outputs"):
            pairs = zip(outputs, upstream)
            alone = [arrays(pullback(up, of=each)) for each, up in pairs]
        sums = [np.sum(parts, axis=0) for parts in zip(*alone)]
        text = "summed over the outputs, each used alone,"
        self._demand_equal(sums, total, self._here, text, "for all at once")

    def _check_fixed(self) -> None:
        """Demand that inputs declared to need no gradient have none."""
        function = self._function
        fixed = [i for i, each in enumerate(function.leaves) if each.is_fixed]
        if not fixed:
            return
        tensors = function.tensors(self._here, double=False)
        sources = [tensors[i] for i in fixed]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            outputs = function.run(function.call, tensors)
        for i, gradient in zip(fixed, tape.gradient(outputs, sources)):
            if gradient is not None and np.any(tf.convert_to_tensor(gradient)):
                raise GradientError(
                    f"{function.leaves[i].name} needs no gradient, but has one"
                )

    def _demand_equal(
        self, actual: Arrays, expected: Arrays, point: Arrays, text: str, beside: str
    ) -> None:
        near = self._rule.tolerance(double=False)
        row, right = flat(actual), flat(expected)
        if not np.allclose(row, right, *near, equal_nan=True):
            raise GradientError(
                f"{self._rule.at(point)}: {text} the gradient is {as_text([row])},"
                f" but {beside} {as_text([right])}"
            )

    # The derivative of the gradient function.

    def _check_second(self) -> None:
        """Compare the gradient of the gradient function, by the inputs and by upstream:
        demanded if the program takes it, else right where there is one."""
        places: list[Arrays | None] = [self._here]
        if self._options.needs_second or self._rule.is_first:
            places.append(self._rule.draw_near())
        for point in filter(None, places):
            if self._rule.domain.holds(point, self._double):
                self._check_second_at(point)

    def _check_second_at(self, point: Arrays) -> None:
        """Compare the second gradient at a point, if there is one."""
        rule, needed = self._rule, self._options.needs_second
        tensors = self._function.tensors(point, self._double)
        upstream = rule.random_upstream(point, self._double)
        sources = [tf.convert_to_tensor(tensors[i]) for i in self._function.moving]
        weights = [rule.random(each) for each in sources]
        try:
            gradients = self._function.second(tensors, upstream, weights)
        except Exception as error:
            if not needed:
                return
            text = f"the second derivative raises {describe(error)}"
            raise GradientError(text) from error
        is_lost = [each is None for each in gradients]
        if not needed and all(is_lost):
            return
        lost = " (a tape gives None for some)" if any(is_lost) else ""
        with reworded(lambda message: f"{message}{lost}; order=1 leaves it out"):
            self._compare_second(point, sources, upstream, weights, gradients)
        self._result.order = 2

    def _compare_second(
        self,
        point: Arrays,
        sources: list,
        upstream: list,
        weights: list,
        gradients: list,
    ) -> None:
        """Compare along one direction of the inputs, and one of upstream."""
        rule, moving, count = self._rule, self._function.moving, len(sources)

        def first(moved: Arrays) -> Arrays:
            pairs = zip(moved[count:], upstream)
            ups = [tf.cast(array, each.dtype) for array, each in pairs]
            return rule.gradients(moved_to(point, moving, moved), ups, self._double)

        likes = sources + upstream
        names, arrays = [f"input {n}" for n in range(len(likes))], widened(likes)
        rel, noise = rule.tolerance(self._double)
        comparison = Comparison(
            names,
            first,
            arrays,
            first(arrays),
            rule.result,
            rule.rng,
            10 * rel,
            noise,
            self._double,
        )
        mixture = rule.rng.standard_normal(flat(arrays).size)
        is_input = np.arange(mixture.size) < flat(arrays[:count]).size
        of_arguments = ("some direction of the arguments", "", mixture * is_input)
        of_upstream = ("some direction of upstream", "", mixture * ~is_input)
        comparison.add([of_arguments, of_upstream])
        # None beside a number is taken for zero, where gradients are composed.
        seconds = as_arrays(gradients, likes, names)
        place = partial(rule.at, point)
        with reworded(lambda message: f"the second derivative {message}"):
            comparison.demand(widened(weights), place, seconds)
