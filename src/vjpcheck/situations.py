"""Where a custom gradient is tried: points, shapes, graphs, and orders of calls."""

from collections.abc import Iterator
from functools import partial
from itertools import islice

import numpy as np
import tensorflow as tf

from . import points
from .arrays import as_text, flat
from .core import Arrays, Comparison, Differentiable, GradientError, Undecided
from .function import as_arrays, describe, moved_to, widened
from .rule import Rule

FEWEST = 5
"""Points that ``where`` must leave, of those that are drawn."""
OUTSIDE = 0.25
"""Of the difference of two sides of a kink, where a point may be very close to it."""
INSIDE = "inside tf.function"
TURNS = (((0, 1), (0, 1)), ((0, 1), (1, 0)), ((1, 0), (1, 0)))
"""Orders of two forward and two backward passes."""


class Situations:
    """All that a custom gradient is put to.

    Raises GradientError, in whichever method, when the gradient is wrong.
    """

    def __init__(self, rule: Rule) -> None:
        self._rule = rule

    def run(self) -> None:
        """Check all that is asked."""
        options = self._rule.options
        self._check_points()
        if self._rule.is_first and options.graph and not self._rule.function.keywords:
            self._check_graph()
        if options.order > 1:
            self._check_second()
        if options.shapes is not False and not self._rule.function.has_composites:
            self._check_shapes()
        if self._rule.is_first:
            self._check_fixed()
            if not self._rule.function.noisy:
                self._check_turns()
                self._check_outputs()

    def _ways(self) -> Iterator[tuple[tuple, bool, float]]:
        """Yield ways to draw inputs, whether differences should settle there, and how
        far outside of a kink's two sides they may be: near the call, elsewhere, where
        gradient functions break, and beside the constants, where kinks are too close
        to be told."""
        rule = self._rule
        near = [(way,) for way in points.NEAR] * (2 if rule.is_first else 1)
        yield from ((ways, True, 0.0) for ways in near)
        if rule.is_first and rule.is_far:
            numbers = sum(np.size(rule.here[i]) for i in rule.function.moving)
            yield from (((way, *points.FAR), True, 0.0) for way in points.FAR)
            yield from ((ways, False, OUTSIDE) for ways in self._extreme())
            beside = (points.beside(rule.next_side),)
            turns = -(-len(rule.sides) // max(numbers, 2))
            yield from [(beside, False, np.inf)] * turns

    def _extreme(self) -> tuple:
        """Return ways to draw where gradient functions break. Of an argument that may
        not be negative, zero is the end of the domain."""
        for i in self._rule.function.moving:
            mirrored = list(self._rule.here)
            mirrored[i] = -self._rule.here[i]
            is_positive = bool((flat([self._rule.here[i]]) > 0).all())
            if is_positive and not self._rule.domain.holds(mirrored, self._rule.double):
                return points.EXTREME
        return points.EXTREME + points.ZEROS

    def _check_points(self) -> None:
        """Check the point of the program's call, points near it, and elsewhere."""
        rule, ways = self._rule, [*self._ways()]
        places: list[tuple[Arrays, bool, float]] = []
        for draws, counts, slack in ways:
            if place := rule.domain.draw(draws, rule.here, rule.double):
                places.append((place, counts, slack))
        found, wanted = (sum(each[1] for each in its) for its in (places, ways))
        if found < min(FEWEST, wanted // 2):
            raise Undecided(
                "at too few points, the forward pass is finite and where=… is true:"
                " pass a function that makes valid arguments out of any"
            )
        if rule.domain.holds(rule.here, rule.double):
            places.insert(0, (rule.here, True, 0.0))
        for n, (place, counts, slack) in enumerate(places):
            rule.state.shorten()
            is_thorough = rule.is_first and not n
            rule.demand(place, rule.double, is_thorough, counts, slack)
            rule.result.points += 1
        if rule.double and rule.function.dtypes(True) != rule.function.dtypes(False):
            for place, counts, slack in places:
                rule.narrow(place, counts, slack)

    def _check_shapes(self) -> None:
        """Other shapes, if the forward pass accepts them."""
        for point in self._other_shapes():
            try:
                self._rule.demand(point, self._rule.double, slack=np.inf)
            except GradientError as wrong:
                raise type(wrong)(
                    f"{wrong}; the forward pass accepts this shape: mend the gradient"
                    " function, or exclude the shape with where=… or shapes=False"
                ) from wrong
            self._rule.result.shapes += 1

    def _other_shapes(self) -> Iterator[Arrays]:
        """Yield points of other shapes that the forward pass accepts."""
        function, shapes = self._rule.function, self._rule.options.shapes
        ways = points.ways_elsewhere(self._rule.sides)
        for like in points.batches(function, self._rule.here):
            if not (point := self._of_shape(like, next(ways))):
                break  # the first axis is that of no batch
            yield point
        others = [points.other_sizes(function, self._rule.here)] if shapes else []
        if shapes == "broadcast":
            others.append(points.broadcast(function, self._rule.here))
        for like in (each for part in others for each in part):
            if point := self._of_shape(like, next(ways)):
                yield point

    def _of_shape(self, like: Arrays, ways: tuple) -> Arrays | None:
        """Return a random point, or None where the forward pass refuses the shape, or
        returns no numbers, as differences of neighbors of a single number."""
        rule = self._rule
        if (point := rule.domain.draw(ways, like, rule.double)) is None:
            return None
        values = flat(rule.domain.values(point, rule.double) or [])
        numbers = flat([point[i] for i in rule.function.moving])
        return point if values.size or not numbers.size else None

    def _check_graph(self) -> None:
        """The same numbers inside ``tf.function``: also with an unknown length of the
        batch, with an unknown rank, and compiled by XLA."""
        function, options = self._rule.function, self._rule.options
        tensors = function.tensors(self._rule.here, double=False)
        upstream = self._rule.random_upstream(self._rule.here, double=False)
        eager = self._rule.gradients(tensors, upstream, eagerly=True)
        modes = [(INSIDE, "", False)]
        is_unknown = options.unknown and not function.has_composites
        if is_unknown and options.shapes is not False and function.batch is not None:
            modes.append((f"{INSIDE}, with an unknown batch size,", "batch", False))
        if is_unknown and options.shapes == "broadcast":
            modes.append((f"{INSIDE}, with an unknown rank,", "rank", False))
        if options.xla:
            modes.append(("compiled by XLA,", "", True))
        for text, *mode in modes:
            try:
                if mode == ["", False]:
                    both = function.graph(function.both_passes, tensors)
                else:
                    both = function.compiled(function.both_passes, tensors, *mode)
                gradients = both(tensors, upstream)
            except Exception as error:
                if mode[0] and self._refuses(tensors, *mode):
                    continue
                raise GradientError(f"{text} it raises {describe(error)}") from error
            if not function.noisy:
                self._demand_equal(
                    self._rule.as_arrays(gradients, tensors),
                    eager,
                    tensors,
                    text,
                    "eagerly",
                )
        self._rule.result.graph = True

    def _refuses(self, tensors: list, *mode: str | bool) -> bool:
        """Return whether the forward pass alone raises in this mode, too."""
        function = self._rule.function
        try:
            function.compiled(partial(function.run, function.call), tensors, *mode)(
                tensors
            )
        except Exception:
            return True
        return False

    def _check_turns(self) -> None:
        """The same numbers where another call lies between the two passes of one: a
        gradient function that keeps something outside takes it for its own."""
        function, text = self._rule.function, "with another call between its passes"
        neighbors = [
            self._rule.domain.draw(points.NEAR, self._rule.here, self._rule.double)
        ]
        if self._rule.options.shapes is not False and not function.has_composites:
            neighbors += islice(self._other_shapes(), 1)
        fixed = len(function.inputs)  # variables have one value for both
        for neighbor in filter(None, neighbors):
            calls = []
            for its in (self._rule.here, neighbor):
                place = [*its[:fixed], *self._rule.here[fixed:]]
                tensors = function.tensors(place, self._rule.double)
                upstream = self._rule.random_upstream(place, self._rule.double)
                calls.append((tensors, upstream))
            alone = [self._rule.gradients(*call) for call in calls]
            for forward, back in TURNS:
                backward = {i: function.recorded(calls[i][0])[1] for i in forward}
                for i in back:
                    tensors, upstream = calls[i]
                    try:
                        gradients = backward[i](upstream)
                    except Exception as error:
                        raise GradientError(
                            f"{text} it raises {describe(error)}"
                        ) from error
                    self._demand_equal(
                        self._rule.as_arrays(gradients, tensors),
                        alone[i],
                        tensors,
                        text,
                        "alone (it depends on the order of calls)",
                    )

    def _check_outputs(self) -> None:
        """The gradients of the outputs, each used alone, add up to the one for all, and
        a second backward pass of the same call gives the same."""
        tensors = self._rule.function.tensors(self._rule.here, double=False)
        outputs, pullback = self._rule.function.recorded(tensors, persistent=True)
        upstream = [self._rule.random(each) for each in outputs]
        try:
            all_ = self._rule.as_arrays(pullback(upstream), tensors)
            what = "a second backward pass of the same call"
            again = self._rule.as_arrays(pullback(upstream), tensors)
            self._demand_equal(again, all_, tensors, f"in {what}", "in the first")
            what = "a backward pass of one of the outputs"
            alone = [
                self._rule.as_arrays(pullback(up, of=each), tensors)
                for each, up in zip(outputs, upstream)
            ]
        except GradientError:
            raise
        except Exception as error:
            raise GradientError(f"{what} raises {describe(error)}") from error
        total = [np.sum(parts, axis=0) for parts in zip(*alone)]
        text = "summed over the outputs, each used alone,"
        self._demand_equal(total, all_, tensors, text, "for all at once")

    def _check_fixed(self) -> None:
        """No gradient for what shall have none."""
        function = self._rule.function
        fixed = [i for i, each in enumerate(function.leaves) if each.is_fixed]
        if not fixed:
            return
        tensors = function.tensors(self._rule.here, double=False)
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
        self, actual: Arrays, expected: Arrays, tensors: list, text: str, beside: str
    ) -> None:
        near = self._rule.tolerance(double=False)
        row, right = flat(actual), flat(expected)
        if not np.allclose(row, right, *near, equal_nan=True):
            raise GradientError(
                f"{self._rule.at(tensors)}: {text} the gradient is {as_text([row])},"
                f" but {beside} {as_text([right])}"
            )

    # The derivative of the gradient function.

    def _check_second(self) -> None:
        """Compare the gradient of the gradient function, by the inputs and by upstream:
        demanded if the program takes it, else right where there is one."""
        needed = self._rule.options.needs_second
        places: list[Arrays | None] = [self._rule.here]
        if needed or self._rule.is_first:
            places.append(
                self._rule.domain.draw(points.NEAR, self._rule.here, self._rule.double)
            )
        for place in filter(None, places):
            if self._rule.domain.holds(place, self._rule.double) and self._has_second(
                place
            ):
                self._rule.result.order = 2

    def _has_second(self, place: Arrays) -> bool:
        """Compare the second gradient at a point, and return whether there is one."""
        function, double = self._rule.function, self._rule.double
        tensors = function.tensors(place, double)
        upstream = self._rule.random_upstream(place, double)
        sources = [tensors[i] for i in function.moving]
        weights = [self._rule.random(tf.convert_to_tensor(each)) for each in sources]
        needed = self._rule.options.needs_second
        try:
            gradients = function.second(tensors, upstream, weights)
        except Exception as error:
            if not needed:
                return False
            raise GradientError(
                f"the second derivative raises {describe(error)}"
            ) from error
        if not needed and all(each is None for each in gradients):
            return False
        self._compare_second(place, upstream, weights, gradients)
        return True

    def _compare_second(
        self, place: Arrays, upstream: list, weights: list, gradients: list
    ) -> None:
        """Compare along one direction of the inputs, and one of upstream."""
        rule, function, double = self._rule, self._rule.function, self._rule.double
        tensors = function.tensors(place, double)
        likes = [tensors[i] for i in function.moving]
        count = len(likes)

        def first(moved: Arrays) -> Arrays:
            its = function.tensors(moved_to(place, function.moving, moved), double)
            parts = zip(moved[count:], upstream)
            return rule.gradients(its, [tf.cast(array, u.dtype) for array, u in parts])

        likes += upstream
        names = [f"input {n}" for n in range(len(likes))]
        arrays = widened(likes)
        rel, noise = rule.tolerance(double)
        at = Differentiable(names, first, None, 10 * rel, noise, double)
        comparison = Comparison(at, arrays, first(arrays), rule.result, rule.rng)
        mixture = rule.rng.standard_normal(flat(arrays).size)
        is_input = np.arange(mixture.size) < flat(arrays[:count]).size
        comparison.add(
            [
                ("some direction of the arguments", "", mixture * is_input),
                ("some direction of upstream", "", mixture * ~is_input),
            ]
        )
        # None beside a number is taken for zero, where gradients are composed.
        seconds = as_arrays(gradients, likes, names)

        def text() -> str:
            return f"the second derivative {rule.at(tensors)}"

        try:
            comparison.demand(widened(weights), text, seconds)
        except GradientError as error:
            lost = (
                " (a tape gives None for some)"
                if any(each is None for each in gradients)
                else ""
            )
            raise GradientError(f"{error}{lost}; order=1 leaves it out") from error
