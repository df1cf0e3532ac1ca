"""A whole copy of the project, in which mistakes are planted and taken back."""

import math
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

import psutil

from adapters.engine import Engine
from tracebook import settings, snippet

from ..project import ROOT, copy, edit, python


class Unsound(Exception):
    """The project fails by itself, so its failures prove nothing."""


@dataclass(frozen=True)
class Mistake:
    """A changed file, and the beginnings of what must be said about it."""

    path: Path
    text: str | None
    """The new text; None deletes the file."""
    named: tuple[str, ...] = ()
    """None: the change is harmless, and nothing may be said."""


class Book:
    """The copy, and one warm engine that judges it again and again."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        copy(self.root, "tests", "conftest.py", "requirements.txt", ".cache")
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        os.environ["TMPDIR"] = str(self.temporary)
        # Its traces are written anew, which no results on record have seen.
        edit(self.root / "mkdocs.yml", "  - truth\n", "  - truth: {demand: false}\n")
        loaded = settings.load(self.root)
        self.noise = loaded.noise_pattern
        self.snippets = snippet.find(loaded)
        self.pages = sorted(loaded.docs_dir.rglob("*.md"))
        self.engine = Engine(self.root, remember=True)
        report = self.ask()
        if report["problems"]:
            self.engine.close()
            raise Unsound("\n".join(map(str, report["problems"])))
        self.traces: dict[str, str] = report["outputs"]
        # To the last digit, so that a line that differs is a line planted.
        for each in self.snippets:
            each.output_path.write_text(self.traces[each.name], "utf-8")

    def left(self) -> list[str]:
        """End the engine; what outlives it, processes and files."""
        self.engine.close()
        left = [p for p in psutil.process_iter() if self._is_ours(p)]
        left = [
            p
            for p in psutil.wait_procs(left, timeout=30)[1]
            if p.status() != psutil.STATUS_ZOMBIE
        ]
        for process in left:
            process.kill()
        return [str(thing) for thing in (*left, *self.temporary.iterdir())]

    def _is_ours(self, process: psutil.Process) -> bool:
        """A process that a program left may hide all but where it began."""
        try:
            began = process.environ().get("TMPDIR")
            # What multiprocessing keeps for this process ends with it.
            said = " ".join(process.cmdline())
            is_kept = process.ppid() == os.getpid() and "from multiprocessing" in said
        except psutil.Error:
            return False
        is_this = process.pid == os.getpid()
        return began == str(self.temporary) and not is_this and not is_kept

    def shown(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def ask(self) -> dict:
        """What the engine reports."""
        return self.engine.check()

    def said(self) -> list[str]:
        return [f"{p['location']}: {p['message']}" for p in self.ask()["problems"]]

    def run(self, *command: str, **environment: str) -> tuple[int, str]:
        """Run a module of Python in the copy: exit code and all it says. What is not
        changed does not run again."""
        done = subprocess.run(
            [python(self.root), "-m", *command],
            cwd=self.root,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            env={
                **os.environ,
                "NO_COLOR": "1",
                "COLUMNS": "999",
                "NO_MKDOCS_2_WARNING": "1",
                "TRACEBOOK_REMEMBER": "1",
                **environment,
            },
        )
        return done.returncode, done.stdout

    def build(self) -> Path:
        """The site of the copy as it is."""
        site = self.root.parent / "site"
        code, said = self.run("mkdocs", "build", "--site-dir", str(site))
        if code:
            raise Unsound(said)
        return site

    @contextmanager
    def planted(self, texts: dict[Path, str | None]) -> Iterator[None]:
        before = {path: path.read_bytes() if path.exists() else None for path in texts}
        _write(
            {
                path: text if text is None else text.encode()
                for path, text in texts.items()
            }
        )
        try:
            yield
        finally:
            _write(before)


def _write(contents: dict[Path, bytes | None]) -> None:
    for path, content in contents.items():
        if content is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(content)


@dataclass
class Kind:
    """The drills of one kind."""

    goal: float = 1.0
    """Of those that are planted by a seed, not all need be caught."""
    tried: int = 0
    caught: int = 0
    equal: int = 0
    """Changes that leave all that is said true: no drills."""
    within: list[str] = field(default_factory=list)
    """Changes that change digits below the tolerance alone: no drills."""
    missed: list[str] = field(default_factory=list)

    @property
    def too_many(self) -> bool:
        """Whether more are missed than its goal allows; of a few, one."""
        return len(self.missed) > math.ceil((1 - self.goal) * self.tried)


def changed_files() -> tuple[str, ...]:
    """What the last commit and the working tree changed, below the root."""
    commands = (
        ["diff", "--name-only", "HEAD~1"],
        ["ls-files", "--others", "--exclude-standard"],
    )
    said = "".join(
        subprocess.run(
            ["git", *command], cwd=ROOT, text=True, capture_output=True
        ).stdout
        for command in commands
    )
    return tuple(f"/{name}" for name in said.splitlines())


def _is_of(thing: object, files: tuple[str, ...]) -> bool:
    """Whether one of these files is what a drill changes."""
    if isinstance(thing, list | tuple):
        return any(_is_of(each, files) for each in thing)
    path = getattr(thing, "path", thing)
    return isinstance(path, Path) and path.as_posix().endswith(files)


def _even(things: list, at_most: int) -> list[int]:
    """The places of a quarter of so many, from first to last."""
    few = max(1, at_most // 4)
    return [i * len(things) // few for i in range(few)]


@dataclass
class Tally:
    """All drills; ``fast`` takes an even sample of each kind."""

    fast: bool
    seed: int = 1
    """Of the drills whose places are drawn."""
    kinds: dict[str, Kind] = field(default_factory=dict)
    changed: tuple[str, ...] = field(default_factory=changed_files)

    def kind(self, name: str, goal: float = 1.0) -> Kind:
        return self.kinds.setdefault(name, Kind(goal))

    def count(self, kind: str, drill: str, caught: bool, goal: float = 1.0) -> None:
        self.kind(kind, goal).tried += 1
        self.kind(kind).caught += caught
        if not caught:
            self.kind(kind).missed.append(drill)

    @property
    def failures(self) -> list[str]:
        """What was missed, of the kinds of which too many were."""
        return [
            f"{name}: {drill}"
            for name, kind in self.kinds.items()
            if kind.too_many
            for drill in kind.missed
        ]

    def nothing_is_left(self, book: Book) -> None:
        left = book.left()
        self.count("harmless: nothing outlives the engine", "\n".join(left), not left)

    def some(self, things: list, at_most: int) -> list:
        """All; or an even sample, and as many of what changed since the last commit."""
        if not self.fast or len(things) <= at_most:
            return things
        new = [i for i, each in enumerate(things) if _is_of(each, self.changed)]
        return [things[i] for i in sorted({*_even(things, at_most), *new[:at_most]})]

    def rounds(self, files: list[list[Mistake]], at_most: int) -> list[list[Mistake]]:
        """One mistake in each file at a time; each has what changed, too."""
        columns = [[m for m in column if m] for column in zip_longest(*files)]
        if not self.fast or len(columns) <= at_most:
            return columns
        return [columns[i] for i in _even(columns, at_most)]

    def judge(
        self, book: Book, planted: dict[str, list[Mistake]], may_be_equal: bool = False
    ) -> list[Mistake]:
        """Plant mistakes in different files at once; each must be named, and
        nothing else. Returns those that were not, which do not count if they
        may have no effect."""
        every = [(kind, m) for kind, mistakes in planted.items() for m in mistakes]
        with book.planted({m.path: m.text for _, m in every}):
            said = book.said()
        strays = [
            line for line in said if not any(line.startswith(m.named) for _, m in every)
        ]
        missed = []
        for kind, m in every:
            stem = book.shown(m.path.with_suffix(""))
            caught = all(
                any(line.startswith(name) for line in said) for name in m.named
            )
            if not m.named:
                caught = not any(line.startswith(f"{stem}.") for line in strays)
            if not caught:
                missed.append(m)
            if caught or not may_be_equal:
                self.count(kind, f"{book.shown(m.path)} {m.named}", caught)
        for line in strays:
            self.count("nothing else is named", line, False)
        return missed
