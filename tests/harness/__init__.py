"""What the tests of claims and the tables share."""

from .inputs import COMPLEX, FLOATS, LOSSES, arrays, neighbor, numbers
from .keras_fit import gradients_in_fit
from .places import (
    ALL_OUTSIDE,
    BLOCKS,
    COMMON,
    EAGER,
    EAGER_BLOCKS,
    EVERYWHERE,
    FORWARDS,
    GRAPHS,
    IN_PYTHON,
    INSIDE,
    MODES,
    NESTED,
    OUTSIDE,
    PARTLY_USED,
    PERSISTENT,
    RECOMPUTED,
    SYMBOLIC,
    TAPE_IN_MAP,
    TAPES,
    UNKNOWN,
    VECTORIZED,
    XLA,
    XLA_OUTSIDE,
    Forward,
    Place,
    derivative,
)
from .processes import elsewhere, loaded, loaded_in_places
from .programs import drawn, output, program, source
from .results import constant, contrast, message, quiet, raised, same, tried
