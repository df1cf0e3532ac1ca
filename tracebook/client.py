"""Talk to an engine in a process of its own.

An engine is started by whoever builds the site, works while pages render, and
stays warm. It is a process of its own because a child of the engine starts by
importing its parent's main module, and a site generator's is a heavy one.
"""

import json
import subprocess
import sys
from pathlib import Path


class EngineError(Exception):
    """The engine could not do its work; the text says why."""


class Engine:
    """A running ``python -m tracebook engine``; use it from one thread."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tracebook", "--root", str(root), "engine"],
            cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            encoding="utf-8")

    def ask(self) -> None:
        """Have the whole book judged; returns at once."""
        try:
            print("check", file=self._process.stdin, flush=True)
        except BrokenPipeError:
            pass  # answer() tells

    def answer(self) -> dict:
        """Wait for the report: the fields of ``judge.Report`` as JSON has them.

        Raises EngineError if there is none.
        """
        line = self._process.stdout.readline()
        if not line:
            raise EngineError(
                f"tracebook ended with exit code {self._process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise EngineError(answer["error"])
        return answer

    def close(self) -> None:
        """End the engine and all that it runs."""
        self._process.terminate()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
