"""Promise: while serving, a trace that differs is a warning, the site goes on,
and only what changed runs again."""

import os
import re
import socket
import subprocess
import time
from urllib.error import URLError
from urllib.request import urlopen

import psutil
import pytest

from .project import edit, python

SNIPPET = "snippets/lessons/chain_rule/chain_rule.py"
TRACE = SNIPPET.replace(".py", ".out")
PAGE = "docs/lessons/chain_rule.md"


class Server:
    """A running ``mkdocs serve`` and the log that it writes."""

    def __init__(self, project) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"http://{address}/lessons/chain_rule/"
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
        self._wait_for(self._answers)

    def _wait_for(self, condition):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self._log.read_text()
            if result := condition():
                return result
            time.sleep(0.1)
        raise TimeoutError(self._log.read_text())

    def _answers(self) -> bool:
        try:
            return bool(self.page())
        except URLError:
            return False

    def page(self) -> str:
        with urlopen(self.url, timeout=30) as response:
            return response.read().decode()

    def after(self, change) -> str:
        """What the server logs from a change on to the end of its rebuild."""
        start = self._log.stat().st_size
        change()

        def rebuilt():
            said = self._log.read_bytes()[start:].decode()
            return said if "Reloading browsers" in said else None

        return self._wait_for(rebuilt)


@pytest.fixture
def server(project):
    running = Server(project)
    yield running
    family = psutil.Process(running.process.pid).children(recursive=True)
    running.process.terminate()
    running.process.wait(10)
    assert not psutil.wait_procs(family, timeout=5)[1], "a process is left"


def _ran(log: str) -> int:
    return int(re.search(r"\d+ snippets, (\d+) run", log)[1])


def test_warns_and_runs_only_what_changed(server, project):
    log = server.after(lambda: edit(project / PAGE, "The chain", "Our chain"))
    assert _ran(log) == 0 and "WARNING" not in log
    assert "Our chain rule" in server.page()

    log = server.after(
        lambda: edit(project / SNIPPET, "tf.constant(2.0)", "tf.constant(3.0)")
    )
    assert _ran(log) == 1
    assert f"WARNING -  {TRACE}:1: " in log
    assert "+dy/dx = 17496.0" in log
    assert "3.0" in server.page()

    log = server.after(
        lambda: edit(project / SNIPPET, "tf.constant(3.0)", "tf.constant(2.0)")
    )
    assert _ran(log) <= 1 and "WARNING" not in log

    log = server.after(lambda: edit(project / TRACE, "dy/dx = 1024", "dy/dx = 1025"))
    assert _ran(log) == 0 and "+dy/dx = 1024.0" in log

    log = server.after(lambda: edit(project / PAGE, r"\qquad", r"\qqquad"))
    assert "formula does not convert" in log
    assert server.page().count('<code class="formula-error">') == 1
