"""What a call may change outside: variables, and generators of random numbers."""

import contextlib
import inspect
import random
from typing import Any

import numpy as np
import tensorflow as tf

from .arrays import flat
from .function import Function, Leaf, visible_values

REPEATED = 6
"""Calls of a forward pass that give the same only if it draws nothing."""
MOST = 2000
"""Objects that are looked at."""
LIBRARIES = ("tensorflow", "keras", "numpy", "vjpcheck", "builtins")
NO_SEED = 87654321
"""What TensorFlow gives for the global seed where none is set."""


class State:
    """The values of what a function can reach by name, to be put back.

    TensorFlow says which global seed is set, but not how much was drawn since: so its
    sequence begins anew. Objects that are made inside of a call can't be found.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        function.reset = self.again
        self._variables: dict[int, tuple[Any, np.ndarray]] = {}
        self._generators: list[tuple[Any, Any]] = []
        self._globals = random.getstate(), np.random.get_state()
        self._seed = tf.compat.v1.get_seed(0)[0]
        self._moved: set[int] = set()
        waiting: list[Any] = [function.call, tf.random.get_global_generator()]
        visited: set[int] = set()
        for value in waiting:  # grows while it is read
            if id(value) not in visited and len(waiting) < MOST:
                visited.add(id(value))
                waiting += self._within(value)

    def _within(self, value: Any) -> list:
        """Keep a value, or return what can be reached from it."""
        if inspect.ismodule(value) or isinstance(value, tf.Tensor):
            return []
        if hasattr(value, "assign") and hasattr(value, "numpy"):
            self.add(value)
        elif isinstance(value, np.random.Generator):
            bits = value.bit_generator
            self._generators.append((bits, bits.state))
        elif isinstance(value, tf.random.Generator):
            return [value.state]
        elif isinstance(value, dict):
            return list(value.values())
        elif isinstance(value, list | tuple | set):
            return list(value)
        elif hasattr(value, "variables") and not inspect.isclass(value):
            return list(value.variables)
        elif hasattr(value, "__wrapped__") or hasattr(value, "__code__"):
            inner = inspect.unwrap(value)
            bound = [getattr(value, "__self__", None)]
            if not _is_own(inner):
                return []
            defaults = getattr(inner, "__defaults__", None) or ()
            return [*visible_values(inner).values(), *bound, *defaults]
        elif _is_own(value) and not inspect.isclass(value):
            return [*getattr(value, "__dict__", {}).values()]
        return []

    def find_variables(self, tensors: list) -> None:
        """Let the trainable variables that the function reads move, too, and find out
        whether it draws random numbers. Raises Refused."""
        function = self._function
        with tf.GradientTape() as tape:
            tape.watch([tensors[i] for i in function.moving])
            function.run(function.call, tensors)
        first, *repeated = (flat(function.outputs(tensors)) for _ in range(REPEATED))
        self.restore()
        function.noisy = not all(
            np.array_equal(each, first, equal_nan=True) for each in repeated
        )
        for variable in tape.watched_variables():
            self.add(variable, is_moved=True)
            name, value = variable.name.partition(":")[0], variable.numpy()
            if name in [each.name for each in function.leaves]:
                name = f"{name} (number {len(function.leaves)})"
            leaf = Leaf(name, variable.dtype, value, value.shape, variable)
            function.leaves.append(leaf)

    def add(self, variable: Any, is_moved: bool = False) -> None:
        """Keep the value of a variable, which the check may move."""
        with contextlib.suppress(Exception):  # of a graph, it has no value here
            value = np.array(variable.numpy())
            self._variables.setdefault(id(variable), (variable, value))
        if is_moved:
            self._moved.add(id(variable))

    def restore(self, is_moved_too: bool = True) -> None:
        """Put the values back: all, or only those that the check doesn't move."""
        for key, (variable, value) in self._variables.items():
            if is_moved_too or key not in self._moved:
                variable.assign(value)
        for bits, state in self._generators:
            bits.state = state

    def again(self) -> None:
        """Let the next call draw what the last one drew."""
        tf.random.set_seed(1)
        np.random.seed(1)
        random.seed(1)
        self.restore(is_moved_too=False)

    def close(self) -> None:
        """Put the values back, and the states of the global generators."""
        self.restore()
        random.setstate(self._globals[0])
        np.random.set_state(self._globals[1])
        if self._function.noisy:
            tf.random.set_seed(None if self._seed == NO_SEED else self._seed)


def _is_own(value: object) -> bool:
    """Return whether no library defines a function, or the type of an object."""
    home = getattr(value, "__module__", None) or ""
    return bool(home) and home.partition(".")[0] not in LIBRARIES
