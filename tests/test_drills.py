"""Promise: a mistake that is planted is caught. An even sample of all drills;
``make drills`` does them all."""

import subprocess
import sys

from .project import ROOT


def test_every_planted_mistake_is_caught(built_site):
    done = subprocess.run(
        [sys.executable, "-m", "tests.drills", "--fast", "--site", built_site],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout
