"""Promise: the engine runs each program afresh, and reports every failure.

The project of these tests is a tiny one, without TensorFlow.
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


class Project:
    """A project in a temporary folder, whose only page shows every program."""

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
        printed, _ = process.communicate(timeout=60)
        return process.returncode, printed

    def trace(self, name: str) -> str:
        return (self.snippets / f"{name}.out").read_text()


@pytest.fixture
def temporary():
    """A folder for the engine's files; pytest's own path is too long for a socket."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def project(tmp_path, temporary):
    return Project(tmp_path, temporary)


@pytest.fixture(params=["forkserver", pytest.param("spawn", marks=pytest.mark.slow)])
def any_project(request, tmp_path, temporary):
    return Project(tmp_path, temporary, request.param)


def test_a_right_output_passes_and_a_wrong_one_does_not(any_project):
    any_project.add("good", "print('x =', 0.5)\n", "x = 0.5000001\n")
    assert any_project.run("check")[0] == 0
    any_project.add("bad", "print('a')\nprint('x =', 0.5)\n", "a\nx = 0.6\n")
    code, printed = any_project.run("check")
    assert code == 1
    assert "snippets/bad.out:2: snippets/bad.py prints something else" in printed
    assert "-x = 0.6" in printed and "+x = 0.5" in printed
    assert "good" not in printed


def test_finding_all_programs_by_name_takes_linear_time(project, monkeypatch):
    paths = [project.add(f"a{n}", "print(1)\n", "1\n") for n in range(50)]
    really, asked = Path.resolve, []

    def resolve(path: Path, strict: bool = False) -> Path:
        asked.append(path)
        return really(path, strict)

    its = settings.load(project.root)
    monkeypatch.setattr(Path, "resolve", resolve)
    assert [each.path for each in snippet.find(its, paths)] == sorted(paths)
    assert len(asked) <= 3 * len(paths)


def test_output_is_captured_in_printed_order(any_project):
    """Python's streams, a C-level write to stderr, and a child's print."""
    any_project.add(
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
    assert any_project.run("update")[0] == 0
    assert [line[0] for line in any_project.trace("order").splitlines()] == list(
        "123456"
    )


def test_each_snippet_is_main_alone_and_in_an_empty_folder(any_project):
    for name in ("first", "second"):
        any_project.add(
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
    assert any_project.run("update")[0] == 0
    expected = "__main__ [] '' 1\nFalse False True\n"
    assert any_project.trace("first") == any_project.trace("second") == expected


def test_a_snippet_ends_as_in_python(any_project):
    """The program, its threads, and at last what it registered."""
    any_project.add(
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
    code, printed = any_project.run("check")
    assert code == 0, printed


def test_a_snippet_imports_neither_a_neighbor_nor_the_site(project):
    project.add("neighbor", "print('here')\n", "here\n")
    project.add(
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
    (project.root / "conftest.py").touch()
    assert project.run("check")[0] == 0


def test_noise_is_dropped_but_not_what_python_prints_itself(any_project):
    any_project.add(
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
    assert any_project.run("check")[0] == 0


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


def test_every_failure_is_reported_and_the_others_still_run(any_project):
    for name, (source, _) in FAILING.items():
        any_project.add(name, source, "so far\n")
    any_project.add("zz_good", "print('fine')\n", "fine\n")
    began = time.monotonic()
    code, printed = any_project.run("update")
    assert time.monotonic() - began < 90, "one that sleeps 99 seconds was waited for"
    assert code == 1
    for name, (_, message) in FAILING.items():
        assert f"snippets/{name}.py:" in printed and message in printed, name
        assert any_project.trace(name) == "so far\n", f"{name}: trace overwritten"
    assert "zz_good" not in printed
    assert f"{len(FAILING)} problems" in printed
    assert printed.count("    so far\n") >= 4, "what was printed so far is shown"
    psutil.wait_procs(_processes_in(any_project.temporary), timeout=2)
    assert not _processes_in(any_project.temporary)
    assert not list(any_project.temporary.iterdir())


def _processes_in(folder: Path) -> list[psutil.Process]:
    """Return the processes that work below a folder, as each program does."""
    return [
        p
        for p in psutil.process_iter(["cwd"])
        if (p.info["cwd"] or "").startswith(str(folder))
    ]


def test_a_declared_exception_ends_the_output(any_project):
    any_project.add(
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
    assert any_project.run("update")[0] == 0
    assert any_project.trace("wrong") == (
        "so far\nValueError: in user code:\n\n\n    too bad\n"
    )


def test_a_declared_tolerance_is_that_snippets_own(project):
    project.add("loose", "# tracebook: rel=1e-2\nprint(0.5)\n", "0.502\n")
    assert project.run("check")[0] == 0
    project.add("tight", "print(0.5)\n", "0.51\n")
    code, printed = project.run("check")
    assert code == 1 and "tight" in printed and "loose" not in printed


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
def test_an_unknown_declaration_is_a_usage_error(project, bad):
    project.add("x", f"print(1)\n{bad}\n", "1\n")
    code, printed = project.run("check")
    assert code == 2 and "snippets/x.py:2" in printed


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
def test_an_unknown_setting_is_a_usage_error(project, bad):
    project.add("x", "print(1)\n", "1\n")
    (project.root / "pyproject.toml").write_text(f"[tool.tracebook]\n{bad}\n")
    code, printed = project.run("check")
    assert code == 2 and "tracebook: " in printed and "Traceback" not in printed


def test_a_module_that_fails_to_preload_is_named(project):
    (project.root / "broken_module.py").write_text("import no_such_module\n")
    project.add("x", "print(1)\n", "1\n")
    project.settings("preload = ['broken_module']")
    environment = {**os.environ, "PYTHONPATH": str(project.root)}
    done = subprocess.run(
        [sys.executable, "-m", "tracebook", "--root", project.root, "check"],
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
def test_wrong_usage_is_a_usage_error(project, arguments):
    assert project.run(*arguments)[0] == 2


def test_with_a_path_only_that_program_is_checked(project):
    good = project.add("good", "print(1)\n", "1\n")
    project.add("bad", "print(1)\n", "2\n")
    (project.snippets / "orphan.out").write_text("x\n")
    assert project.run("check", str(good))[0] == 0
    assert project.run("check", str(good.with_suffix(".out")))[0] == 0
    code, printed = project.run("check")
    assert code == 1 and "bad.out:1" in printed and "orphan.out" in printed


def test_update_writes_outputs_that_differ_and_nothing_else(project):
    holds = project.add("holds", "print(0.5)\n", "0.5000001\n")
    project.add("stale", "print('new')\n", "old\n")
    project.add("fresh", "print('first')\n")
    code, printed = project.run("check")
    assert code == 1 and "fresh.py:1: has no output" in printed
    assert not (project.snippets / "fresh.out").exists(), "check writes nothing"
    code, printed = project.run("update")
    assert code == 0
    assert "-old" in printed and "+new" in printed and "fresh.out: created" in printed
    assert project.trace("stale") == "new\n" and project.trace("fresh") == "first\n"
    assert holds.with_suffix(".out").read_text() == "0.5000001\n"
    assert project.run("check")[0] == 0
    assert len(list(project.snippets.iterdir())) == 6, "nothing else is left"


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
def test_a_page_embeds_only_what_is_there(project, line):
    project.add(
        "x",
        "# --8<-- [start:whole]\nprint(1)\nprint(2)\n# --8<-- [end:whole]\n"
        "# --8<-- [start:empty]\n\n# --8<-- [end:empty]\n",
        "1\n2\n",
    )
    (project.snippets / ".hidden").write_text("never ran")
    with project.page.open("a") as page:
        page.write('--8<-- "x.py:whole"\n--8<-- "x.out"\n;--8<-- "no.py"\n')
    assert project.run("check")[0] == 0
    number = len(project.page.read_text().splitlines()) + 1
    with project.page.open("a") as page:
        page.write(line + "\n")
    code, printed = project.run("check")
    assert (
        code == 1 and f"docs/page.md:{number}: " in printed and PAGES[line] in printed
    )


def test_a_program_or_output_that_no_page_shows_is_reported(project):
    project.add("x", "print(1)\n", "1\n")
    project.page.write_text('--8<-- "x.py"\n')
    code, printed = project.run("check")
    assert code == 1 and "snippets/x.out: no page shows it" in printed
    project.page.write_text('--8<-- "x.out"\n')
    code, printed = project.run("check")
    assert code == 1 and "snippets/x.py: no page shows it" in printed


def test_a_table_is_no_orphan_and_needs_a_page(project):
    project.settings("plugins = ['truth.tables']")
    project.add("x", "print(1)\n", "1\n")
    (project.snippets / "tables").mkdir()
    (project.snippets / "tables/a.md").write_text("| a |\n| --- |\n| 1 |\n")
    code, printed = project.run("check")
    assert code == 1 and "snippets/tables/a.md: no page shows it" in printed
    assert "neither" not in printed
    with project.page.open("a") as page:
        page.write('\n--8<-- "tables/a.md"\n')
    code, printed = project.run("check")
    assert code == 0, printed
    (project.snippets / "a.md").write_text("A table below tables/ only.\n")
    code, printed = project.run("check")
    assert code == 1 and "snippets/a.md: neither a snippet nor an output" in printed


def test_figures_are_published_when_they_change_and_removed_when_stale(project):
    path = project.add(
        "draws",
        "for name in ('draws', 'draws-dark'):\n"
        "    open(name + '.svg', 'w').write('<svg/>')\n"
        "print('drawn')\n",
        "drawn\n",
    )
    figures = project.root / "docs" / "figures"
    assert project.run("check")[0] == 0
    assert sorted(p.name for p in figures.iterdir()) == ["draws-dark.svg", "draws.svg"]
    written = (figures / "draws.svg").stat().st_mtime_ns
    assert project.run("check")[0] == 0
    assert (figures / "draws.svg").stat().st_mtime_ns == written
    path.write_text(path.read_text().replace("('draws', 'draws-dark')", "('draws',)"))
    assert project.run("update")[0] == 0
    assert [p.name for p in figures.iterdir()] == ["draws.svg"]
    path.write_text("raise ValueError\n")
    assert project.run("check")[0] == 1
    assert [p.name for p in figures.iterdir()] == ["draws.svg"], "failing keeps it"


def _wait_for_a_snippet(project: Project) -> None:
    deadline = time.monotonic() + 20
    while not _processes_in(project.temporary) and time.monotonic() < deadline:
        time.sleep(0.05)


LONG = {
    "slow.out": "print('new' * 9999)\n",
    "slow.svg": "open('slow.svg', 'w').write('new' * 9999)\nprint('old')\n",
}


@pytest.mark.parametrize("name", LONG)
def test_a_file_that_cannot_be_written_stays_as_it_was(project, name):
    """The engine, and it alone, may write no long file, as on a full disk."""
    path = project.add(
        "slow", "open('slow.svg', 'w').write('<svg/>')\nprint('old')\n", "old\n"
    )
    assert project.run("check")[0] == 0
    figure = project.root / "docs" / "figures" / "slow.svg"
    path.write_text("import time\ntime.sleep(1)\n" + LONG[name])
    process = project.start("update")
    _wait_for_a_snippet(project)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (999, 999))
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"{name}'" in printed.splitlines()[-1] and "Traceback" not in printed, (
        printed
    )
    assert project.trace("slow") == "old\n" and figure.read_text() == "<svg/>"
    assert len(list(project.root.rglob("*slow*"))) == 3, "nothing half-written is left"
    assert not list(project.temporary.iterdir())


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_engine_leaves_no_process_and_no_partial_output(project, stop):
    project.add("slow", "import time\nprint('a')\ntime.sleep(99)\n", "old\n")
    process = project.start("update")
    _wait_for_a_snippet(project)
    family = psutil.Process(process.pid).children(recursive=True)
    assert len(family) >= 2, "the forkserver and the snippet run"
    process.send_signal(stop)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert not psutil.wait_procs(family, timeout=30)[1]
    assert project.trace("slow") == "old\n"


@pytest.mark.parametrize("is_terminal, pause", [(True, 2), (False, 12)])
def test_progress_is_shown_now_and_then(is_terminal, pause, monkeypatch, capsys):
    """On a terminal often, in one line; never at the end."""
    now = 0.0
    monkeypatch.setattr(progress, "IS_TERMINAL", is_terminal)
    monkeypatch.setattr(progress, "PAUSE", pause - 1)
    monkeypatch.setattr(
        progress.os, "get_terminal_size", lambda _: os.terminal_size((80, 24))
    )
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    tell = progress.of_programs()
    for ended in range(3):
        tell(ended, 3)
        now += pause
        tell(ended, 3)
        tell(ended, 3)
    tell(3, 3)
    lines = [f"tracebook: {ended} of 3 snippets" for ended in range(3)]
    printed = "".join(
        f"\r{each}\x1b[K\r" if is_terminal else f"{each}\n" for each in lines
    )
    assert capsys.readouterr().err == printed


def test_only_what_the_engine_drew_is_removed_and_never_by_check(project):
    path = project.add(
        "draws", "open('draws.svg', 'w').write('<svg/>')\nprint('drawn')\n", "drawn\n"
    )
    figures = project.root / "docs" / "figures"
    (figures / "deep").mkdir(parents=True)
    for name in ("own.svg", "deep/own.svg"):
        (figures / name).write_text("<svg>by hand</svg>")
    assert project.run("check")[0] == 0
    path.write_text("print('drawn')\n")
    with project.page.open("a") as page:
        page.write("![](figures/draws.svg) ![](figures/own.svg)\n")
    code, printed = project.run("check")
    assert code == 1 and "figure draws.svg, which no snippet drew" in printed
    assert "own.svg" not in printed
    assert (figures / "draws.svg").exists(), "check removes nothing"
    assert project.run("update")[0] == 1
    assert sorted(p.name for p in figures.rglob("*.svg")) == ["own.svg", "own.svg"]


@pytest.mark.parametrize("drawn_before", [False, True])
def test_a_figure_made_by_hand_is_not_overwritten(project, drawn_before):
    project.add("draws", "open('draws.svg', 'w').write('<svg/>')\nprint(1)\n", "1\n")
    figure = project.root / "docs" / "figures" / "draws.svg"
    if drawn_before:
        assert project.run("check")[0] == 0
    figure.parent.mkdir(exist_ok=True)
    figure.write_text("<svg>by hand</svg>")
    for command in ("check", "update"):
        code, printed = project.run(command)
        assert code == 1 and "docs/figures/draws.svg: " in printed
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


def test_other_files_are_not_published(project):
    project.settings("file_limit = 9999")
    for name, (source, _) in WRITES.items():
        project.add(name, source + "\nprint(1)\n", "1\n")
    code, printed = project.run("check")
    assert code == 1
    for name, (_, message) in WRITES.items():
        assert f"snippets/{name}.py:1: {message}" in printed, printed
    assert not (project.root / "docs" / "figures").exists()


def test_two_programs_do_not_draw_one_figure(project):
    for name in ("one", "one-two"):
        project.add(name, "open('one-two.svg', 'w').close()\nprint(1)\n", "1\n")
    code, printed = project.run("check")
    assert code == 1
    assert "snippets/one.py:1: writes one-two.svg, as snippets/one-two.py" in printed


def test_hidden_files_are_no_part_of_a_project(project):
    project.add("x", "print(1)\n", "1\n")
    for hidden in (".DS_Store", "._x.py", ".idea/x.out"):
        (project.snippets / hidden).parent.mkdir(exist_ok=True)
        (project.snippets / hidden).write_bytes(b"\0\xff")
    (project.snippets / ".#x.py").symlink_to("nowhere")
    (project.root / "docs" / "._page.md").write_text('--8<-- "no.py"\n')
    code, printed = project.run("check")
    assert code == 0, printed
    (project.snippets / "x.txt").touch()
    code, printed = project.run("check")
    assert code == 1 and "snippets/x.txt: neither a snippet nor an output" in printed


READ_AS_INCLUDES = {
    "docstring": '"""\n--8<-- "x.out"\n"""\nprint(1)\n',
    "section": '"""\n--8<-- "x.py:part"\n"""\nprint(1)\n',
    "block": '"""\n--8<--\nx.out\n--8<--\n"""\nprint(1)\n',
    "escaped": '"""\n;--8<-- "x.out"\n"""\nprint(1)\n',
    "behind": "\ny = 1  # --8<-- [start:a]\nprint(y)\n# --8<-- [end:a]\n",
    "spelled": "\n# -8<-  [ Start : a ]\nprint(1)\n",
}


@pytest.mark.parametrize("name", READ_AS_INCLUDES)
def test_a_program_holds_no_line_that_a_page_would_obey(project, name):
    project.add("x", "# --8<-- [start:part]\nprint(1)\n# --8<-- [end:part]\n", "1\n")
    assert project.run("check")[0] == 0
    path = project.add(name, READ_AS_INCLUDES[name], "1\n")
    for arguments in ([], [str(path)]):
        code, printed = project.run("check", *arguments)
        assert code == 1 and f"snippets/{name}.py:2: " in printed, printed
        assert "looks like an include" in printed


def test_a_recorded_output_has_no_include_within_the_tolerance(project):
    project.add("x", """print('--8.0000001<-- "x.py"')\n""", '--8<-- "x.py"\n')
    code, printed = project.run("check")
    assert (
        code == 1 and "snippets/x.out:1: " in printed and "like an include" in printed
    )


@pytest.mark.parametrize("name", ["more.markdown", "deep/more.mkd"])
def test_every_page_that_mkdocs_renders_is_checked(project, name):
    page = project.page.parent / name
    page.parent.mkdir(exist_ok=True)
    page.write_text('\ufeff--8<-- "nowhere.py"\n')
    code, printed = project.run("check")
    assert code == 1 and f"docs/{name}:1: embeds nowhere.py" in printed


def test_the_pages_are_where_the_settings_have_them(project):
    project.settings("docs = 'pages'")
    project.add("x", "print(1)\n", "1\n")
    code, printed = project.run("check")
    assert code == 2 and "pages: no such folder" in printed
    project.page.parent.rename(project.root / "pages")
    (project.root / "docs").mkdir()
    assert project.run("check")[0] == 0
    (project.root / "pages" / "more.md").write_text('--8<-- "nowhere.py"\n')
    code, printed = project.run("check")
    assert code == 1 and "pages/more.md:1: embeds nowhere.py" in printed


@pytest.mark.parametrize(
    "line, message",
    [
        ("docs = '/etc'", "/etc"),
        ("docs = '../elsewhere'", "elsewhere"),
        ("snippets = 'programs'", "programs"),
        ("snippets = '../snippets'", "../snippets"),
    ],
)
def test_a_project_without_its_folders_is_not_checked(project, line, message):
    project.settings(line)
    code, printed = project.run("check")
    assert code == 2 and message in printed and "Traceback" not in printed, printed


def test_the_limit_counts_the_processors_time(any_project):
    """A wait isn't counted, but it ends."""
    any_project.add("waits", "import time\ntime.sleep(3)\nprint(1)\n", "1\n")
    any_project.add("works", "print('so far')\nwhile True:\n    pass\n", "1\n")
    code, printed = any_project.run("check")
    assert code == 1 and "waits" not in printed
    assert "works.py:1: used more than 1 second of the processor" in printed
    assert "    so far\n" in printed


def test_a_signal_without_a_name_is_reported(any_project):
    any_project.add(
        "dies", "import os\nprint(1, flush=True)\nos.kill(os.getpid(), 35)\n", "1\n"
    )
    code, printed = any_project.run("check")
    assert code == 1 and "dies.py:1: was killed by signal 35" in printed
    assert "Traceback" not in printed


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


def test_runners_of_one_process_leave_each_other_alone(project):
    for n in range(20):
        project.add(f"x{n}", f"import time\ntime.sleep(0.0{n % 7})\nprint(1)\n", "1\n")
    script = project.temporary / "run.py"
    script.write_text(RUNNERS)
    done = subprocess.run(
        [sys.executable, script, project.root],
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


def test_a_later_runner_has_its_own_observer(project):
    """The fork server is the first one's, and the observer the project's own."""
    project.add("x", "print(1)\n", "1\n")
    (project.root / "looks_on.py").write_text(
        "def begin(snippet): return lambda: 'saw'\n"
    )
    script = project.root / "run.py"
    script.write_text(LATER)
    done = subprocess.run(
        [sys.executable, script, project.root],
        cwd=project.root,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "None\nsaw\n", done.stdout + done.stderr


def test_the_report_is_also_json(project):
    project.add("good", "print(1)\n", "1\n")
    project.add("bad", "print(1)\n", "2\n")
    project.add("raises", "print(1)\nraise ValueError('no')\n", "1\n")
    (project.root / "docs" / "more.md").write_text('--8<-- "nowhere.py"\n')
    process = project.start("check", "--json")
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


def test_a_report_has_the_digests_of_what_was_compared(project):
    """Program and output change while the program runs, as by an editor."""
    path = project.snippets / "x.py"
    source = (
        "print('right')\n"
        f"open({str(path)!r}, 'w').write('print(0)')\n"
        f"open({str(path.with_suffix('.out'))!r}, 'w').write('wrong')\n"
    )
    project.add("x", source, "right\n")
    code, printed = project.run("check", "--json")
    assert code == 0, printed
    assert (path.read_text(), project.trace("x")) == ("print(0)", "wrong")
    digests = [sha256(text.encode()).hexdigest() for text in (source, "right\n")]
    assert json.loads(printed)["digests"] == {"x.py": digests}


def test_a_report_has_the_digest_of_an_output_that_was_rewritten(project):
    project.add("x", "print('new')\n", "old\n")
    report = json.loads(project.run("update", "--json")[1])
    assert report["digests"]["x.py"][1] == sha256(b"new\n").hexdigest()


def test_a_warm_engine_checks_what_a_request_names(project):
    project.add("good", "print(1)\n", "1\n")
    project.add("a bad one", "print(1)\n", "2\n")
    engine = Engine(project.root)
    try:
        report = engine.check(project.snippets / "a bad one.py")
        assert list(report["outputs"]) == ["a bad one.py"]
        assert len(report["problems"]) == 1
        assert len(engine.check()["outputs"]) == 2
    finally:
        engine.close()


def test_an_engine_ends_with_the_process_that_started_it(project):
    project.add("slow", "import time\ntime.sleep(9)\nprint('a')\n", "a\n")
    starter = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time; from pathlib import Path;"
            " from adapters.engine import Engine;"
            f" engine = Engine(Path({str(project.root)!r})); engine.check();"
            " time.sleep(99)",
        ],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(project.temporary)},
    )
    _wait_for_a_snippet(project)
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


def test_the_report_has_the_line_that_printed_each_line(project):
    """Lines are those of the visible program; 0 stands for none."""
    project.settings("plugins = ['reader.printed_lines']")
    project.add("a", PRINTS)
    project.add("b", "for word in ('x', 'y'):\n    print(word)\nprint('x')\n")
    _, printed = project.run("check", "--json")
    lines = {"a.py": [7, 8, 0, 11, 11, 5, 0, 14, 15], "b.py": [2, 2, 3]}
    assert json.loads(printed)["plugins"] == {"lines": lines}
