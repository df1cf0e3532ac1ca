"""Mistakes in programs: constants, crashes, leaks; each is run."""

import ast
import io
import re
import tempfile
import tokenize
from pathlib import Path

from tracebook.snippet import Snippet

from .book import Book, Mistake, Tally
from .traces import agree

DAEMON = (
    "import os, time; os.fork() or (os.setsid(), os.fork() and os._exit(0),"
    " os.chdir('/'), os.closerange(0, 99), time.sleep(300), os._exit(0))"
)
# Inserted as a line before the last statement, when part is printed.
MISBEHAVIORS = {
    "crashes with SIGSEGV": (
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "1: was killed by SIGSEGV",
    ),
    "calls os._exit(0) half-way": (
        "import os; os._exit(0)",
        "1: ended before its last line, with exit code 0",
    ),
    "leaves a child": (
        "import os, time; os.fork() or (time.sleep(300), os._exit(0))",
        "1: left a process behind",
    ),
    "leaves a child in a session of its own": (
        "import os, time; os.fork() or (os.setsid(), time.sleep(300), os._exit(0))",
        "1: left a process behind",
    ),
    "leaves a daemon": (DAEMON, "1: left a process behind"),
    "leaves a daemon and crashes": (
        DAEMON + "; time.sleep(0.1); os.abort()",
        "1: was killed by SIGABRT",
    ),
    "prints 1 GB": (
        "for _ in range(1000): print('x' * 1_000_000)",
        "1: printed more than 1000000 bytes",
    ),
    "prints invalid UTF-8": (
        r"import os; os.write(1, b'\xff\n')",
        "1: printed invalid UTF-8 in line ",
    ),
    "raises another exception": (
        "raise LookupError('drill')",
        "{line}: raised LookupError: drill",
    ),
    "leaves a file": (
        "open('drill.txt', 'w').close()",
        "1: left files behind: drill.txt",
    ),
}
# Inserted before the first statement, so that nothing else takes time.
ENDLESS = {
    "hangs": "import time; time.sleep(999)",
    "spins": "while True: pass",
    "starts a thread that never ends": "import threading, time;"
    " threading.Thread(target=time.sleep, args=(999,)).start()",
}
# Their effect depends on what the rest of the program prints.
SILENCED = {
    "ends early with exit code 0": ("raise SystemExit", -1),
    "closes stdout": ("import sys; sys.stdout.close()", 1),
    "closes both descriptors": ("import os; os.close(1); os.close(2)", 1),
}
HARMLESS = {
    "reads the empty stdin": "import sys; assert sys.stdin.read() == ''",
    "changes the folder": "import os; os.chdir('/')",
    "patches print": "import builtins; drill = print;"
    " builtins.print = lambda *a, **k: drill(*a, **k)",
    "sets the environment": "import os; os.environ['DRILL'] = '1'",
}
# Inserted after the last statement, to harm whoever runs next.
POISON = (
    "import builtins, os, numpy, tensorflow as tf; tf.constant = None;"
    " tf.GradientTape = numpy.array = None; builtins.print = None;"
    " os.environ['DRILL'] = '1'; builtins.drill = 1\n"
)
NOTICES = (
    "import builtins, os, sys; assert not os.listdir('.') and"
    " 'DRILL' not in os.environ and not hasattr(builtins, 'drill') and"
    " type(print) is type(len) and not sys.stdin.read()"
)


def inserted(each: Snippet, code: str, statement: int) -> tuple[str, int]:
    """The program with a line before one of its statements; the line's number."""
    node = ast.parse(each.source).body[statement]
    line = min(n.lineno for n in (node, *getattr(node, "decorator_list", ())))
    lines = each.source.splitlines(keepends=True)
    return "".join([*lines[: line - 1], code + "\n", *lines[line - 1 :]]), line


def constants(source: str) -> list[str]:
    """The program with one literal changed: a number, or a text that is not
    a docstring."""
    changed = []
    lines = source.splitlines(keepends=True)
    starts = {getattr(tokenize, n, None) for n in ("STRING", "FSTRING_START")}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        new = None
        if token.type == tokenize.NUMBER:
            value = ast.literal_eval(token.string)
            new = str(value + 1 if isinstance(value, int) else value * 2 or 1.0)
        elif token.type in starts and '"""' not in token.string:
            new = re.sub("[\"']", r"\g<0>q", token.string, count=1)
        if new:
            (row, begin), (_, end) = token.start, token.end
            line = lines[row - 1]
            changed.append(
                "".join(
                    [*lines[: row - 1], line[:begin] + new + line[end:], *lines[row:]]
                )
            )
    return changed


def run(book: Book, tally: Tally, site: Path) -> None:
    _constants(book, tally)
    _harmless(book, tally)
    _settings(book, tally)
    _endless(book, tally)
    _misbehaviors(book, tally)


def _constants(book: Book, tally: Tally) -> None:
    snippets = tally.some(book.snippets, 8)

    def mistakes(each: Snippet, sources: list[str]) -> list[Mistake]:
        return [
            Mistake(each.path, source, (each.label.removesuffix("py"),))
            for source in sources
        ]

    kinds = {
        "a constant of a program": [
            mistakes(each, constants(each.source)) for each in snippets
        ]
    }
    for kind, (code, place) in SILENCED.items():
        kinds[kind] = [
            mistakes(each, [inserted(each, code, place)[0]]) for each in snippets
        ]
    silent = [
        (kind, m)
        for kind, files in kinds.items()
        for mistakes in tally.rounds(files, 1)
        for m in tally.judge(book, {kind: mistakes}, may_be_equal=True)
    ]
    rels = {each.path: each.rel for each in snippets}
    printed = _printed(book, [m for _, m in silent]) if silent else []
    for (kind, mistake), (old, new) in zip(silent, printed):
        if old == new:
            tally.kind(kind).equal += 1
        elif agree(old, new, rels[mistake.path]):
            tally.kind(kind).within.append(f"{mistake.named[0]}py prints {new}")
        else:
            tally.count(kind, f"{mistake.named}\n-{old}\n+{new}", False)


def _printed(book: Book, mutants: list[Mistake]) -> list[tuple[str, str]]:
    """What each program prints without tracebook: unchanged, and changed."""
    with tempfile.TemporaryDirectory() as folder:
        for i, mutant in enumerate(mutants):
            for name, source in (
                ("old", mutant.path.read_text("utf-8")),
                ("new", mutant.text or ""),
            ):
                program = Path(folder, f"{i}{name}", mutant.path.name)
                program.parent.mkdir()
                program.write_text(source, "utf-8")
        code, said = book.run("tests.drills.plain", folder)
        assert code == 0, said

        def printed(name: str) -> str:
            text = Path(folder, name, "printed").read_text("utf-8")
            return "".join(
                line
                for line in text.splitlines(keepends=True)
                if not book.noise.match(line)
            )

        return [(printed(f"{i}old"), printed(f"{i}new")) for i in range(len(mutants))]


def _harmless(book: Book, tally: Tally) -> None:
    kinds = list(HARMLESS)
    # A slider's values are of the program as it was, so any change is reported there.
    without_sliders = [
        each for each in book.snippets if not each.path.with_suffix(".live").exists()
    ]
    snippets = tally.some(without_sliders, 2 * len(kinds))
    for turn in range(2 if tally.fast else 2 * len(kinds)):
        planted: dict[str, list[Mistake]] = {}
        for i, each in enumerate(snippets):
            kind = kinds[(i + turn) // 2 % len(kinds)]
            if (i + turn) % 2:
                text = inserted(each, HARMLESS[kind], 1)[0] + POISON
                kind = f"harmless: {kind}"
            else:
                text = inserted(each, NOTICES, 1)[0]
                kind = "harmless: looks for leaks"
            planted.setdefault(kind, []).append(Mistake(each.path, text))
        tally.judge(book, planted)


def _settings(book: Book, tally: Tally) -> None:
    kind = "an unknown setting (exit code 2)"
    settings = book.root / "pyproject.toml"
    places = [
        (
            each.path,
            each.source + "# tracebook: drill\n",
            f"{each.label}:{len(each.source.splitlines()) + 1}: unknown setting 'drill'",
        )
        for each in tally.some(book.snippets, 4)
    ]
    places.append(
        (
            settings,
            settings.read_text("utf-8").replace(
                "[tool.tracebook]", "[tool.tracebook]\ndrill = 1"
            ),
            "pyproject.toml: [tool.tracebook] unknown setting 'drill'",
        )
    )
    for path, text, message in places:
        with book.planted({path: text}):
            code, said = book.run("tracebook", "check")
        tally.count(kind, f"{message}\n{said}", code == 2 and message in said)


def _endless(book: Book, tally: Tally) -> None:
    """By the command with paths, and with a short limit of time."""
    settings = book.root / "pyproject.toml"
    hasty = re.sub(
        r"^time_limit = .*$",
        "time_limit = 1\njobs = 20",
        settings.read_text("utf-8"),
        flags=re.MULTILINE,
    )
    # A recipe may use more than a second of the processor by itself.
    short = [each for each in book.snippets if "/recipes/" not in each.label]
    snippets = tally.some(short, 2 * len(ENDLESS))
    for turn in range(1 if tally.fast else len(ENDLESS)):
        kinds = [list(ENDLESS)[(i + turn) % len(ENDLESS)] for i in range(len(snippets))]
        texts = {
            each.path: inserted(each, ENDLESS[kind], 1)[0]
            for each, kind in zip(snippets, kinds)
        }
        with book.planted({settings: hasty, **texts}):
            code, said = book.run("tracebook", "check", *map(str, texts))
        for each, kind in zip(snippets, kinds):
            ends = "used more than 1 second of the processor"
            if kind != "spins":
                ends = "did not finish within 10 seconds"
            message = f"{each.label}:1: {ends}\n"
            tally.count(kind, f"{message}{said}", code == 1 and message in said)


def _misbehaviors(book: Book, tally: Tally) -> None:
    kinds = list(MISBEHAVIORS)
    snippets = tally.some(book.snippets, len(kinds))
    for turn in range(1 if tally.fast else len(kinds)):
        planted: dict[str, list[Mistake]] = {}
        for i, each in enumerate(snippets):
            kind = kinds[(i + turn) % len(kinds)]
            code, message = MISBEHAVIORS[kind]
            text, line = inserted(each, code, -1)
            planted.setdefault(kind, []).append(
                Mistake(each.path, text, (f"{each.label}:{message.format(line=line)}",))
            )
        tally.judge(book, planted)
    tally.nothing_is_left(book)
