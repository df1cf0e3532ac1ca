# @title Run this cell first: then the lines of a program stand in order
# TensorFlow's own lines are among them. `%%alone` runs a cell in a process of its own.
import builtins
import logging
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
from IPython import get_ipython


class Printed:
    """What is printed while a cell runs, by whichever part of the process."""

    def __init__(self, shell):
        self.reader, self.stream = (
            None,
            builtins.open(1, "w", 1, "utf-8", closefd=False),
        )
        self.options = np.get_printoptions()
        shell.events.register("pre_run_cell", self.begin)
        shell.events.register("post_run_cell", self.end)
        shell.set_custom_exc((Exception,), self.raised)
        shell.register_magic_function(self.alone, "cell")

    def begin(self, *_):
        np.set_printoptions(**self.options)
        if keras := sys.modules.get("keras"):
            keras.utils.clear_session(free_memory=False)  # counts names anew
        self.notebook = sys.stdout, sys.stderr
        sys.stdout.flush(), sys.stderr.flush()
        self.kept = os.dup(1), os.dup(2)
        there, here = os.pipe()
        os.dup2(here, 1), os.dup2(here, 2), os.close(here)
        sys.stdout = sys.stderr = self.stream
        self.reader = threading.Thread(target=self.show, args=(there,))
        self.reader.start()

    def show(self, there):
        with open(there, encoding="utf-8", errors="replace") as printed:
            for line in printed:
                self.notebook[0].write(line)

    def end(self, *_):
        if self.reader is None:
            return
        self.stream.flush()
        sys.stdout, sys.stderr = self.notebook
        for kept, place in zip(self.kept, (1, 2)):
            os.dup2(kept, place), os.close(kept)
        self.reader.join(10)  # what it started may still hold the pipe
        self.reader = None
        sys.stdout.flush()

    def raised(self, shell, kind, error, trace, tb_offset=None):
        self.end()
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)

    def alone(self, line, cell):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, line)
            program.write_text(cell, "utf-8")
            subprocess.run([sys.executable, "-u", program])


Printed(get_ipython())
# TensorFlow logs more where it finds a prompt, and a notebook logs it once more.
vars(sys).pop("ps1", None)
logging.root.handlers.clear()
# It warns of a function that is traced often, whichever programs traced it.
logging.getLogger("tensorflow").addFilter(
    lambda record: "triggered tf.function retracing" not in record.getMessage()
)
