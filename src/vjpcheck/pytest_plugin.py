"""The fixture ``gradcheck``, and the option ``--gradcheck-seed``, for pytest."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("vjpcheck").addoption(
        "--gradcheck-seed",
        type=int,
        default=0,
        help="seed of the points and upstream gradients that gradcheck draws",
    )


@pytest.fixture
def gradcheck(request: pytest.FixtureRequest) -> Callable:
    """``check_custom_gradient`` with the seed of the command line.

    Example::

        def test_cube(gradcheck):
            gradcheck(cube, (tf.constant([1.3, -0.7]),))

    A failed check prints the problem, the smallest counterexample that it finds within
    ten seconds, and the advice of ``explain``.
    """
    return partial(check, request.config.getoption("--gradcheck-seed"))


def check(seed: int, f: Callable, args: Any, **options: Any) -> Any:
    """``check_custom_gradient``, which fails with more than its problem."""
    __tracebackhide__ = True
    from . import GradientError, check_custom_gradient  # TensorFlow takes seconds
    from .arrays import as_tuple
    from .failure import text

    options = {"seed": seed, **options}
    try:
        return check_custom_gradient(f, args, **options)
    except GradientError as error:
        raise type(error)(text(f, as_tuple(args), error, **options)) from None
