"""Observe a program: which custom gradients it defines, and how it calls them."""

import contextlib
import functools
import inspect
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, ClassVar

import tensorflow as tf

from vjpcheck.function import Function, call_of

from . import graph_operations
from .definitions import Definition
from .recording import RecordedCall, recorded

MOST_CALLS = 64
"""Calls of one function object that are kept, at most."""
_DECORATORS = ("custom_gradient", "recompute_grad", "grad_pass_through")
_PACKAGES = (str(Path(tf.__file__).parents[1]), str(Path(os.__file__).parent))


@dataclass
class CustomGradient:
    """A function object with a custom gradient; one definition may make several."""

    definition: Definition
    function: Callable
    """The decorated function, or a gradient function that was registered."""
    registered_name: str | None = None
    returns_pair: bool = False
    """True if the function returns its outputs and its gradient function."""
    calls: list[Function] = field(default_factory=list)
    is_nested: bool = False
    """True if it was ever called inside two tapes."""


class CallRecorder:
    """Replaces a decorated function, or a bound method, and keeps the calls of it."""

    # tf.function calls it as it is, as it would call the decorated function.
    autograph_info__: ClassVar[dict] = {}

    def __init__(
        self,
        observer: "Observer",
        gradient: CustomGradient,
        decorated: Callable,
        instance: object = None,
    ) -> None:
        # A program may print the type of its function.
        self.__class__ = type(type(decorated).__name__, (CallRecorder,), {})
        functools.update_wrapper(self, decorated, updated=())
        self._parts = observer, gradient, decorated, instance

    def __getattr__(self, name: str) -> object:
        return getattr(self._parts[2], name)

    def __get__(self, instance: object, owner: type | None = None) -> "CallRecorder":
        if instance is None:
            return self
        observer, gradient, decorated, _ = self._parts
        method = decorated.__get__(instance, owner)
        return CallRecorder(observer, gradient, method, instance)

    def __call__(self, *arguments: object, **keywords: object) -> object:
        observer, gradient, decorated, instance = self._parts
        if observer.is_observing and len(gradient.calls) < MOST_CALLS:
            gradient.is_nested |= observer.is_nested
            call = call_of(
                decorated,
                gradient.function,
                arguments,
                keywords,
                instance,
                returns_rule=gradient.returns_pair,
            )
            gradient.calls.append(call)
        return decorated(*arguments, **keywords)


class Observer:
    """The custom gradients of one program, which runs as the file at a path.

    ``line`` maps the number of a line of that file to its number in the program's.
    """

    def __init__(
        self, path: str, definitions: list[Definition], line: Callable[[int], int]
    ) -> None:
        self.gradients: list[CustomGradient] = []
        self.recorded_calls: dict[Definition, list[RecordedCall]] = {
            definition: [] for definition in definitions
        }
        """For each definition the first calls outside of graphs."""
        self.hidden_lines: list[int] = []
        """Lines that make a custom gradient without a visible definition."""
        self.is_observing = False
        self._tapes: Counter[int] = Counter()
        """The number of active tapes and accumulators in each thread."""
        self._path = path
        self._definitions = definitions
        self._line = line
        self._graphs: list[tf.Graph] = []
        self._register_gradient = tf.RegisterGradient

    @property
    def is_nested(self) -> bool:
        """Return whether two tapes are active in this thread."""
        return self._tapes[threading.get_ident()] > 1

    @contextlib.contextmanager
    def observe(self) -> Iterator[None]:
        """Replace everything that makes a custom gradient, until the program ended."""
        replacements = [*self._replacements()]
        originals = [
            (owner, name, getattr(owner, name)) for owner, name, _ in replacements
        ]
        for owner, name, replacement in replacements:
            setattr(owner, name, replacement)
        self.is_observing = True
        try:
            yield
        finally:
            self.is_observing = False
            for owner, name, original in originals:
                setattr(owner, name, original)
        for gradient in self.gradients:
            if registered := gradient.registered_name:
                operations = graph_operations.operations(self._graphs, registered)
                gradient.calls += [
                    graph_operations.as_call(operation, gradient.function)
                    for operation in operations[:MOST_CALLS]
                ]

    def _replacements(self) -> Iterator[tuple[Any, str, Callable]]:
        """Yield the owner, the name and the replacement of each replaced attribute."""
        for name in _DECORATORS:
            recording = self._recording(getattr(tf, name))
            for module in _modules_with(name):
                yield module, name, recording
        for module in _modules_with("RegisterGradient"):
            yield module, "RegisterGradient", self._register
        yield tf.Graph, "__init__", _preceded_by(self._graphs.append, tf.Graph.__init__)
        for tape in (tf.GradientTape, tf.autodiff.ForwardAccumulator):
            for name, step in (("__enter__", 1), ("__exit__", -1)):
                count = functools.partial(self._count_tapes, step)
                yield tape, name, _preceded_by(count, getattr(tape, name))

    def _recording(self, original: Callable) -> Callable:
        """Return a decorator that also records the calls of what it decorates."""

        @functools.wraps(original)
        def decorator(f: Callable | None = None) -> Callable:
            if f is None:
                return decorator
            definition = self._find_definition(original.__name__, f)
            if not definition:
                return original(f)
            is_pair = original.__name__ == "custom_gradient"
            gradient = CustomGradient(definition, f, returns_pair=is_pair)
            self.gradients.append(gradient)
            if is_pair:
                calls = self.recorded_calls[definition]
                f = recorded(f, calls, lambda: self.is_observing)
            return CallRecorder(self, gradient, original(f))

        return decorator

    def _register(self, operation_type: str) -> Callable:
        definition = self._find_definition("RegisterGradient", None)

        def decorator(function: Callable) -> Callable:
            if definition:
                gradient = CustomGradient(definition, function, operation_type)
                self.gradients.append(gradient)
            return self._register_gradient(operation_type)(function)

        return decorator

    def _count_tapes(self, step: int, _: object) -> None:
        self._tapes[threading.get_ident()] += step

    def _find_definition(
        self, kind: str, function: Callable | None
    ) -> Definition | None:
        """Return the definition that is running.

        There is none if TensorFlow or Keras makes a custom gradient for its own code,
        or if the program hides the definition.
        """
        caller = sys._getframe(2)
        is_keras = caller.f_globals.get("__name__", "").startswith("keras.")
        code = getattr(inspect.unwrap(function), "__code__", None) if function else None
        is_programs = not _is_installed(caller.f_code) or (
            kind == "custom_gradient" and code and not _is_installed(code)
        )
        if not (is_programs or is_keras):
            return None
        kinds = {kind, "remat"} if is_keras else {kind}
        candidates = [each for each in self._definitions if each.kind in kinds]
        frame: FrameType | None = caller
        while frame and frame.f_code.co_filename != self._path:
            if "__autograph_generated_file" in frame.f_code.co_filename:
                name = getattr(function, "__name__", None)
                return next((each for each in candidates if each.name == name), None)
            frame = frame.f_back
        line = self._line(frame.f_lineno) if frame else 1
        running = [each for each in candidates if each.line <= line <= each.last_line]
        if is_programs and not running:
            self.hidden_lines.append(line)
        return min(running, key=lambda each: each.last_line - each.line, default=None)


def _preceded_by(action: Callable[[Any], None], method: Callable) -> Callable:
    """Return a method that first calls an action with its object."""

    def replacement(self: object, *arguments: object, **keywords: object) -> object:
        action(self)
        return method(self, *arguments, **keywords)

    return replacement


def _modules_with(name: str) -> list[ModuleType]:
    """Return the modules that export an attribute of ``tf``."""
    original = getattr(tf, name)
    inner = [
        module
        for module in sys.modules.copy().values()
        if getattr(module, "__dict__", {}).get(name) is original
    ]
    return [tf, tf.compat.v1, tf.compat.v2, *inner]


@functools.cache
def _is_installed(code: CodeType) -> bool:
    """Return whether code belongs to a package or to an example in a docstring."""
    return code.co_filename.startswith((*_PACKAGES, "<frozen", "<doctest"))
