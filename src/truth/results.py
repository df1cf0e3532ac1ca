"""What the checks found, kept so that nothing is checked twice.

One file holds it all. Each entry has a key: the hash of everything it was made
from. An entry whose key is not today's is not taken over.
"""

import json
import os
import platform
import re
import sysconfig
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path

from tracebook import files, memory, settings, snippet

from .finding import HOLDS, KINDS, STATES, Finding
from .page import BIBLIOGRAPHY, FILE_NAME, LEDGER, Page, all_pages
from .testfile import FOLDER as STATEMENTS
from .testfile import Tests

CHECKS = (*("statements", "formulas", "quotes", "structure", "modes", "agreement"),)
"""What checks pages; the slowest first."""

AGREEMENT = "agreement"
"""The check that needs what the programs of a page did."""
FILE = Path(".cache/truth/results.json")

_TOOLS = ("TensorFlow", "Keras", "NumPy", "SymPy")
_SYSTEM = f"{platform.system()} {platform.machine()}"
_SOURCE = Path(__file__).resolve().parents[1]
_OF_RUNS = ("tracebook", "truth/rules", "vjpcheck")
"""The code that runs of programs depend on, and what is found of their rules."""
_SHARED = ("page.py", "sentences.py", "testfile.py", "finding.py", "errors.py")
_OF_STATEMENTS = (
    *("truth/statements", "truth/rules", "vjpcheck"),
    *(f"truth/{f}" for f in _SHARED),
)
_OF_PAGES = (
    *("algebra", "mathml", "truth/agreement", "truth/formulas", "truth/modes"),
    *(
        "truth/menu.py",
        "truth/quotes.py",
        "truth/structure",
        *_OF_RUNS,
        *_OF_STATEMENTS,
    ),
)
_PROJECT = (
    *("*.cff", "*.md", "*.py", "*.toml", "*.yml", ".gitignore"),
    *("Makefile", "requirements.txt", "src/**/*.py", "tests/**/*.py"),
)
"""Of what is at the project's top, the kinds that pages speak of: not a log that is
being written there."""
_FRONT_MATTER = re.compile(r"\A-{3}[ \t]*\n.*?\n(?:-{3}|\.{3})[ \t]*\n", re.DOTALL)
_MADE = (LEDGER, "site", ".venv", ".cache")
"""What a check or a build makes, beside figures, and so is no ground for one."""
_MODULE = re.compile(r"-m\s+(\w[\w.]*)")
_MAKE = re.compile(r"\bmake\s")


@dataclass(frozen=True)
class Program:
    """What is known of one program."""

    key: str
    raises: str | None
    """Type of the error that it declares."""
    ran: bool = False
    """Whether it ran and printed its trace."""
    rules: tuple[Finding, ...] | None = None
    """None: they were not checked to the end."""
    names: str = ""
    """What its functions had by name when they returned, as JSON."""

    @classmethod
    def of(cls, name: str, root: Path, key: str) -> "Program":
        book = settings.load(root)
        return cls(key, snippet.load(book.snippets_dir / name, book).raises)

    @property
    def holds(self) -> bool:
        return (
            self.ran
            and self.rules is not None
            and not any(each.state == "failed" for each in self.rules)
        )


@dataclass(frozen=True)
class Checked:
    """What one check said of one page."""

    key: str
    findings: tuple[Finding, ...]


@dataclass
class Record:
    """What is known of one page."""

    title: str
    digest: str
    programs: tuple[str, ...] = ()
    """Names of the programs that the page shows."""
    traces: tuple[str, ...] = ()
    checks: dict[str, Checked] = field(default_factory=dict)
    """By the name of the check."""

    @classmethod
    def of(cls, page: Page, root: Path) -> "Record":
        names = tuple(dict.fromkeys(page.embeds))
        return cls(
            _title(page),
            digest(page.source, root),
            tuple(name for name in names if name.endswith(".py")),
            tuple(name for name in names if name.endswith(".out")),
        )


@dataclass
class Results:
    """What is known of a book, and what it was found with."""

    date: str = ""
    """Day of the commit."""
    python: str = ""
    system: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    pages: dict[str, Record] = field(default_factory=dict)
    programs: dict[str, Program] = field(default_factory=dict)

    def programs_of(self, *records: Record) -> dict[str, Program]:
        """What is known of the programs that pages show."""
        return {
            name: self.programs[name]
            for record in records
            for name in record.programs
            if name in self.programs
        }

    def findings(self, *records: Record) -> list[Finding]:
        """Of pages, and of the rules in their programs."""
        return [
            *(
                each
                for record in records
                for said in record.checks.values()
                for each in said.findings
            ),
            *(
                rule
                for program in self.programs_of(*records).values()
                for rule in program.rules or ()
            ),
        ]

    def is_whole(self, record: Record) -> bool:
        """Whether every check of a page came to its end."""
        return record.checks.keys() >= {*CHECKS} and all(
            name in self.programs and self.programs[name].rules is not None
            for name in record.programs
        )

    @classmethod
    def of_today(cls, date: str) -> "Results":
        """Nothing found yet, by what is installed here."""
        return cls(
            date,
            platform.python_version(),
            _SYSTEM,
            {tool: metadata.version(tool) for tool in _TOOLS},
        )


def load(root: Path) -> Results | None:
    """The results on record, or None."""
    path = root / FILE
    try:
        stamp = path.stat()
    except FileNotFoundError:
        return None
    return _load(path, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=1)
def _load(path: Path, *_: int) -> Results | None:
    try:
        begins, rest = path.read_text("utf-8").split(",", 1)
        body = "{" + rest
        if begins != _checksum(body):
            return None
        said = json.loads(body)
        pages = {
            page: Record(
                **record
                | {
                    "programs": tuple(record["programs"]),
                    "traces": tuple(record["traces"]),
                    "checks": {
                        name: Checked(each["key"], _findings(each["findings"]) or ())
                        for name, each in record["checks"].items()
                    },
                }
            )
            for page, record in said.pop("pages").items()
        }
        programs = {
            name: Program(**program | {"rules": _findings(program["rules"])})
            for name, program in said.pop("programs").items()
        }
        return Results(**said, pages=pages, programs=programs)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None  # of another version: it says nothing any more


def _findings(said: list[dict] | None) -> tuple[Finding, ...] | None:
    return said if said is None else tuple(Finding(**each) for each in said)


def save(results: Results, root: Path) -> None:
    # Sorted, for the checks end in any order.
    text = json.dumps(asdict(results), indent=1, sort_keys=True)
    write(root / FILE, f"{_checksum(text)},{text[1:]}")


def _checksum(body: str) -> str:
    """How the file begins, before the rest of its one JSON object."""
    return f'{{"checksum": "{_hash(body)}"'


def demand_room(root: Path) -> None:
    """Raise OSError where results could not be kept, before there are any."""
    path = root / FILE.with_name("room")
    files.write(path, bytes(1_000_000))
    path.unlink(missing_ok=True)  # another run asks, too


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all, and only if it changes."""
    content = text.encode(errors="backslashreplace")
    if not path.exists() or path.read_bytes() != content:
        files.write(path, content)


def fresh(known: Results, root: Path) -> dict[str, Record]:
    """What is known of pages that are as they were when they were checked."""
    return {
        page.shown: record
        for page in all_pages(root)
        if (record := known.pages.get(page.shown))
        and known.is_whole(record)
        and record.digest == digest(page.source, root)
    }


def digest(source: str, root: Path) -> str:
    """What stands on a page: its text, and the files it embeds or names.

    Without front matter, which a site generator takes off before it renders.
    """
    text = _FRONT_MATTER.sub("", source.replace("\r\n", "\n")).strip()
    return _hash(text, *_named(text, root))


class Keys:
    """What each check of a page, and each run of a program, depends on now."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._book = settings.load(root)

    def of_page(self, page: Page) -> dict[str, str]:
        """By the name of the check.

        A page that shows no program speaks of all of them, and of the project.
        """
        name = page.path.relative_to(self._book.docs_dir).with_suffix("")
        known = _hash(
            page.source,
            *_named(
                page.source,
                self._root,
                self._book.snippets_dir / name,
                page.path.parent,
            ),
            "" if page.embeds else self._project,
        )
        path = self._root / STATEMENTS / name
        tests = _text(path.with_suffix(".py"))
        more = {"formulas": tests, "structure": self._around}
        more["statements"] = tests + _text(path.with_suffix(".lock")) + _tests(page)
        return {
            name: _hash(name, self._of_check(name), known, more.get(name, ""))
            for name in CHECKS
        }

    def _of_check(self, name: str) -> str:
        """Sentences cost most, and their tests may call ``check_rule``."""
        return self._of_statements if name == "statements" else self._of_pages

    def of_program(self, name: str) -> str:
        path = self._book.snippets_dir / name
        trace = _text(path.with_suffix(".out"))
        return _hash(self._of_runs, name, _text(path), trace)

    @cached_property
    def _of_runs(self) -> str:
        return self._code(_OF_RUNS)

    @cached_property
    def _of_statements(self) -> str:
        return self._code(_OF_STATEMENTS)

    @cached_property
    def _of_pages(self) -> str:
        return self._code(_OF_PAGES)

    def _code(self, parts: tuple[str, ...]) -> str:
        """What does the checks: their code, and every package that is installed."""
        packages = Path(sysconfig.get_path("purelib")).glob("*.dist-info")
        code = {
            path
            for part in parts
            for path in [_SOURCE / part, *(_SOURCE / part).rglob("*.*")]
            if path.suffix in (".py", ".toml") and path.is_file()
        }
        return _hash(
            platform.python_version(),
            _SYSTEM,
            json.dumps(memory.environment(memory.OF_NUMBERS)),
            repr(replace(self._book, root=Path())),
            *sorted(path.name for path in packages),
            *(part for path in sorted(code) for part in (path.name, _text(path))),
        )

    @cached_property
    def _around(self) -> str:
        """What says where a page stands, and whom it cites."""
        bibliography = self._root / settings.load(self._root).docs / BIBLIOGRAPHY
        return _hash(_text(self._root / "mkdocs.yml"), _text(bibliography))

    @cached_property
    def _project(self) -> str:
        globs = (*_PROJECT, f"{self._book.snippets}/**/*.*")
        paths = {path for each in globs for path in self._root.glob(each)}
        return _hash(
            *(
                part
                for path in sorted(paths)
                if path.is_file()
                for part in (path.relative_to(self._root).as_posix(), _text(path))
            )
        )


def tally(findings: list[Finding]) -> dict[str, Counter]:
    """How many findings of each kind are in each state."""
    counts: dict[str, Counter] = {kind: Counter() for kind in KINDS}
    for each in findings:
        counts[each.kind][each.state] += 1
    return counts


def states(counts: Counter) -> str:
    """``48 proven, 9 given, 3 definitions``; of a kind that has none, ``0``"""
    parts = [
        f"{counts[state]} {state}{'s' * (state == 'definition' and counts[state] > 1)}"
        for state in STATES
        if counts[state] and state != "failed"
    ]
    return ", ".join(parts) or "0"


def holding(counts: Counter) -> int:
    """How many of them were checked, and hold."""
    return sum(counts[state] for state in HOLDS)


def understood(findings: list[Finding]) -> bool:
    """Whether all findings are of the kinds and states that are counted."""
    return all(each.kind in KINDS and each.state in STATES for each in findings)


def _title(page: Page) -> str:
    """The first heading, with its code, and without its attributes."""
    for start, level, _ in page.headings:
        if level == 1:
            line = page.text[start:].partition("\n")[0].strip("# ")
            return re.sub(r"\s*\{[^{}]*\}$", "", line)
    return page.path.stem


def _named(text: str, root: Path, *folders: Path) -> list[str]:
    """What a text embeds, names or takes as a proof: whether it is there, in each
    folder where it could be, and its content."""
    book = settings.load(root)
    made = (*_MADE, book.shown(book.figures_dir))
    paths = _paths(text, root, (book.snippets_dir, *folders), made)
    top = f"{root}/"
    return [
        part
        for path in paths
        if os.path.exists(top + path)
        for part in (path, _text(root / path))
    ]


@lru_cache(maxsize=1 << 10)
def _paths(
    text: str, root: Path, folders: tuple[Path, ...], made: tuple[str, ...]
) -> tuple[str, ...]:
    """The paths below the root at which the files that a text names could lie. Each
    edit asks for those of all pages."""
    names = {*FILE_NAME.findall(text), *(["Makefile"] if _MAKE.search(text) else ())}
    # A trace says nothing without its program, nor the program without it.
    for one, other in ((".py", ".out"), (".out", ".py"), (".py", ".live")):
        names |= {n.removesuffix(one) + other for n in names if n.endswith(one)}
    # Nor does a wrong program without the one that mends it, which stands above.
    names |= {name.replace("wrong/", "") for name in names}
    for module in _MODULE.findall(text):
        path = module.replace(".", "/")
        names |= {f"{path}.py", f"{path}/__main__.py", f"src/{path}.py"}
        names.add(f"src/{path}/__main__.py")
    below = [os.path.relpath(place, root) for place in (root, *folders)]
    joined = {os.path.join(place, name) for place in below for name in names}
    tops = tuple(f"{each}/" for each in made)
    paths = sorted({*map(os.path.normpath, joined)})
    return tuple(path for path in paths if not f"{path}/".startswith(tops))


def _tests(page: Page) -> str:
    """What the verdicts of a page's tests depend on."""
    try:
        return Tests(page).ground()
    except SyntaxError:
        return ""


def _text(path: Path) -> str:
    """Each byte counts, also of the ends of lines."""
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()
