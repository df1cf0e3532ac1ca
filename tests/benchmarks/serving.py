"""What an edit costs while serving: a real ``mkdocs serve``, a polling client."""

import random
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from . import books
from .contenders import ENVIRONMENT

SNIPPET = "snippets/lessons/chain_rule/chain_rule.py"
PAGE = "docs/lessons/chain_rule.md"
URL = "lessons/chain_rule/"

# MkDocs drops a line of log that it has written before, such as how long a build
# took; this hook makes it forget.
_HOOK = """\
import logging

def on_pre_build(config):
    for each in logging.getLogger("mkdocs.commands.build").filters:
        each.msgs.clear()
"""


def measure(folder: Path, rounds: int) -> dict[str, dict[str, list[dict]]]:
    """For both kinds of edit and both servers: what each edit took.

    Each server has a copy of its own, and only one of them rebuilds at a time.
    """
    servers = {
        "tracebook": _Server(folder / "serve", "mkdocs.yml"),
        "bare": _Server(folder / "serve-bare", "bare.yml"),
    }
    took: dict[str, dict[str, list[dict]]] = {
        edit: {name: [] for name in servers} for edit in ("page", "snippet")
    }
    try:
        for number in range(1, rounds + 1):
            for edit, of_server in took.items():
                for name, server in servers.items():
                    of_server[name].append(getattr(server, edit)(number))
    finally:
        for server in servers.values():
            server.close()
    return took


class _Server:
    def __init__(self, root: Path, config: str) -> None:
        self._root = books.own(root).root
        self._judges = config == "mkdocs.yml"
        self._texts = {
            name: (root / name).read_text("utf-8")
            for name in (PAGE, SNIPPET, SNIPPET.replace(".py", ".out"))
        }
        (root / "say_again.py").write_text(_HOOK)
        with (root / config).open("a") as written:
            written.write("\nhooks: [say_again.py]\n")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self._url = f"http://{address}/{URL}"
        self._log = root / "serve.log"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "mkdocs",
                    "serve",
                    "--no-strict",
                    "-f",
                    config,
                    "--watch",
                    "snippets",
                    "--dev-addr",
                    address,
                ],
                cwd=root,
                env={**ENVIRONMENT, "NO_COLOR": "1"},
                stdout=log,
                stderr=log,
            )
        self._wait(lambda: "Serving on" in self._log.read_text() and self._rests())

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()

    def page(self, number: int) -> dict[str, float]:
        """Edit a page's prose."""
        return self._edit({PAGE: f"\nEdit {number}.\n"}, f"Edit {number}.", 1)

    def snippet(self, number: int) -> dict[str, float]:
        """Edit a program and its trace; the page is fresh when it has both."""
        program, trace = list(self._texts)[1:]
        return self._edit(
            {program: f'print("edit {number}")\n', trace: f"edit {number}\n"},
            f"edit {number}",
            2,
        )

    def _edit(self, additions: dict[str, str], mark: str, times: int) -> dict:
        time.sleep(random.uniform(0, 0.5))  # MkDocs looks twice a second
        start = self._log.stat().st_size
        began = time.perf_counter()
        for name, addition in additions.items():
            beside = self._root / "edited"
            beside.write_text(self._texts[name] + addition)
            beside.replace(self._root / name)
        self._wait(lambda: self._shown().count(mark) >= times)
        fresh = time.perf_counter() - began
        time.sleep(1)  # it may have seen one of two files first
        self._wait(lambda: self._rests(start))
        said = self._log.read_bytes()[start:].decode()
        if "WARNING -  snippets/" in said:
            raise RuntimeError(said)
        ran = [int(n) for n in re.findall(r"snippets, (\d+) run", said)]
        built = re.search(r"built in ([\d.]+) seconds", said)
        return {
            "fresh": fresh,
            "rebuild": float(built[1]),
            "ran": sum(ran) if ran else None,
        }

    def _rests(self, start: int = 0) -> bool:
        """Whether it rendered what it saw since then, and the engine, which answers
        behind the pages, has judged it."""
        said = self._log.read_bytes()[start:].decode()
        if start and not said.count("Reloading") == said.count("Detected") > 0:
            return False
        return not self._judges or said.rfind(" snippets, ") > said.rfind("Detected")

    def _shown(self) -> str:
        try:
            with urlopen(self._url, timeout=60) as response:
                return response.read().decode()
        except URLError:
            return ""

    def _wait(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 600  # all programs run first
        while not condition():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(self._log.read_text()[-4000:])
            time.sleep(0.02)
