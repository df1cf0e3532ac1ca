"""Promise: whatever goes wrong, nothing false passes, nothing is lost, and the command
names the file, the line and what to do.

A fault is a row of one of two tables. False content, hostile programs and what shells do
are in ``data/faults.toml``. All else is in ``FAULTS``: a function that plants it in a small
project, the command, its exit code, and a part of its message.
"""

import ctypes
import errno
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from gradients import client
from gradients.client import GradientResult
from store import fingerprint
from store.database import Store
from tracebook import files, pages, settings, snippet
from tracebook.runner import Runner
from truth import results, tables
from truth.finding import Finding
from truth.ledger import page as ledger
from truth.page import all_pages

from .project import ROOT, edit
from .project import run as run_in_copy

pytestmark = pytest.mark.tools

CONFIG = """
site_name: A book
strict: true
plugins: [tracebook, truth: {demand: false}]
validation: {links: {not_found: info}}  # the ledger has a link to the site's own page
markdown_extensions:
  - pymdownx.snippets: {base_path: [snippets], check_paths: false}
  - pymdownx.superfences
"""
PROJECT = settings.table(ROOT, "tracebook")
PAGE = '# A book\n\n```\n--8<-- "x.py"\n```\n```\n--8<-- "x.out"\n```\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one page and one program, which needs no TensorFlow."""
    for name, text in {
        "pyproject.toml": "[tool.tracebook]\n",
        "mkdocs.yml": CONFIG,
        "snippets/x.py": "print('one' + 'two')\n",
        "snippets/x.out": "onetwo\n",
        "docs/index.md": PAGE,
    }.items():
        write(tmp_path, name, text)
    return tmp_path


def write(project: Path, name: str, content: str | bytes) -> None:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def run(project: Path, command: str, **environment: str) -> tuple[int, str]:
    """Run a module of Python, or lines of a shell, and return exit code and output."""
    python, path = [sys.executable, "-m", *command.split()], os.environ["PATH"]
    environment["PATH"] = f"{Path(sys.executable).parent}:{path}"
    done = subprocess.run(
        ["sh", "-c", command] if "python" in command else python,
        cwd=project,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=300,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "NO_COLOR": "1", "NO_MKDOCS_2_WARNING": "1", **environment},
    )
    return done.returncode, done.stdout


FALSE = tomllib.loads((ROOT / "tests/data/faults.toml").read_text("utf-8"))
PROGRAMS, SHELL = FALSE.pop("programs"), FALSE.pop("shell")


@pytest.fixture(scope="module")
def planted(small_project: Path, tmp_path_factory) -> tuple[Path, dict[str, str]]:
    """Plant all false content in one copy; its folder, and what each command prints."""
    root = tmp_path_factory.mktemp("planted") / "project"
    shutil.copytree(small_project, root, symlinks=True)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x"]
    for words in (["init", "-q"], ["add", "docs", "tests"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], cwd=root, check=True)
    for row in (row for rows in FALSE.values() for row in rows.values()):
        if "old" in row:
            edit(root / row["file"], row["old"], row["new"])
            continue
        (root / row["file"]).parent.mkdir(exist_ok=True)
        with (root / row["file"]).open("a", encoding="utf-8") as file:
            end = "\n" if row["file"].startswith("snippets") else "\n\n"
            file.write(row["add"].replace("{digest}", tables.digest("| 1 |")) + end)
    results = {name: run_in_copy(root, *name.split()) for name in FALSE}
    assert results["truth"][0] == 1 and "Traceback" not in results["truth"][1]
    return root, {name: printed for name, (_, printed) in results.items()}


@pytest.mark.parametrize(
    ("command", "name"),
    [(c, name) for c, rows in FALSE.items() for name in rows if "says" in rows[name]],
)
def test_false_content_is_refused(planted, command, name):
    root, printed = planted
    row = FALSE[command][name]
    text = (root / row["file"]).read_text("utf-8")
    start = text.find(row.get("at") or row.get("new") or row["add"])
    line = text[:start].count("\n") + 1
    assert row["says"].format(line=line) in printed[command], printed[command]


Environment = dict[str, str]


@dataclass(frozen=True)
class Fault:
    """A fault, the command that meets it, and what the command does."""

    command: str
    plant: Callable[[Path], Environment | None]
    """Plants the fault in a project, and returns environment variables, if any."""
    code: int
    says: str
    """A part of the message; ``{project}`` stands for the project's folder."""


def sets(**environment: str) -> Callable[[Path], Environment]:
    return lambda project: environment


def file(name: str, content: str | bytes) -> Callable[[Path], None]:
    return lambda project: write(project, name, content)


def include_of_a_folder(project: Path) -> None:
    (project / "snippets/part").mkdir()
    write(project, "docs/index.md", PAGE.replace("x.py", "part"))


def litter(project: Path) -> None:
    """Plant what editors and others leave in the folder of pages."""
    docs = project / "docs"
    for name in (".#index.md", "gone.md"):
        (docs / name).symlink_to("nobody@nowhere.1234")
    for name in (".hidden.md", ".trash/old.md", "labs/.lab.py"):
        write(docs, name, "# Old\n")
    (docs / "folder.md").mkdir()
    os.mkfifo(docs / "pipe.md")


def no_pages(project: Path) -> None:
    (project / "docs").rename(project / "pages")


def no_page(project: Path) -> None:
    (project / "docs/index.md").rename(project / "docs/index.txt")


def folder(name: str) -> Callable[[Path], None]:
    """Plant a folder in the place of a file."""

    def plant(project: Path) -> None:
        (project / name).unlink(missing_ok=True)
        (project / name).mkdir(parents=True)

    return plant


def setting(line: str) -> Callable[[Path], None]:
    return file("pyproject.toml", f"[tool.tracebook]\n{line}\n")


def program(text: str, start: str = "import os, shutil, time; ") -> Callable:
    """Replace the project's program, beside three that do no harm."""

    def plant(project: Path) -> None:
        write(project, "snippets/x.py", f"{start}{text}\n")
        for n in range(3):
            write(
                project, f"snippets/y{n}.py", "import time; time.sleep(0.5); print(1)\n"
            )
            write(project, f"snippets/y{n}.out", "1\n")
            with (project / "docs/index.md").open("a") as page:
                page.write(f'\n--8<-- "y{n}.py"\n\n--8<-- "y{n}.out"\n')

    return plant


def prints_variable(name: str, value: str) -> Callable[[Path], Environment]:
    """Plant a program that prints a variable, and has a new interpreter print it. In
    neither is a warning an error."""
    default = "agg" if name == "MPLBACKEND" else "nowhere"
    source = f"""
import os, subprocess, sys, warnings
code = "import os, warnings; warnings.warn('no error', ImportWarning)"
code += "; print(os.environ.get({name!r}, 'nowhere'))"
exec(code)
done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL,
                      capture_output=True, text=True, check=True)
print(done.stdout, end="")
"""

    def plant(project: Path) -> Environment:
        toml = f"[tool.tracebook]\nkeep = {PROJECT['keep']!r}\n"
        write(project, "pyproject.toml", toml)
        write(project, "snippets/x.py", source)
        write(project, "snippets/x.out", f"{default}\n{default}\n")
        return {name: value}

    return plant


def another_output(project: Path) -> Environment:
    write(project, "snippets/x.out", "three\n")
    return {"PYTHONINSPECT": "1"}


def unicode(project: Path) -> Environment:
    write(project, "snippets/x.py", "print('one→two')\n")
    return {"PYTHONIOENCODING": "latin-1"}


CHECK, TRUTH, BUILD = "tracebook check", "truth", "mkdocs build"
LATIN = "# \xe9\n".encode("latin-1")
NOT_UTF8 = "is not UTF-8; save it in that encoding"
FAULTS = {
    # Something false would hold.
    **{
        f"{command} without asserts": Fault(
            command, sets(PYTHONOPTIMIZE="1"), code, "removes every assert"
        )
        for command, code in {
            TRUTH: 2,
            CHECK: 2,
            "tracebook update": 2,
            "tracebook engine": 2,
            BUILD: 1,
        }.items()
    },
    "no folder of pages": Fault(TRUTH, no_pages, 2, "{project}/docs: no such folder"),
    "a folder without pages": Fault(TRUTH, no_page, 2, "{project}/docs: no page in it"),
    "a link to itself": Fault(
        f"{CHECK} loop",
        lambda project: (project / "loop").symlink_to("loop"),
        2,
        "loop: no snippet there",
    ),
    # Settings.
    **{
        f"{command}, {name}": Fault(command, plant, code, says)
        for command, code in {TRUTH: 2, CHECK: 2, BUILD: 1}.items()
        for name, plant, says in (
            ("no TOML", file("pyproject.toml", "[tool"), "{project}/pyproject.toml: "),
            ("a setting that is impossible", setting("jobs = -1"), "jobs = -1 is not"),
            ("an unknown setting", setting("job = 1"), "unknown setting 'job'; known"),
            ("a limit of centuries", setting("time_limit = 1e10"), "10000000000.0 is"),
            (
                "an error without its type",
                file("snippets/x.py", "# tracebook: raises\n"),
                "snippets/x.py:1: unknown setting 'raises'; known: ",
            ),
        )
    },
    "a plugin that is missing": Fault(
        CHECK, setting("plugins = ['nowhere']"), 1, "No module named 'nowhere'"
    ),
    "a folder that is none": Fault(
        "truth --root nowhere", sets(), 2, "{project}/nowhere/pyproject.toml"
    ),
    **{
        f"{command}, no page": Fault(
            f"{command} {page}", sets(), 2, f"no page of the site: {path}"
        )
        for command in (TRUTH,)
        for page, path in (("no.md", "{project}/no.md"), ("/etc/hosts", "/etc/hosts"))
    },
    "a build with an option": Fault(
        "adapters.build --strict", sets(), 2, "unrecognized arguments: --strict"
    ),
    # Files that cannot be read, or written.
    **{
        f"{command}, {name}": Fault(command, plant, 1, says)
        for command in (TRUTH, BUILD)
        for name, plant, says in (
            (
                "a page in Latin-1",
                file("docs/part/page.md", b"# A\n\n" + LATIN),
                f"docs/part/page.md:3: {NOT_UTF8}",
            ),
            (
                "a program in Latin-1",
                file("snippets/x.py", b"print()\n" + LATIN),
                f"snippets/x.py:2: {NOT_UTF8}",
            ),
            (
                "a trace in Latin-1",
                file("snippets/x.out", LATIN),
                f"snippets/x.out:1: {NOT_UTF8}",
            ),
            (
                "a trace that is a folder",
                folder("snippets/x.out"),
                "docs/index.md:7: embeds x.out, which is a folder",
            ),
            (
                "an include of a folder",
                include_of_a_folder,
                "docs/index.md:4: embeds part, which is a folder",
            ),
        )
    },
    **{
        f"a damaged record of other frameworks, {content[:1]!r}": Fault(
            TRUTH, file("frameworks/runs.json", content), 1, f"runs.json: {says}"
        )
        for content, says in {
            b"{": "JSONDecodeError",
            b"[]": "TypeError",
            LATIN: "UnicodeDecodeError",
        }.items()
    },
    **{
        name: Fault(row["run"], sets(), row.get("code", 1), row["says"])
        for name, row in SHELL.items()
    },
    # Programs that harm what is around them.
    "a program that writes the engine's report": Fault(
        CHECK,
        program("open('../report.json', 'w').write('null'); os._exit(0)"),
        1,
        "snippets/x.py:1: wrote report.json in the place of the engine's",
    ),
    "a program that writes a clean report": Fault(
        CHECK,
        program(
            "import json\nprint('onetwo', flush=True)\n"
            "report = {'message': '', 'line': 0, 'problem': None, 'missing': [],"
            " 'printed': [], 'secret': ''}\n"
            "open('../report.json', 'w').write(json.dumps(report)); os._exit(0)"
        ),
        1,
        "snippets/x.py:1: wrote report.json in the place of the engine's",
    ),
    "a program that removes its folder": Fault(
        CHECK,
        program("shutil.rmtree(os.path.dirname(os.getcwd()))"),
        1,
        "snippets/x.py:1: removed the folder that it works in",
    ),
    "a program that removes all folders": Fault(
        CHECK,
        program(
            "all = os.path.dirname(os.path.dirname(os.getcwd()))\n"
            "while os.path.exists(all): shutil.rmtree(all, True)  # others begin in it"
        ),
        1,
        "snippets/x.py:1: removed the folder that it works in",
    ),
    "a program that removes what others work in": Fault(
        CHECK,
        program(
            "end = time.monotonic() + 3\n"
            "all = os.path.dirname(os.path.dirname(os.getcwd()))\n"
            "while time.monotonic() < end:\n"
            "    for each in os.listdir(all): shutil.rmtree(f'{all}/{each}/work', True)"
        ),
        1,
        "snippets/x.py:1: removed the folder that it works in",
    ),
    "a program that ends the engine's fork server": Fault(
        CHECK,
        program("os.kill(os.getppid(), 9); time.sleep(9)"),
        1,
        "snippets/x.py:1: ended the process that programs are forked from",
    ),
    **{
        name: Fault(CHECK, program(row["source"], ""), row.get("code", 1), row["says"])
        for name, row in PROGRAMS.items()
    },
    # A page would show another text than what ran.
    "a program that ends its fence": Fault(
        CHECK,
        file("snippets/x.py", '"""Add.\n\n```\n"""\nprint("one" + "two")\n'),
        1,
        "snippets/x.py:3: looks like an include, or the end of a fence",
    ),
    "a trace that ends its fence": Fault(
        "tracebook update",
        file("snippets/x.py", "print('one' + 'two\\n~~~')\n"),
        1,
        "line 2 of its output looks like an include, or the end of a fence",
    ),
    **{
        f"a site in the place of {folder}": Fault(
            f"{BUILD} --site-dir {folder}", sets(), 1, "would be emptied, with the prog"
        )
        for folder in ("snippets", "snippets/part")
    },
    # Messages are readable.
    "a trace of CR LF": Fault(
        CHECK,
        file("snippets/x.out", "onetwo\r\n"),
        1,
        "snippets/x.out:1: snippets/x.py prints something else\n"
        "    its lines end in CR LF, and those of an output in LF\n1 snippets",
    ),
    "a trace of CR LF that is rewritten": Fault(
        "tracebook update", file("snippets/x.out", "onetwo\r\n"), 0, "CR LF"
    ),
    "a terminal without Unicode": Fault(
        "tracebook update", unicode, 0, "+one\\u2192two"
    ),
    "much output": Fault(
        CHECK, program("print('x\\n' * 50_000)"), 1, "… 49966 lines …"
    ),
    "a long line": Fault(
        CHECK, program("print('x' * 50_000)"), 1, "x … 50005 characters"
    ),
    "a long message": Fault(
        CHECK, program("raise ValueError('x' * 50_000)"), 1, "x … 5"
    ),
    # Variables of the user's shell change nothing.
    **{
        f"{name} is {value}": Fault(
            CHECK, prints_variable(name, value), 0, "1 run, 0 outputs"
        )
        for name, value in {
            "ANOTHER": "1",
            "DNNL_VERBOSE": "1",
            "KERAS_BACKEND": "nothing",
            "KERAS_HOME": "nothing",
            "MPLBACKEND": "nothing",
            "PYTHONDEVMODE": "1",
            "PYTHONINSPECT": "1",
            "PYTHONSTARTUP": "nothing.py",
            "PYTHONWARNINGS": "error",
            "TF_CPP_MAX_VLOG_LEVEL": "9",
        }.items()
    },
    "a wrong output with PYTHONINSPECT": Fault(
        CHECK,
        another_output,
        1,
        "snippets/x.out:1: snippets/x.py prints something else",
    ),
    # Nothing is wrong, and the work goes on.
    "figures without a record": Fault(
        CHECK, file(".cache/tracebook/figures.json", "null"), 0, "1 run, 0 outputs"
    ),
    "a pipe and a lock file among the pages": Fault(
        BUILD, litter, 0, "all outputs agree"
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_and_nothing_is_lost(project, name):
    fault = FAULTS[name]
    environment = fault.plant(project) or {}
    code, printed = run(project, fault.command, **environment)
    assert fault.says.format(project=project) in printed, printed
    assert code == fault.code, printed
    assert "Traceback" not in printed, printed
    assert not re.search(r"\by\d", printed), f"blames another: {printed}"
    assert len(printed) < 50_000, "floods"


def test_the_engine_answers_what_it_cannot_read(project):
    done = subprocess.run(
        [sys.executable, "-m", "tracebook", "engine"],
        cwd=project,
        input="check 'x\ncheck\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    first, second = map(json.loads, done.stdout.splitlines())
    assert "No closing quotation" in first["problems"][0]["message"]
    assert second["ran"] == 1 and not second["problems"]


@pytest.mark.parametrize("command", ["truth", "tracebook", "mkdocs"])
def test_packages_in_pythonpath_do_not_run(project, tmp_path, command):
    for package in ("truth", "tracebook", "mathml"):
        for name in ("__init__", "__main__"):
            write(tmp_path, f"other/{package}/{name}.py", "raise SystemExit(0)\n")
    write(project, "snippets/x.out", "three\n")
    whole = {"truth": "truth nothing.md", "mkdocs": "mkdocs build"}
    code, printed = run(
        project,
        whole.get(command, "tracebook check"),
        PYTHONPATH=str(tmp_path / "other"),
    )
    assert code and ("no page of the site" in printed or "x.out:1: " in printed), (
        printed
    )


def test_a_package_of_another_project_is_refused(monkeypatch, tmp_path):
    """A result would be kept under the digest of code that didn't run."""
    write(tmp_path, "src/tracebook/__init__.py", "")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    fingerprint.code.cache_clear()
    message = f"takes the place of {tmp_path / 'src/tracebook'}; unset PYTHONPATH"
    with pytest.raises(settings.SettingsError, match=re.escape(message)):
        fingerprint.code("tracebook")


def test_a_damaged_store_starts_anew(tmp_path, capsys):
    path = tmp_path / "results.db"
    Store(path).put("run", "key", {"text": "\ud800"})
    assert Store(path).get("run", "key") == {"text": "\ud800"}
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("UPDATE results SET value = x'00'")
    connection.commit()
    connection.close()
    assert Store(path).get("run", "key") is None, "its checksum is another"
    connection = sqlite3.connect(path)
    connection.executescript("DROP TABLE results; CREATE TABLE results (a)")
    connection.close()
    Store(path).put("run", "key", 1)
    assert "damaged; it starts anew" in capsys.readouterr().err
    content = b"[1"
    row = "run", "key", content, fingerprint.digest("run", "key", content), 0
    Store(path)._execute("INSERT OR REPLACE INTO results VALUES (?,?,?,?,?)", *row)
    assert Store(path).get("run", "key") is None, "it is no JSON"
    for leftover in tmp_path.glob("results.db-*"):
        leftover.unlink()
    path.write_bytes(b"x" * 10_000)
    store = Store(path)
    assert store.get("run", "key") is None
    assert "damaged; it starts anew" in capsys.readouterr().err
    store.put("run", "key", 1)
    assert store.get("run", "key") == 1


def test_a_store_drops_what_nobody_used_for_a_month(tmp_path, monkeypatch):
    store = Store(tmp_path / "results.db")
    store.put("run", "old", 1)
    store.put("run", "used", 1)
    today = time.time()
    monkeypatch.setattr(time, "time", lambda: today + 20 * 24 * 3600)
    assert store.get("run", "used") == 1
    monkeypatch.setattr(time, "time", lambda: today + 40 * 24 * 3600)
    store.sweep()
    assert store.get("run", "old") is None and store.get("run", "used") == 1


def test_a_message_that_is_no_unicode_loses_no_results(project, monkeypatch):
    gradient = GradientResult(1, "f", "failed", "raised: \ud800")
    [page] = all_pages(project)
    store, program = results.Results(project), page.programs["x.py"]
    result = results.ProgramResult(True, [gradient], [])
    store.keep_program(store.keys.of_program("x.py", program.digests), result)
    assert store.program(program) == result
    monkeypatch.setattr(ledger, "text", lambda root: gradient.detail)
    ledger.write(project, project / "ledger.md")
    assert (project / "ledger.md").read_text("utf-8") == "raised: \\ud800"


def keys(project: Path) -> list[str]:
    """Return the keys of the results of the program and of the page, as they are."""
    [page] = all_pages(project)
    [program] = snippet.find(settings.load(project))
    keys = results.Keys(project)
    of_checks = [keys.of_page(check, page) for check in results.CHECKS]
    return [keys.of_program(program.name, program.digests), *of_checks]


def test_other_numbers_are_other_results(project, monkeypatch):
    """Results hold for the environment that programs compute in."""
    before = keys(project)
    assert before == keys(project)
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")
    fingerprint.environment.cache_clear()
    assert not {*before} & {*keys(project)}
    monkeypatch.undo()
    fingerprint.environment.cache_clear()


def test_a_log_that_grows_in_the_project_changes_no_key(project):
    """``make test > test.log`` writes such a log."""
    write(project, "docs/index.md", "# A page without programs\n")
    before = keys(project)
    for name in ("test.log", "out.txt", "out", ".coverage", "core.1234"):
        write(project, name, "so far")
    assert keys(project) == before


def test_a_file_that_a_page_names_comes_changes_and_goes(project):
    """While the site is served, one process reads the same text each time."""
    index = project / "docs/index.md"
    index.write_text(index.read_text("utf-8") + "\nMore is in `part/more.txt`.\n")
    known = [keys(project)]
    for text in ("one", "another"):
        write(project, "part/more.txt", text)
        known.append(keys(project))
    (project / "part/more.txt").unlink()
    assert keys(project) == known[0]
    assert len({tuple(each) for each in known}) == 3


def test_only_visible_files_are_pages(project):
    litter(project)
    docs = project / "docs"
    write(docs, "labs/lab.py", "# %% [markdown]\n# # A lab\n")
    write(docs, "part/labs/no.py", "")
    write(docs, "part/page.md", "# Another\n")
    shown = ["docs/index.md", "docs/labs/lab.py", "docs/part/page.md"]
    assert [each.label for each in all_pages(project)] == shown
    assert not [*pages.included(settings.load(project))][2:]


@pytest.mark.parametrize("command", ["truth --help", "tracebook check --json"])
def test_a_closed_pipe_gives_no_traceback(project, command):
    """The reader ends early, as in ``python -m truth | head -1``."""
    done = subprocess.run(
        f"{sys.executable} -u -m {command} | true",
        shell=True,
        cwd=project,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert not done.stderr


def test_make_passes_no_variable_of_python_on(tmp_path):
    """With some of them, warnings are errors, or Python waits for input at its end."""
    makefile = tmp_path / "Makefile"
    makefile.write_text(f"include {ROOT}/Makefile\nshown:\n\t@env\n")
    done = subprocess.run(
        ["make", "-f", makefile, "shown"],
        env={**os.environ, "PYTHONINSPECT": "1", "PYTHONPATH": "x", "ANOTHER": "1"},
        cwd=ROOT,
        text=True,
        capture_output=True,
        check=True,
    )
    assert "ANOTHER=1\n" in done.stdout and "\nPYTHON" not in f"\n{done.stdout}"


def test_programs_that_cannot_be_run_give_no_traceback(project, capfd):
    with pytest.raises(ChildProcessError, match="their process ended with code 2"):
        client.check_programs([project / "none.py"], project)
    assert capfd.readouterr().err == f"truth: {project}/none.py: no snippet there\n"


def test_a_link_to_a_program_is_one_more(project):
    (project / "snippets/link.py").symlink_to("x.py")
    its = settings.load(project)
    assert [each.name for each in snippet.find(its)] == ["link.py", "x.py"]
    asked = snippet.find(its, [project / "snippets/link.py"])
    assert "link.py" in [each.name for each in asked]


def test_an_output_with_other_line_ends_has_another_key(project):
    before = keys(project)[0]
    write(project, "snippets/x.out", "onetwo\r\n")
    assert keys(project)[0] != before


def test_a_long_formula_leaves_its_reason_in_sight():
    found = Finding("formula", "failed", "docs/p.md:1", "x" * 10**5, "no")
    assert len(str(found)) < 1000 and str(found).endswith(": no")


def test_two_runs_at_once_ask_for_space(tmp_path, monkeypatch):
    """One removes the file that the other has just written."""
    monkeypatch.setattr(files, "write", lambda *_: None)
    (tmp_path / "pyproject.toml").touch()
    results.Results(tmp_path).demand_space()


def test_a_file_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    """The message names the file, and not a temporary one."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "a temporary file")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(OSError, match=f"Read-only file system: '{tmp_path}/x.out'"):
        files.write(tmp_path / "x.out", b"")


def without_privileges() -> None:
    """Make a process of root respect the modes of files: drop CAP_DAC_OVERRIDE and
    CAP_DAC_READ_SEARCH from what the program that it executes may have."""
    for capability in (1, 2):
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


@pytest.mark.skipif(sys.platform != "linux", reason="modes are POSIX's, prctl Linux's")
@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        (CHECK, 0, "1 run, 0 outputs written, 0 problems"),
        ("tracebook update", 1, "tracebook: [Errno 13] {denied}/snippets/x.out'"),
        (TRUTH, 1, "truth: [Errno 13] {denied}/.cache"),
        (BUILD, 1, "[Errno 13] {denied}/.cache"),
        ("adapters.build", 1, "build: [Errno 13] {denied}/.cache"),
    ],
)
def test_in_a_read_only_project_the_file_is_named(
    project, command, code, says, monkeypatch
):
    if command == "tracebook update":
        write(project, "snippets/x.out", "three\n")
    entries = [project, *project.rglob("*")]
    before = contents(project)
    modes = [entry.stat().st_mode for entry in entries]
    for entry, mode in zip(entries, modes):
        entry.chmod(mode & 0o555)
    run_without = partial(subprocess.run, preexec_fn=without_privileges)
    monkeypatch.setattr(subprocess, "run", run_without)
    done = run(project, command)
    for entry, mode in zip(entries, modes):
        entry.chmod(mode)
    assert done[0] == code and "Traceback" not in done[1], done[1]
    assert says.format(denied=f"Permission denied: '{project}") in done[1], done[1]
    assert contents(project) == before


def contents(project: Path) -> dict[str, bytes]:
    """Return the files of a project, except those of its store of results."""
    files = [each for each in project.rglob("*") if each.is_file()]
    names = {each.relative_to(project).as_posix(): each for each in files}
    return {n: p.read_bytes() for n, p in names.items() if not n.startswith(".cache")}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["tracebook update", TRUTH, "adapters.build"])
def test_killed_at_random_a_command_leaves_old_or_new(project, command):
    """Each file and the site are as before or as at the end, and the next run ends as
    if nothing had been. Each day has its own moments, so that in time all come."""
    moments = Random(f"{command} {date.today()}")
    print("moments of", date.today())
    draws = "from pathlib import Path\nPath('x.svg').write_text('<svg/>')\nprint({})\n"
    write(project, "snippets/x.py", draws.format(1))
    titled = PAGE.replace("```\n--8<--", "``` TITLE\n--8<--")
    for title in ('python title="x.py"', 'text title="prints"'):
        titled = titled.replace(" TITLE", title, 1)
    write(project, "docs/index.md", titled)
    for started in ("tracebook update", "adapters.build"):
        assert run(project, started)[0] == 0
    write(project, "snippets/x.py", draws.format(2))
    if command != "tracebook update":
        write(project, "snippets/x.out", "2\n")
    copy = project.with_name(f"{project.name}-undisturbed")
    shutil.copytree(project, copy)
    start = time.monotonic()
    code, printed = run(copy, command)
    assert code == 0, printed
    seconds = time.monotonic() - start
    before, after = contents(project), contents(copy)
    assert before != after or command == TRUTH
    for signum in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        words = [sys.executable, "-m", *command.split()]
        with subprocess.Popen(words, cwd=project) as killed:
            time.sleep(moments.uniform(0, seconds))
            killed.send_signal(signum)
        left = contents(project)
        for part in ("site", "docs/figures", "snippets"):
            states = [
                {name: text for name, text in state.items() if name.startswith(part)}
                for state in (left, before, after)
            ]
            assert states[0] in states[1:], f"{part} after {signum}"
    code, printed = run(project, command)
    assert code == 0, printed
    assert contents(project) == after


def test_on_a_full_disk_the_program_is_named(project, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    its = replace(settings.load(project), start_method="spawn")
    runner, problems = Runner(its), []
    runner.run(snippet.find(its), lambda _, run: problems.append(run.problem))
    runner.close()
    folder = tempfile.gettempdir()
    assert problems == [f"ended while the disk was full, below {folder}"]


def test_what_a_killed_run_left_is_swept_by_the_next(project):
    """The path is short, because there are sockets below it."""
    with tempfile.TemporaryDirectory() as scratch:
        write(project, "snippets/x.py", "import time; time.sleep(60)\n")
        words = [sys.executable, "-m", "tracebook", "check"]
        environment = {**os.environ, "TMPDIR": scratch}
        killed, goes_on = (
            subprocess.Popen(words, cwd=project, env=environment) for _ in range(2)
        )
        deadline = time.monotonic() + 60
        while len([*Path(scratch).glob("*/*/*/output")]) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        killed.kill()
        killed.wait()
        assert len(os.listdir(scratch)) == 2
        write(project, "snippets/x.py", "print('onetwo')\n")
        assert run(project, "tracebook check", TMPDIR=scratch)[0] == 0
        assert len(os.listdir(scratch)) == 1 and goes_on.poll() is None
        goes_on.terminate()
        goes_on.wait()
        assert not os.listdir(scratch)


DRAWS = """
import matplotlib
matplotlib.use("svg")
from matplotlib import pyplot as plt
plt.rcParams["svg.hashsalt"] = "x"
plt.plot([1, 2])
plt.savefig("x.svg", metadata={"Date": None})
print(matplotlib.matplotlib_fname())
"""


def test_a_figure_does_not_depend_on_the_users_files(project):
    """HOME, XDG_CONFIG_HOME and MATPLOTLIBRC name files with another line width."""
    rc = "lines.linewidth: 9\n"
    for name in (".config/matplotlib", "config/matplotlib", "rc"):
        write(project, f"user/{name}/matplotlibrc", rc)
    toml = "[tool.tracebook]\npreload = ['matplotlib.font_manager']\n"
    write(project, "pyproject.toml", toml)
    write(project, "snippets/x.py", DRAWS)
    user = project / "user"
    figures = []
    for variables in (
        {},
        {"HOME": str(user), "XDG_CONFIG_HOME": str(user / "config")},
        {"MATPLOTLIBRC": str(user / "rc")},
        {"MATPLOTLIBRC": str(user / "rc/matplotlibrc")},
        {"MPLCONFIGDIR": str(user / "config/matplotlib")},
    ):
        code, printed = run(project, "tracebook update", **variables)
        assert code == 0, printed
        figures.append((project / "docs/figures/x.svg").read_bytes())
    assert len({*figures}) == 1
    assert (project / "snippets/x.out").read_text() == f"{os.devnull}\n"


def test_a_program_sees_no_file_of_the_user(project):
    """Keras, for one, reads its defaults from ~/.keras/keras.json."""
    for name in ("user/.keras/keras.json", "snippets/x.out"):
        write(project, name, "[]\n")
    text = "import os\nhome = os.path.expanduser('~')\nprint(os.listdir(home))\n"
    write(project, "snippets/x.py", text)
    user = str(project / "user")
    code, printed = run(project, CHECK, HOME=user, USERPROFILE=user)
    assert code == 0, printed


def test_the_cache_of_fonts_is_made_once(project):
    toml = "[tool.tracebook]\npreload = ['matplotlib.font_manager']\n"
    write(project, "pyproject.toml", toml)
    run(project, CHECK)
    [path] = fonts(project)
    made = path.stat().st_mtime_ns
    run(project, CHECK)
    assert [file.stat().st_mtime_ns for file in fonts(project)] == [made]


def fonts(project: Path) -> list[Path]:
    return [*(project / ".cache/tracebook/matplotlib").glob("fontlist-*")]
