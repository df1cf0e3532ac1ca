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
            gradcheck(cube, (tf.constant([1.3, -0.7]),), shapes=True)

    A failed check prints the problem, the smallest counterexample that it finds within
    ten seconds, and the advice of ``explain``.
    """

    return partial(check, request.config.getoption("--gradcheck-seed"))


def check(seed: int, f: Callable, args: Any, *more: Any, **options: Any) -> Any:
    """``check_custom_gradient``, which fails with more than its problems."""
    __tracebackhide__ = True
    from . import check_custom_gradient  # TensorFlow takes seconds to import
    from .failure import text

    all_options = {"seed": seed, **options, "raise_exception": False}
    result = check_custom_gradient(f, args, *more, **all_options)
    if not result and options.get("raise_exception", True):
        arguments = tuple(args) if isinstance(args, (tuple, list)) else (args,)
        raise AssertionError(text(f, arguments, result, **all_options))
    return result
