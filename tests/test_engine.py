"""Promise: the engine runs each snippet afresh and lets no failure pass.

The book here is a tiny foreign one, without TensorFlow.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

import psutil
import pytest

from adapters.engine import Engine
from tracebook import progress, settings, snippet

from .project import ROOT

pytestmark = pytest.mark.tools

SETTINGS = """
[tool.tracebook]
time_limit = 1
output_limit = 100_000
start_method = "{method}"
noise = ['LOG \\d+ ']
{more}
"""


class Book:
    """A book in a temporary folder; every program is shown on its one page."""

    def __init__(self, root: Path, temporary: Path, method: str = "forkserver") -> None:
        self.root = root
        self.temporary = temporary
        self.snippets = root / "snippets"
        self.page = root / "docs" / "page.md"
        self.snippets.mkdir()
        self.page.parent.mkdir()
        self.page.write_text("# Page\n")
        self.settings(method=method)

    def settings(self, more: str = "", method: str = "forkserver") -> None:
        text = SETTINGS.format(method=method, more=more)
        (self.root / "pyproject.toml").write_text(text)

    def add(self, name: str, source: str, trace: str | None = None) -> Path:
        path = self.snippets / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
        if trace is not None:
            path.with_suffix(".out").write_text(trace)
        with self.page.open("a") as page:
            page.write(f'--8<-- "{name}.py"\n--8<-- "{name}.out"\n')
        return path

    def start(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "tracebook", "--root", self.root, *arguments],
            cwd=ROOT,
            text=True,
            env={**os.environ, "TMPDIR": str(self.temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(self, *arguments: str) -> tuple[int, str]:
        process = self.start(*arguments)
        said, _ = process.communicate(timeout=60)
        return process.returncode, said

    def trace(self, name: str) -> str:
        return (self.snippets / f"{name}.out").read_text()


@pytest.fixture
def temporary():
    """Where the engine's files go; pytest's own path is too long for a socket."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def book(tmp_path, temporary):
    return Book(tmp_path, temporary)


@pytest.fixture(params=["forkserver", pytest.param("spawn", marks=pytest.mark.slow)])
def any_book(request, tmp_path, temporary):
    return Book(tmp_path, temporary, request.param)


def test_a_true_trace_holds_and_a_false_one_does_not(any_book):
    any_book.add("good", "print('x =', 0.5)\n", "x = 0.5000001\n")
    assert any_book.run("check")[0] == 0
    any_book.add("bad", "print('a')\nprint('x =', 0.5)\n", "a\nx = 0.6\n")
    code, said = any_book.run("check")
    assert code == 1
    assert "snippets/bad.out:2: snippets/bad.py prints something else" in said
    assert "-x = 0.6" in said and "+x = 0.5" in said
    assert "good" not in said


def test_who_asks_for_all_by_name_does_not_look_at_all_for_each(book, monkeypatch):
    paths = [book.add(f"a{n}", "print(1)\n", "1\n") for n in range(50)]
    really, asked = Path.resolve, []

    def resolve(path: Path, strict: bool = False) -> Path:
        asked.append(path)
        return really(path, strict)

    its = settings.load(book.root)
    monkeypatch.setattr(Path, "resolve", resolve)
    assert [each.path for each in snippet.find(its, paths)] == sorted(paths)
    assert len(asked) <= 3 * len(paths)


def test_output_is_captured_in_printed_order(any_book):
    """Python's streams, a C-level write to stderr, and a child's print."""
    any_book.add(
        "order",
        """
import os, subprocess, sys
print("1 stdout")
os.write(2, b"2 descriptor 2\\n")
print("3 stderr", file=sys.stderr)
os.write(1, b"4 descriptor 1\\n")
subprocess.run([sys.executable, "-c", "print('5 child')"], check=True)
print("6 stdout")
""",
    )
    assert any_book.run("update")[0] == 0
    assert [line[0] for line in any_book.trace("order").splitlines()] == list("123456")


def test_each_snippet_is_main_alone_and_in_an_empty_folder(any_book):
    for name in ("first", "second"):
        any_book.add(
            name,
            f"""
import builtins, os, sys
print(__name__, os.listdir("."), repr(sys.stdin.read()), len(sys.argv))
print(hasattr(builtins, "leak"), "LEAK" in os.environ, "tracebook" in sys.path[0])
assert os.path.basename(__file__) == sys.argv[0].split("/")[-1] == "{name}.py"
builtins.leak = 1
os.environ["LEAK"] = "1"
os.chdir("/")
def print(*_): pass
""",
        )
    assert any_book.run("update")[0] == 0
    expected = "__main__ [] '' 1\nFalse False True\n"
    assert any_book.trace("first") == any_book.trace("second") == expected


def test_a_snippet_ends_as_in_python(any_book):
    """The program, its threads, and at last what it registered."""
    any_book.add(
        "ends",
        """
import atexit, time
from concurrent.futures import ThreadPoolExecutor
atexit.register(print, "3 at exit")
pool = ThreadPoolExecutor()
pool.submit(lambda: (time.sleep(0.2), print("2 a thread")))
print("1 the program")
""",
        "1 the program\n2 a thread\n3 at exit\n",
    )
    code, said = any_book.run("check")
    assert code == 0, said


def test_a_snippet_imports_neither_a_neighbor_nor_the_site(book):
    book.add("neighbor", "print('here')\n", "here\n")
    book.add(
        "importer",
        """
for name in ("neighbor", "conftest"):
    try:
        __import__(name)
    except ImportError as error:
        print(error)
""",
        "No module named 'neighbor'\nNo module named 'conftest'\n",
    )
    (book.root / "conftest.py").touch()
    assert book.run("check")[0] == 0


def test_noise_is_dropped_but_not_what_python_prints_itself(any_book):
    any_book.add(
        "noise",
        """
import os
print("before")
os.write(2, b"LOG 1 from elsewhere\\n")
print("LOG 2 from the program")
os.write(2, b"LOG without a number\\n")
""",
        "before\nLOG 2 from the program\nLOG without a number\n",
    )
    assert any_book.run("check")[0] == 0


FAILING = {
    "raises": (
        "print('so far')\nraise ValueError('no')\n",
        "raises.py:2: raised ValueError: no",
    ),
    "nested": (
        "def f():\n    return {}['k']\n\nf()\n",
        "nested.py:2: raised KeyError: 'k'",
    ),
    "syntax": ("print('a')\nx = (\n", "syntax.py:2: raised"),
    "exits": (
        "print('a')\nimport sys\nsys.exit(3)\n",
        "exits.py:3: raised SystemExit: 3",
    ),
    "promised": (
        "# tracebook: raises ValueError\nprint('a')\n",
        "declares that it raises ValueError, but did not",
    ),
    "other": (
        "# tracebook: raises ValueError\nraise KeyError('k')\n",
        "it declares that it raises ValueError",
    ),
    "hangs": (
        "import time\nprint('so far')\ntime.sleep(99)\n",
        "did not finish within 10 seconds",
    ),
    "thread": (
        "import threading, time\nprint('a')\n"
        "threading.Thread(target=time.sleep, args=(99,)).start()\n",
        "did not finish within 10 seconds",
    ),
    "crashes": (
        "import ctypes\nprint('so far', flush=True)\nctypes.string_at(0)\n",
        "was killed by SIGSEGV",
    ),
    "vanishes": (
        "import os\nprint('so far')\nos._exit(0)\n",
        "ended before its last line, with exit code 0",
    ),
    "endless": (
        "while True:\n    print('x' * 999)\n",
        "printed more than 100000 bytes",
    ),
    "utf8": (
        "import os\nprint('a')\nos.write(1, b'\\xff\\n')\n",
        "printed invalid UTF-8 in line 2",
    ),
    "silent": ("x = 1\n", "printed nothing"),
    "tab": ("print('a\\tb')\n", "holds the control character '\\t'"),
    "space": ("print('a ')\n", "ends in a space"),
    "closed": (
        "import sys\nprint('a')\nsys.stdout.close()\nprint('b')\n",
        "closed.py:4: raised ValueError: I/O operation on closed file",
    ),
    "litters": ("open('x.txt', 'w').close()\nprint('a')\n", "left files behind: x.txt"),
    "orphans": (
        "import os, time\nprint('a', flush=True)\n"
        "if os.fork() == 0:\n    time.sleep(99)\n",
        "left a process behind",
    ),
    "daemon": (
        "import os, time\nprint('a', flush=True)\n"
        "if os.fork() == 0:\n    os.setsid()\n"
        "    if os.fork() == 0:\n        time.sleep(99)\n"
        "    os._exit(0)\n",
        "left a process behind",
    ),
}


def test_every_failure_is_reported_and_the_others_still_run(any_book):
    for name, (source, _) in FAILING.items():
        any_book.add(name, source, "so far\n")
    any_book.add("zz_good", "print('fine')\n", "fine\n")
    began = time.monotonic()
    code, said = any_book.run("update")
    assert time.monotonic() - began < 30
    assert code == 1
    for name, (_, message) in FAILING.items():
        assert f"snippets/{name}.py:" in said and message in said, name
        assert any_book.trace(name) == "so far\n", f"{name}: trace overwritten"
    assert "zz_good" not in said
    assert f"{len(FAILING)} problems" in said
    assert said.count("    so far\n") >= 4, "what was printed so far is shown"
    psutil.wait_procs(_processes_in(any_book.temporary), timeout=2)
    assert not _processes_in(any_book.temporary)
    assert not list(any_book.temporary.iterdir())


def _processes_in(folder: Path) -> list[psutil.Process]:
    """Every snippet works in a folder of its own below ``folder``."""
    return [
        p
        for p in psutil.process_iter(["cwd"])
        if (p.info["cwd"] or "").startswith(str(folder))
    ]


def test_a_declared_exception_ends_the_trace(any_book):
    any_book.add(
        "wrong",
        '''
# tracebook: raises ValueError
print("so far")
raise ValueError("""in user code:

    File "/somewhere/x.py", line 5, in f  *
        return y

    too bad""")
''',
    )
    assert any_book.run("update")[0] == 0
    assert any_book.trace("wrong") == (
        "so far\nValueError: in user code:\n\n\n    too bad\n"
    )


def test_a_declared_tolerance_is_that_snippets_own(book):
    book.add("loose", "# tracebook: rel=1e-2\nprint(0.5)\n", "0.502\n")
    assert book.run("check")[0] == 0
    book.add("tight", "print(0.5)\n", "0.51\n")
    code, said = book.run("check")
    assert code == 1 and "tight" in said and "loose" not in said


@pytest.mark.parametrize(
    "bad",
    [
        "# tracebook: rel=much",
        "# tracebook: rel=1",
        "# tracebook: rel=0.9",
        "# tracebook: rel=2e-2",
        "# tracebook: raise ValueError",
        "# tracebook: skip",
        "#tracebook:",
    ],
)
def test_an_unknown_declaration_is_a_usage_error(book, bad):
    book.add("x", f"print(1)\n{bad}\n", "1\n")
    code, said = book.run("check")
    assert code == 2 and "snippets/x.py:2" in said


@pytest.mark.parametrize(
    "bad",
    [
        "tolerance = 1",
        "rel = 'wide'",
        "preload = 'tensorflow'",
        "time_limit = 0",
        "start_method = 'fork'",
        "noise = ['(']",
        "jobs = true",
        "preload = ['no_such']",
        "rel = 2",
        "rel = 0.02",
        "= broken",
    ],
)
def test_an_unknown_setting_is_a_usage_error(book, bad):
    book.add("x", "print(1)\n", "1\n")
    (book.root / "pyproject.toml").write_text(f"[tool.tracebook]\n{bad}\n")
    code, said = book.run("check")
    assert code == 2 and "tracebook: " in said and "Traceback" not in said


def test_a_module_that_fails_to_preload_is_named(book):
    (book.root / "broken_module.py").write_text("import no_such_module\n")
    book.add("x", "print(1)\n", "1\n")
    book.settings("preload = ['broken_module']")
    environment = {**os.environ, "PYTHONPATH": str(book.root)}
    done = subprocess.run(
        [sys.executable, "-m", "tracebook", "--root", book.root, "check"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2 and "broken_module" in done.stderr


@pytest.mark.parametrize(
    "arguments", [["chek"], ["check", "--fast"], ["check", "no/such.py"], []]
)
def test_wrong_usage_is_a_usage_error(book, arguments):
    assert book.run(*arguments)[0] == 2


def test_with_a_path_only_that_snippet_is_judged(book):
    good = book.add("good", "print(1)\n", "1\n")
    book.add("bad", "print(1)\n", "2\n")
    (book.snippets / "orphan.out").write_text("x\n")
    assert book.run("check", str(good))[0] == 0
    assert book.run("check", str(good.with_suffix(".out")))[0] == 0
    code, said = book.run("check")
    assert code == 1 and "bad.out:1" in said and "orphan.out" in said


def test_update_writes_what_no_longer_holds_and_nothing_else(book):
    holds = book.add("holds", "print(0.5)\n", "0.5000001\n")
    book.add("stale", "print('new')\n", "old\n")
    book.add("fresh", "print('first')\n")
    code, said = book.run("check")
    assert code == 1 and "fresh.py:1: has no output" in said
    assert not (book.snippets / "fresh.out").exists(), "check writes nothing"
    code, said = book.run("update")
    assert code == 0
    assert "-old" in said and "+new" in said and "fresh.out: created" in said
    assert book.trace("stale") == "new\n" and book.trace("fresh") == "first\n"
    assert holds.with_suffix(".out").read_text() == "0.5000001\n"
    assert book.run("check")[0] == 0
    assert len(list(book.snippets.iterdir())) == 6, "nothing else is left"


PAGES = {
    '--8<-- "nowhere.py"': "embeds nowhere.py",
    '--8<-- "x.py:part"': "section 'part'",
    '--8<-- "x.out:1:9"': "is a line of its own",
    '    --8<-- "deep/nowhere.out"': "embeds deep/nowhere.out",
    "--8<--\nx.py\n--8<--": "is a line of its own",
    '--8<-- ";x.py"': "is a line of its own",
    '--8<-- "x.py" "x.out"': "is a line of its own",
    "--8<-- 'x.py'": "is a line of its own",
    '--8<-- "https://example.org/x.py"': "is a line of its own",
    '--8<-- "/etc/hostname"': "embeds /etc/hostname",
    '--8<-- "./x.py"': "embeds ./x.py",
    '--8<-- "../snippets/x.py"': "embeds ../snippets/x.py",
    '--8<-- ".hidden"': "embeds .hidden",
    '--8<-- "x.py:empty"': "nothing",
    "Text --8<-- [start:whole]": "is a line of its own",
    '--8<-- "x.py" ': "is a line of its own",
    "--8<-- x.py": "is a line of its own",
    '--8<-- "../docs/page.md"': "embeds ../docs/page.md",
    "![A figure](figures/x.svg)": "figure x.svg",
}


@pytest.mark.parametrize("line", PAGES)
def test_a_page_embeds_only_what_is_there(book, line):
    book.add(
        "x",
        "# --8<-- [start:whole]\nprint(1)\nprint(2)\n# --8<-- [end:whole]\n"
        "# --8<-- [start:empty]\n\n# --8<-- [end:empty]\n",
        "1\n2\n",
    )
    (book.snippets / ".hidden").write_text("never ran")
    with book.page.open("a") as page:
        page.write('--8<-- "x.py:whole"\n--8<-- "x.out"\n;--8<-- "no.py"\n')
    assert book.run("check")[0] == 0
    number = len(book.page.read_text().splitlines()) + 1
    with book.page.open("a") as page:
        page.write(line + "\n")
    code, said = book.run("check")
    assert code == 1 and f"docs/page.md:{number}: " in said and PAGES[line] in said


def test_a_snippet_or_trace_that_no_page_shows_is_reported(book):
    book.add("x", "print(1)\n", "1\n")
    book.page.write_text('--8<-- "x.py"\n')
    code, said = book.run("check")
    assert code == 1 and "snippets/x.out: no page shows it" in said
    book.page.write_text('--8<-- "x.out"\n')
    code, said = book.run("check")
    assert code == 1 and "snippets/x.py: no page shows it" in said


def test_a_table_is_no_orphan_and_needs_a_page(book):
    book.settings("plugins = ['truth.tracebook_plugin']")
    book.add("x", "print(1)\n", "1\n")
    (book.snippets / "tables").mkdir()
    (book.snippets / "tables/a.md").write_text("| a |\n| --- |\n| 1 |\n")
    code, said = book.run("check")
    assert code == 1 and "snippets/tables/a.md: no page shows it" in said
    assert "neither" not in said
    with book.page.open("a") as page:
        page.write('\n--8<-- "tables/a.md"\n')
    code, said = book.run("check")
    assert code == 0, said
    (book.snippets / "a.md").write_text("A table below tables/ only.\n")
    code, said = book.run("check")
    assert code == 1 and "snippets/a.md: neither a snippet nor an output" in said


def test_figures_are_published_when_they_change_and_removed_when_stale(book):
    path = book.add(
        "draws",
        "for name in ('draws', 'draws-dark'):\n"
        "    open(name + '.svg', 'w').write('<svg/>')\n"
        "print('drawn')\n",
        "drawn\n",
    )
    figures = book.root / "docs" / "figures"
    assert book.run("check")[0] == 0
    assert sorted(p.name for p in figures.iterdir()) == ["draws-dark.svg", "draws.svg"]
    written = (figures / "draws.svg").stat().st_mtime_ns
    assert book.run("check")[0] == 0
    assert (figures / "draws.svg").stat().st_mtime_ns == written
    path.write_text(path.read_text().replace("('draws', 'draws-dark')", "('draws',)"))
    assert book.run("update")[0] == 0
    assert [p.name for p in figures.iterdir()] == ["draws.svg"]
    path.write_text("raise ValueError\n")
    assert book.run("check")[0] == 1
    assert [p.name for p in figures.iterdir()] == ["draws.svg"], "failing keeps it"


def _wait_for_a_snippet(book: Book) -> None:
    deadline = time.monotonic() + 20
    while not _processes_in(book.temporary) and time.monotonic() < deadline:
        time.sleep(0.05)


LONG = {
    "slow.out": "print('new' * 9999)\n",
    "slow.svg": "open('slow.svg', 'w').write('new' * 9999)\nprint('old')\n",
}


@pytest.mark.parametrize("name", LONG)
def test_a_file_that_cannot_be_written_stays_as_it_was(book, name):
    """As on a full disk: the engine, and it alone, may write no long file."""
    path = book.add(
        "slow", "open('slow.svg', 'w').write('<svg/>')\nprint('old')\n", "old\n"
    )
    assert book.run("check")[0] == 0
    figure = book.root / "docs" / "figures" / "slow.svg"
    path.write_text("import time\ntime.sleep(1)\n" + LONG[name])
    process = book.start("update")
    _wait_for_a_snippet(book)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (999, 999))
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"{name}'" in said.splitlines()[-1] and "Traceback" not in said, said
    assert book.trace("slow") == "old\n" and figure.read_text() == "<svg/>"
    assert len(list(book.root.rglob("*slow*"))) == 3, "nothing half-written is left"
    assert not list(book.temporary.iterdir())


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_engine_leaves_no_process_and_no_half_trace(book, stop):
    book.add("slow", "import time\nprint('a')\ntime.sleep(99)\n", "old\n")
    process = book.start("update")
    _wait_for_a_snippet(book)
    family = psutil.Process(process.pid).children(recursive=True)
    assert len(family) >= 2, "the forkserver and the snippet run"
    process.send_signal(stop)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert not psutil.wait_procs(family, timeout=30)[1]
    assert book.trace("slow") == "old\n"


@pytest.mark.parametrize("is_seen, pause", [(True, 2), (False, 12)])
def test_progress_is_told_now_and_then(is_seen, pause, monkeypatch, capsys):
    """Where somebody looks often, in one line; never that the end is near."""
    now = 0.0
    monkeypatch.setattr(progress, "IS_TERMINAL", is_seen)
    monkeypatch.setattr(progress, "PAUSE", pause - 1)
    monkeypatch.setattr(progress.os, "get_terminal_size", lambda _: (80, 24))
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    tell = progress.of_programs()
    for ended in range(3):
        tell(ended, 3)
        now += pause
        tell(ended, 3)
        tell(ended, 3)
    tell(3, 3)
    lines = [f"tracebook: {ended} of 3 snippets" for ended in range(3)]
    said = "".join(f"\r{each}\x1b[K\r" if is_seen else f"{each}\n" for each in lines)
    assert capsys.readouterr().err == said


def test_only_what_the_engine_drew_is_removed_and_never_by_check(book):
    path = book.add(
        "draws", "open('draws.svg', 'w').write('<svg/>')\nprint('drawn')\n", "drawn\n"
    )
    figures = book.root / "docs" / "figures"
    (figures / "deep").mkdir(parents=True)
    for name in ("own.svg", "deep/own.svg"):
        (figures / name).write_text("<svg>by hand</svg>")
    assert book.run("check")[0] == 0
    path.write_text("print('drawn')\n")
    with book.page.open("a") as page:
        page.write("![](figures/draws.svg) ![](figures/own.svg)\n")
    code, said = book.run("check")
    assert code == 1 and "figure draws.svg, which no snippet drew" in said
    assert "own.svg" not in said
    assert (figures / "draws.svg").exists(), "check removes nothing"
    assert book.run("update")[0] == 1
    assert sorted(p.name for p in figures.rglob("*.svg")) == ["own.svg", "own.svg"]


@pytest.mark.parametrize("drawn_before", [False, True])
def test_a_figure_made_by_hand_is_not_overwritten(book, drawn_before):
    book.add("draws", "open('draws.svg', 'w').write('<svg/>')\nprint(1)\n", "1\n")
    figure = book.root / "docs" / "figures" / "draws.svg"
    if drawn_before:
        assert book.run("check")[0] == 0
    figure.parent.mkdir(exist_ok=True)
    figure.write_text("<svg>by hand</svg>")
    for command in ("check", "update"):
        code, said = book.run(command)
        assert code == 1 and "docs/figures/draws.svg: " in said
        assert figure.read_text() == "<svg>by hand</svg>"


WRITES = {
    "undeclared": ("open('a.csv', 'w').close()", "left files behind: a.csv"),
    "large": (
        "open('large.svg', 'w').write('x' * 999_999)",
        "large.svg is larger than 9999 bytes",
    ),
    "link": (
        "import os\nos.symlink('/etc/hostname', 'link.svg')",
        "left files behind: link.svg",
    ),
}


def test_other_files_are_not_published(book):
    book.settings("file_limit = 9999")
    for name, (source, _) in WRITES.items():
        book.add(name, source + "\nprint(1)\n", "1\n")
    code, said = book.run("check")
    assert code == 1
    for name, (_, message) in WRITES.items():
        assert f"snippets/{name}.py:1: {message}" in said, said
    assert not (book.root / "docs" / "figures").exists()


def test_two_programs_do_not_draw_one_figure(book):
    for name in ("one", "one-two"):
        book.add(name, "open('one-two.svg', 'w').close()\nprint(1)\n", "1\n")
    code, printed = book.run("check")
    assert code == 1
    assert "snippets/one.py:1: writes one-two.svg, as snippets/one-two.py" in printed


def test_hidden_files_are_no_part_of_a_book(book):
    book.add("x", "print(1)\n", "1\n")
    for hidden in (".DS_Store", "._x.py", ".idea/x.out"):
        (book.snippets / hidden).parent.mkdir(exist_ok=True)
        (book.snippets / hidden).write_bytes(b"\0\xff")
    (book.snippets / ".#x.py").symlink_to("nowhere")
    (book.root / "docs" / "._page.md").write_text('--8<-- "no.py"\n')
    code, said = book.run("check")
    assert code == 0, said
    (book.snippets / "x.txt").touch()
    code, said = book.run("check")
    assert code == 1 and "snippets/x.txt: neither a snippet nor an output" in said


READ_AS_INCLUDES = {
    "docstring": '"""\n--8<-- "x.out"\n"""\nprint(1)\n',
    "section": '"""\n--8<-- "x.py:part"\n"""\nprint(1)\n',
    "block": '"""\n--8<--\nx.out\n--8<--\n"""\nprint(1)\n',
    "escaped": '"""\n;--8<-- "x.out"\n"""\nprint(1)\n',
    "behind": "\ny = 1  # --8<-- [start:a]\nprint(y)\n# --8<-- [end:a]\n",
    "spelled": "\n# -8<-  [ Start : a ]\nprint(1)\n",
}


@pytest.mark.parametrize("name", READ_AS_INCLUDES)
def test_a_program_holds_no_line_that_a_page_would_obey(book, name):
    book.add("x", "# --8<-- [start:part]\nprint(1)\n# --8<-- [end:part]\n", "1\n")
    assert book.run("check")[0] == 0
    path = book.add(name, READ_AS_INCLUDES[name], "1\n")
    for arguments in ([], [str(path)]):
        code, said = book.run("check", *arguments)
        assert code == 1 and f"snippets/{name}.py:2: " in said, said
        assert "a page would obey" in said


def test_a_committed_trace_holds_no_include_within_the_tolerance(book):
    book.add("x", """print('--8.0000001<-- "x.py"')\n""", '--8<-- "x.py"\n')
    code, said = book.run("check")
    assert code == 1 and "snippets/x.out:1: " in said and "a page would obey" in said


@pytest.mark.parametrize("name", ["more.markdown", "deep/more.mkd"])
def test_every_page_that_mkdocs_renders_is_judged(book, name):
    page = book.page.parent / name
    page.parent.mkdir(exist_ok=True)
    page.write_text('\ufeff--8<-- "nowhere.py"\n')
    code, said = book.run("check")
    assert code == 1 and f"docs/{name}:1: embeds nowhere.py" in said


def test_the_pages_are_where_the_settings_have_them(book):
    book.settings("docs = 'pages'")
    book.add("x", "print(1)\n", "1\n")
    code, said = book.run("check")
    assert code == 2 and "pages: no such folder" in said
    book.page.parent.rename(book.root / "pages")
    (book.root / "docs").mkdir()
    assert book.run("check")[0] == 0
    (book.root / "pages" / "more.md").write_text('--8<-- "nowhere.py"\n')
    code, said = book.run("check")
    assert code == 1 and "pages/more.md:1: embeds nowhere.py" in said


@pytest.mark.parametrize(
    "line, message",
    [
        ("docs = '/etc'", "/etc"),
        ("docs = '../elsewhere'", "elsewhere"),
        ("snippets = 'programs'", "programs"),
        ("snippets = '../snippets'", "../snippets"),
    ],
)
def test_a_project_without_its_folders_is_not_checked(book, line, message):
    book.settings(line)
    code, said = book.run("check")
    assert code == 2 and message in said and "Traceback" not in said, said


def test_the_limit_counts_the_processors_time(any_book):
    """A wait, as under load, is not counted; an end comes all the same."""
    any_book.add("waits", "import time\ntime.sleep(3)\nprint(1)\n", "1\n")
    any_book.add("works", "print('so far')\nwhile True:\n    pass\n", "1\n")
    code, said = any_book.run("check")
    assert code == 1 and "waits" not in said
    assert "works.py:1: used more than 1 second of the processor" in said
    assert "    so far\n" in said


def test_a_signal_without_a_name_is_reported(any_book):
    any_book.add(
        "dies", "import os\nprint(1, flush=True)\nos.kill(os.getpid(), 35)\n", "1\n"
    )
    code, said = any_book.run("check")
    assert code == 1 and "dies.py:1: was killed by signal 35" in said
    assert "Traceback" not in said


RUNNERS = """
import sys, threading
from pathlib import Path
from tracebook import settings, snippet
from tracebook.runner import Runner

if __name__ == "__main__":
    book = settings.load(Path(sys.argv[1]))
    problems = []
    def run():
        runner = Runner(book)
        runner.run(snippet.find(book), lambda _, run: problems.append(run.problem))
        runner.close()
    threads = [threading.Thread(target=run) for _ in range(3)]
    for each in threads: each.start()
    for each in threads: each.join()
    print(problems)
"""


def test_runners_of_one_process_leave_each_other_alone(book):
    for n in range(20):
        book.add(f"x{n}", f"import time\ntime.sleep(0.0{n % 7})\nprint(1)\n", "1\n")
    script = book.temporary / "run.py"
    script.write_text(RUNNERS)
    done = subprocess.run(
        [sys.executable, script, book.root],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == f"{[None] * 60}\n", done.stdout + done.stderr


LATER = """
import sys
from dataclasses import replace
from pathlib import Path
from tracebook import settings, snippet
from tracebook.runner import Runner

if __name__ == "__main__":
    book = settings.load(Path(sys.argv[1]))
    for observer in ("", "looks_on"):
        runner = Runner(replace(book, observer=observer))
        runner.run(snippet.find(book), lambda _, run: print(run.observed))
        runner.close()
"""


def test_a_later_runner_has_its_own_observer(book):
    """The process to fork from is the first one's, and the observer the book's own."""
    book.add("x", "print(1)\n", "1\n")
    (book.root / "looks_on.py").write_text("def begin(snippet): return lambda: 'saw'\n")
    script = book.root / "run.py"
    script.write_text(LATER)
    done = subprocess.run(
        [sys.executable, script, book.root],
        cwd=book.root,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "None\nsaw\n", done.stdout + done.stderr


def test_other_programs_read_json(book):
    book.add("good", "print(1)\n", "1\n")
    book.add("bad", "print(1)\n", "2\n")
    book.add("raises", "print(1)\nraise ValueError('no')\n", "1\n")
    (book.root / "docs" / "more.md").write_text('--8<-- "nowhere.py"\n')
    process = book.start("check", "--json")
    report = json.loads(process.communicate(timeout=60)[0])
    assert process.returncode == 1
    assert report["ran"] == 3 and report["remembered"] == 0
    assert report["outputs"] == {
        "bad.py": "1\n",
        "good.py": "1\n",
        "raises.py": "1\nValueError: no\n",
    }
    found = [(each["name"], each["location"]) for each in report["problems"]]
    assert found == [
        ("bad.py", "snippets/bad.out:1"),
        ("raises.py", "snippets/raises.py:2"),
        ("", "docs/more.md:1"),
    ]
    assert report["problems"][1]["message"].startswith("raised ValueError: no\n")


def test_a_report_has_the_digests_of_what_was_compared(book):
    """Program and output change while the program runs, as by an editor."""
    path = book.snippets / "x.py"
    source = (
        "print('right')\n"
        f"open({str(path)!r}, 'w').write('print(0)')\n"
        f"open({str(path.with_suffix('.out'))!r}, 'w').write('wrong')\n"
    )
    book.add("x", source, "right\n")
    code, said = book.run("check", "--json")
    assert code == 0, said
    assert (path.read_text(), book.trace("x")) == ("print(0)", "wrong")
    digests = [sha256(text.encode()).hexdigest() for text in (source, "right\n")]
    assert json.loads(said)["digests"] == {"x.py": digests}


def test_a_report_has_the_digest_of_an_output_that_was_rewritten(book):
    book.add("x", "print('new')\n", "old\n")
    report = json.loads(book.run("update", "--json")[1])
    assert report["digests"]["x.py"][1] == sha256(b"new\n").hexdigest()


def test_a_warm_engine_judges_what_it_is_asked_for(book):
    book.add("good", "print(1)\n", "1\n")
    book.add("a bad one", "print(1)\n", "2\n")
    engine = Engine(book.root)
    try:
        report = engine.check(book.snippets / "a bad one.py")
        assert list(report["outputs"]) == ["a bad one.py"]
        assert len(report["problems"]) == 1
        assert len(engine.check()["outputs"]) == 2
    finally:
        engine.close()


def test_an_engine_that_nobody_listens_to_ends(book):
    book.add("slow", "import time\ntime.sleep(9)\nprint('a')\n", "a\n")
    starter = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time; from pathlib import Path;"
            " from adapters.engine import Engine;"
            f" engine = Engine(Path({str(book.root)!r})); engine.check();"
            " time.sleep(99)",
        ],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(book.temporary)},
    )
    _wait_for_a_snippet(book)
    family = psutil.Process(starter.pid).children(recursive=True)
    starter.kill()
    starter.wait()
    assert len(family) >= 2
    assert not psutil.wait_procs(family, timeout=30)[1]


PRINTS = """import os, sys
from concurrent.futures import ThreadPoolExecutor

def say(what):
    print(what)

print("one\\ntwo", end="")
print(" and more")
os.write(1, b"from elsewhere\\n")
os.print = lambda *what: os.write(2, b"f 1 = [[2 3]\\n [4 5]]\\n")
os.print("f", 1, "=", [[2, 3], [4, 5]])
say("three")
ThreadPoolExecutor().submit(print, "four").result()
print("five", file=sys.stderr)
# tracebook: raises ValueError
raise ValueError("six")
"""


def test_it_is_kept_which_line_printed_what(book):
    """What did not come through a line of the program, as readers see it, has none."""
    book.settings("plugins = ['reader.printed_lines']")
    book.add("a", PRINTS)
    book.add("b", "for word in ('x', 'y'):\n    print(word)\nprint('x')\n")
    _, said = book.run("check", "--json")
    lines = {"a.py": [7, 8, 0, 11, 11, 5, 0, 14, 15], "b.py": [2, 2, 3]}
    assert json.loads(said)["plugins"] == {"lines": lines}
