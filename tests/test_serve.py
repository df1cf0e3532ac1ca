"""Promise: while serving, no page waits for a program; a trace that differs is a
warning, the site goes on, and only what changed runs again."""

import os
import re
import socket
import subprocess
import time
from contextlib import contextmanager
from http.client import HTTPException
from urllib.request import urlopen

import psutil
import pytest

from .project import edit, python

SNIPPET = "snippets/lessons/chain_rule/chain_rule.py"
TRACE = SNIPPET.replace(".py", ".out")
PAGE = "docs/lessons/chain_rule.md"
JUDGED = re.compile(r"\d+ snippets, (\d+) run")


class Server:
    """A running ``mkdocs serve`` and the log that it writes."""

    def __init__(self, project) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"http://{address}/lessons/chain_rule/"
        self.figure = f"http://{address}/figures/lessons/chain_rule/chain_rule.svg"
        self._log = project / "serve.log"
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [
                    python(project),
                    "-m",
                    "mkdocs",
                    "serve",
                    "--no-strict",
                    "--dev-addr",
                    address,
                ],
                cwd=project,
                stdout=log,
                stderr=log,
                env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"},
            )

    def ready(self) -> None:
        """Wait for the pages, and for the first word on the programs."""
        self.wait_for(self.answers)
        self.wait_for(lambda: JUDGED.search(self.log()))

    def log(self, start: int = 0) -> str:
        return self._log.read_bytes()[start:].decode()

    def wait_for(self, condition):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log()
            if result := condition():
                return result
            time.sleep(0.1)
        raise TimeoutError(self.log())

    def answers(self) -> str:
        """Its page, or nothing while it does not answer."""
        try:
            return self.page()
        except (OSError, HTTPException):
            return ""

    def page(self) -> str:
        with urlopen(self.url, timeout=30) as response:
            return response.read().decode()

    def after(self, change, told: str = "") -> str:
        """What the server logs from a change on until all is told of it, and this."""
        start = self._log.stat().st_size
        change()
        self.wait_for(lambda: "Reloading browsers" in self.log(start))
        self.wait_for(lambda: self._is_told(start) and told in self.log(start))
        self.quiet()
        return self.log(start)

    def _is_told(self, start: int) -> bool:
        """Whether the programs were judged since the last build asked for it."""
        last = self.log(start).rpartition("Building documentation...")[2]
        return JUDGED.search(last.rpartition("run behind the pages")[2]) is not None

    def quiet(self) -> None:
        """Wait until no more is told; what differs has pages rendered again."""
        size = -1
        while size < (now := self._log.stat().st_size):
            size = now
            time.sleep(2)


@contextmanager
def serving(project):
    running = Server(project)
    try:
        yield running
    finally:
        family = psutil.Process(running.process.pid).children(recursive=True)
        running.process.terminate()
        running.process.wait(10)
        assert not psutil.wait_procs(family, timeout=30)[1], "a process is left"


@pytest.fixture
def server(project):
    with serving(project) as running:
        running.ready()
        yield running


def _ran(log: str) -> int:
    """How many programs ran, in all builds that a change brought about."""
    return sum(map(int, JUDGED.findall(log)))


def _banner(page: str) -> str:
    return page.partition('class="md-banner')[2].partition("</aside>")[0]


def test_warns_and_runs_only_what_changed(server, project):
    log = server.after(lambda: edit(project / PAGE, "The chain", "Our chain"))
    assert _ran(log) == 0 and f"WARNING -  {TRACE}" not in log
    assert re.search(rf"pages are not checked as they are now, .*{PAGE}; run:", log)
    assert "Our chain rule" in server.page()

    log = server.after(
        lambda: edit(project / SNIPPET, "tf.constant(2.0)", "tf.constant(3.0)"),
        told=", 1 problem\n",
    )
    assert _ran(log) == 1, log
    assert f"WARNING -  {TRACE}:1: " in log
    assert "+dy/dx = 17496.0" in log and ", 1 problem\n" in log
    assert f"{TRACE}:1: {SNIPPET} prints something else" in _banner(server.page())
    assert "3.0" in server.page()

    log = server.after(
        lambda: edit(project / SNIPPET, "tf.constant(3.0)", "tf.constant(2.0)")
    )
    assert _ran(log) <= 1 and f"WARNING -  {TRACE}" not in log
    assert "md-banner" not in server.page()

    log = server.after(
        lambda: edit(project / TRACE, "dy/dx = 1024", "dy/dx = 1025"),
        told="+dy/dx = 1024.0",
    )
    assert _ran(log) == 0 and "+dy/dx = 1024.0" in log

    log = server.after(lambda: edit(project / PAGE, "at 2 is 1024", "at 2 is 1007"))
    assert f"WARNING -  {PAGE}:9: 1007: no output" in log and "nearest is 1024" in log
    assert re.search(rf"{PAGE}:9: 1007: .*nearest is 1024", _banner(server.page()))
    log = server.after(lambda: edit(project / PAGE, "at 2 is 1007", "at 2 is 1024"))
    assert "1007" not in log + server.page()

    log = server.after(lambda: edit(project / PAGE, r"\qquad", r"\qqquad"))
    assert "formula does not convert" in log
    assert server.page().count('<code class="formula-error">') == 1


SLOW = "import time\nprint('quite_slow')\ntime.sleep({})\n"


@pytest.mark.slow
def test_no_page_waits_for_a_program(server, project):
    start, began = len(server.log()), time.monotonic()
    (project / SNIPPET).write_text(SLOW.format(30))
    server.wait_for(lambda: "quite_slow" in server.answers())
    assert time.monotonic() - began < 30  # which the program takes
    assert f"WARNING -  {TRACE}:1: " not in server.log(start)
    server.wait_for(lambda: f"WARNING -  {TRACE}:1: " in server.log(start))


@pytest.mark.slow
def test_a_figure_reaches_its_page(server, project):
    figure = project / "docs/figures/lessons/chain_rule/chain_rule.svg"

    def shown(content: str) -> bool:
        try:
            with urlopen(server.figure, timeout=30) as response:
                return response.read().decode() == content
        except OSError:
            return False

    with (project / PAGE).open("a") as page:
        page.write("\n![A figure](../figures/lessons/chain_rule/chain_rule.svg)\n")
    for content in ("<svg>one</svg>", "<svg>two</svg>"):
        (project / SNIPPET).write_text(
            f"print(1)\nopen('chain_rule.svg', 'w').write('{content}')\n"
        )
        server.wait_for(lambda content=content: shown(content))
        assert figure.read_text() == content


def test_an_engine_that_was_killed_starts_again(server, project):
    engine = next(
        each
        for each in psutil.Process(server.process.pid).children()
        if "engine" in each.cmdline()
    )
    start = len(server.log())
    engine.kill()
    edit(project / SNIPPET, "tf.constant(2.0)", "tf.constant(3.0)")
    server.wait_for(lambda: f"WARNING -  {TRACE}:1: " in server.log(start))
    assert "tracebook ended, and is started again" in server.log(start)


def test_what_is_asked_for_later_is_of_the_pages_as_they_are(server, project):
    def of(path: str) -> str:
        address = server.url.removesuffix("lessons/chain_rule/")
        with urlopen(address + path, timeout=60) as response:
            return response.read().decode()

    server.after(lambda: edit(project / PAGE, "# The chain", "# Quokka chain"))
    assert "Quokka" in of("search/sections.js")
    assert "Quokka" in of("lessons/chain_rule.ipynb")
    assert "Quokka" in of("llms-full.txt")
    with urlopen(
        server.url.replace("lessons/chain_rule/", "assets/fonts/stix-two-math.woff2")
    ) as font:
        assert font.read(4) == b"wOF2"
