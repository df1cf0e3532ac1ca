"""Imported first by the process that snippets are forked from."""

import gc
import os

# Each child imports the command's module anew, and finds all of it here.
from . import __main__, orphans  # noqa: F401

# What imports log is nobody's trace and nobody's news.
with open(os.devnull, "w") as nowhere:
    os.dup2(nowhere.fileno(), 1)
    os.dup2(nowhere.fileno(), 2)
orphans.prevent()
# What is imported from here on stays: nothing of it is looked through, neither now nor,
# as `child` has it, in the processes forked from this one.
gc.disable()
