"""Talk to an engine in a process of its own.

An engine is started by whoever builds the site, works while pages render, and
stays warm. It is a process of its own because a child of the engine starts by
importing its parent's main module, and a site generator's is a heavy one.
"""

import contextlib
import json
import shlex
import subprocess
import sys
from pathlib import Path


class Engine:
    """A running ``python -m tracebook engine``.

    Ask it from one thread; ``close`` may come from another.
    """

    def __init__(
        self, root: Path, docs: str | None = None, remember: bool = False
    ) -> None:
        options = ["--docs", docs] if docs else []
        options += ["--remember"] if remember else []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tracebook", "--root", root, *options, "engine"],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, *paths: Path) -> None:
        """Have snippets judged, or the whole book; returns at once."""
        with contextlib.suppress(OSError, ValueError):  # answer() tells
            line = shlex.join(("check", *map(str, paths)))
            print(line, file=self._process.stdin, flush=True)

    def answer(self) -> dict:
        """Wait for the report: the fields of ``judge.Report`` as JSON has them.

        Raises ChildProcessError if the engine ended without one.
        """
        assert self._process.stdout
        if line := self._process.stdout.readline():
            return json.loads(line)
        raise ChildProcessError(
            f"tracebook ended with exit code {self._process.wait()}"
        )

    def close(self) -> None:
        """End the engine and all that it runs."""
        self._process.terminate()
        self._process.wait()
        with contextlib.suppress(BrokenPipeError), self._process:
            pass  # closes its pipes
