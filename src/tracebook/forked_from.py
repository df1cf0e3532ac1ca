"""The process that programs are forked from imports this first."""

import gc

# Each child imports the command's module anew, and finds all of it here.
from . import __main__, leftovers, streams  # noqa: F401

streams.silence()  # what imports log belongs to no output
leftovers.prevent_orphans()
# Imported modules stay, so the garbage collector needn't look through them, neither
# now nor, as `child` has it, in the processes that are forked from this one.
gc.disable()
