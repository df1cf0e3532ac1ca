"""Watches a program make rules and call them."""

import contextlib
import functools
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from types import FrameType
from typing import ClassVar

import tensorflow as tf

from . import registered
from .function import Function, called
from .records import Record, recorded
from .sites import Site

KEPT_CALLS = 64
"""Calls of one function object that are remembered."""


@dataclass
class Rule:
    """One function object that got a rule; a site in a loop makes several."""

    site: Site
    function: Callable
    """With a registered gradient: the rule itself."""
    registered: str | None = None
    """The name under which a gradient is registered."""
    calls: list[Function] = field(default_factory=list)
    nested: bool = False
    """Whether it was ever called with two tapes at work."""
    records: list[Record] = field(default_factory=list)
    """What it was given and gave, in calls outside of graphs."""


class Recorder:
    """Stands for a function with a rule, and remembers what it is called with."""

    # Has tf.function call it as it is, as it would the rule.
    autograph_info__: ClassVar[dict] = {}

    def __init__(
        self,
        observer: "Observer",
        rule: Rule,
        decorated: Callable,
        instance: object = None,
    ) -> None:
        # A program may print what kind of thing it has.
        self.__class__ = type(type(decorated).__name__, (Recorder,), {})
        functools.update_wrapper(self, decorated, updated=())
        self._made_of = observer, rule, decorated, instance

    def __getattr__(self, name: str) -> object:
        return getattr(self._made_of[2], name)

    def __get__(self, instance: object, owner: type | None = None) -> "Recorder":
        if instance is None:
            return self
        observer, rule, decorated, _ = self._made_of
        return Recorder(observer, rule, decorated.__get__(instance, owner), instance)

    def __call__(self, *arguments: object, **keywords: object) -> object:
        observer, rule, decorated, instance = self._made_of
        if observer.watching and len(rule.calls) < KEPT_CALLS:
            rule.nested |= observer.is_nested
            rule.calls.append(
                called(decorated, rule.function, arguments, keywords, instance)
            )
        return decorated(*arguments, **keywords)


class Observer:
    """All rules of one program; it must see the program's first line."""

    def __init__(self, path: str, sites: list[Site]) -> None:
        self.rules: list[Rule] = []
        self.strays: list[int] = []
        """Lines that made a rule where none is written."""
        self.watching = False
        self._tapes: Counter[int] = Counter()
        """How many record at a time, of each thread."""
        self._path = path
        self._sites = sites
        self._graphs: list[tf.Graph] = []
        self._really_register = tf.RegisterGradient

    @property
    def is_nested(self) -> bool:
        return self._tapes[threading.get_ident()] > 1

    @contextlib.contextmanager
    def watch(self) -> Iterator[None]:
        """Stand in for all that makes rules, until the program has ended."""
        replaced = [
            (module, name, self._recording(getattr(module, name)))
            for module in (tf, tf.compat.v1, tf.compat.v2)
            for name in ("custom_gradient", "recompute_grad", "grad_pass_through")
            if hasattr(module, name)
        ]
        replaced += [
            (module, "RegisterGradient", self._register)
            for module in (tf, tf.compat.v1, tf.compat.v2)
        ]
        replaced += [
            (tf.Graph, "__init__", self._kept(tf.Graph.__init__)),
            *(
                (tape, name, self._counted(getattr(tape, name), by))
                for tape in (tf.GradientTape, tf.autodiff.ForwardAccumulator)
                for name, by in (("__enter__", 1), ("__exit__", -1))
            ),
        ]
        before = [(owner, name, getattr(owner, name)) for owner, name, _ in replaced]
        for owner, name, new in replaced:
            setattr(owner, name, new)
        self.watching = True
        try:
            yield
        finally:
            self.watching = False
            for owner, name, old in before:
                setattr(owner, name, old)
        for rule in self.rules:
            if rule.registered:
                operations = registered.operations(self._graphs, rule.registered)
                rule.calls += map(
                    registered.call_of, operations[:KEPT_CALLS], repeat(rule.function)
                )

    def _recording(self, original: Callable) -> Callable:
        @functools.wraps(original)
        def make(f: Callable | None = None) -> Callable:
            if f is None:
                return make
            site = self._site(original.__name__, f)
            if not site:
                return original(f)
            rule = Rule(site, f)
            self.rules.append(rule)
            if original.__name__ == "custom_gradient":  # f returns its rule
                f = recorded(f, rule.records, lambda: self.watching)
            return Recorder(self, rule, original(f))

        return make

    def _register(self, operation_type: str) -> Callable:
        site = self._site("RegisterGradient", None)

        def note(rule: Callable) -> Callable:
            if site:
                self.rules.append(Rule(site, rule, operation_type))
            return self._really_register(operation_type)(rule)

        return note

    def _kept(self, original: Callable) -> Callable:
        def initialize(graph: tf.Graph, *arguments: object, **keywords: object) -> None:
            self._graphs.append(graph)
            original(graph, *arguments, **keywords)

        return initialize

    def _counted(self, original: Callable, by: int) -> Callable:
        def step(tape: object, *arguments: object) -> object:
            self._tapes[threading.get_ident()] += by
            return original(tape, *arguments)

        return step

    def _site(self, maker: str, function: Callable | None) -> Site | None:
        """The place in the program that is at work, or None if TensorFlow's or
        Keras's own code makes the rule for itself."""
        frame: FrameType | None = sys._getframe(2)
        by_keras = False
        while frame and frame.f_globals.get("__name__", "").startswith("keras."):
            frame, by_keras = frame.f_back, True
        file = frame.f_code.co_filename if frame else ""
        makers = {maker, "remat"} if by_keras else {maker}
        if "__autograph_generated_file" in file:
            name = getattr(function, "__name__", None)
            return next(
                (
                    each
                    for each in self._sites
                    if each.maker in makers and each.name == name
                ),
                None,
            )
        if not frame or file != self._path:
            return None
        here = [
            each
            for each in self._sites
            if each.maker in makers and each.line <= frame.f_lineno <= each.last_line
        ]
        if not here and not by_keras:
            self.strays.append(frame.f_lineno)
        return min(here, key=lambda each: each.last_line - each.line, default=None)
