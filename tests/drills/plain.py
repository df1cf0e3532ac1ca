"""``python -m tests.drills.plain FOLDER``: run programs with nothing of tracebook.

Runs ``FOLDER/*/*.py``, each forked from a Python that imported TensorFlow, and
writes beside each what it printed and the message that ended it.
"""

import os
import sys
import tempfile
import traceback
from pathlib import Path

import tensorflow as tf  # noqa: F401, imported once for all programs


def become(program: Path) -> None:
    os.chdir(program.parent)
    tempfile.tempdir = os.getcwd()
    printed = os.open("printed", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number, descriptor in (
        (0, os.open(os.devnull, os.O_RDONLY)),
        (1, printed),
        (2, printed),
    ):
        os.dup2(descriptor, number)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w", 1), open(2, "w", 1)
    main = {"__name__": "__main__", "__file__": program.name}
    try:
        exec(compile(program.read_bytes(), program.name, "exec"), main)
    except BaseException as error:
        os.write(printed, "".join(traceback.format_exception_only(error)).encode())
    sys.stdout.close()
    os._exit(0)


if __name__ == "__main__":
    running = 0
    for each in sorted(Path(sys.argv[1]).resolve().glob("*/*.py")):
        if running == os.cpu_count():
            os.wait()
            running -= 1
        if os.fork() == 0:
            become(each)
        running += 1
    while running:
        os.wait()
        running -= 1
