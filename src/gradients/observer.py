"""Watches a program make rules and call them."""

import contextlib
import functools
import inspect
import os
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import ClassVar

import tensorflow as tf

from vjpcheck.function import Function, called

from . import registered
from .records import Record, recorded
from .sites import Site

KEPT_CALLS = 64
"""Calls of one function object that are remembered."""
_MAKERS = ("custom_gradient", "recompute_grad", "grad_pass_through")
_PACKAGES = (str(Path(tf.__file__).parents[1]), str(Path(os.__file__).parent))


@dataclass
class Rule:
    """One function object that got a rule; a site in a loop makes several."""

    site: Site
    function: Callable
    """With a registered gradient: the rule itself."""
    registered: str | None = None
    """The name under which a gradient is registered."""
    returns_rule: bool = False
    calls: list[Function] = field(default_factory=list)
    nested: bool = False
    """Whether it was ever called with two tapes at work."""


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
                called(
                    decorated,
                    rule.function,
                    arguments,
                    keywords,
                    instance,
                    returns_rule=rule.returns_rule,
                )
            )
        return decorated(*arguments, **keywords)


class Observer:
    """All rules of one program; it must see the program's first line."""

    def __init__(
        self, path: str, sites: list[Site], line: Callable[[int], int]
    ) -> None:
        """``line`` gives the number in the file of a line that runs."""
        self.rules: list[Rule] = []
        self.records: defaultdict[Site, list[Record]] = defaultdict(list)
        """Of each site the first calls outside of graphs."""
        self.strays: list[int] = []
        """Lines that made a rule where none is written."""
        self.watching = False
        self._tapes: Counter[int] = Counter()
        """How many record at a time, of each thread."""
        self._path = path
        self._sites = sites
        self._line = line
        self._graphs: list[tf.Graph] = []
        self._really_register = tf.RegisterGradient

    @property
    def is_nested(self) -> bool:
        return self._tapes[threading.get_ident()] > 1

    @contextlib.contextmanager
    def watch(self) -> Iterator[None]:
        """Stand in for all that makes rules, until the program has ended."""
        replaced = [
            (module, name, new)
            for name, new in (
                *((each, self._recording(getattr(tf, each))) for each in _MAKERS),
                ("RegisterGradient", self._register),
            )
            for module in _modules_with(name)
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
            rule = Rule(site, f, returns_rule=original.__name__ == "custom_gradient")
            self.rules.append(rule)
            if rule.returns_rule:
                f = recorded(f, self.records[site], lambda: self.watching)
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
        caller = sys._getframe(2)
        by_keras = caller.f_globals.get("__name__", "").startswith("keras.")
        code = getattr(inspect.unwrap(function), "__code__", None) if function else None
        is_own = not _is_installed(caller.f_code) or (
            maker == "custom_gradient" and code and not _is_installed(code)
        )
        if not (is_own or by_keras):
            return None
        makers = {maker, "remat"} if by_keras else {maker}
        sites = [each for each in self._sites if each.maker in makers]
        frame: FrameType | None = caller
        while frame and frame.f_code.co_filename != self._path:
            if "__autograph_generated_file" in frame.f_code.co_filename:
                name = getattr(function, "__name__", None)
                return next((each for each in sites if each.name == name), None)
            frame = frame.f_back
        line = self._line(frame.f_lineno) if frame else 1
        here = [each for each in sites if each.line <= line <= each.last_line]
        if is_own and not here:
            self.strays.append(line)
        return min(here, key=lambda each: each.last_line - each.line, default=None)


def _modules_with(name: str) -> list[ModuleType]:
    """All that have it: TensorFlow exports what it makes in its own modules."""
    original = getattr(tf, name)
    inner = [
        each
        for each in sys.modules.copy().values()
        if getattr(each, "__dict__", {}).get(name) is original
    ]
    return [tf, tf.compat.v1, tf.compat.v2, *inner]


@functools.cache
def _is_installed(code: CodeType) -> bool:
    """Whether it is part of a package, or an example in its docstrings, and not of a
    program."""
    return code.co_filename.startswith((*_PACKAGES, "<frozen", "<doctest"))
