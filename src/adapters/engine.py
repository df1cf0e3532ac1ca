"""An engine in a process of its own, for site generators.

It works while pages render, and stays warm. It isn't part of the generator's process,
because each of its children starts by importing its parent's main module, and a
generator's is a heavy one.
"""

import contextlib
import json
import shlex
import subprocess
import sys
from pathlib import Path


class Engine:
    """A running ``python -m tracebook engine``.

    Requests must come from one thread; ``close`` may come from another.

    Args:
        root: the project's folder.
        docs: the folder of pages, if it isn't the one of the settings.
        remember: whether passed runs of earlier days count.
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
        """True until the engine ends."""
        return self._process.poll() is None

    def check(self, *paths: Path) -> dict:
        """Check programs, or the whole project.

        Returns:
            The fields of ``report.CheckReport``.

        Raises:
            ChildProcessError: the engine ended without an answer.
        """
        with contextlib.suppress(OSError, ValueError):  # then there is no answer
            line = shlex.join(("check", *map(str, paths)))
            print(line, file=self._process.stdin, flush=True)
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
