"""Imported first by the process that snippets are forked from."""

import os

# Each child imports the command's module anew, and finds all of it here.
from . import __main__, orphans  # noqa: F401

# What imports log is nobody's trace and nobody's news.
with open(os.devnull, "w") as nowhere:
    os.dup2(nowhere.fileno(), 1)
    os.dup2(nowhere.fileno(), 2)
orphans.prevent()
