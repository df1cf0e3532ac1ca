"""``python -m vjpcheck module:function --args "[1.0, 2.0], 3.0"``."""

import argparse
import ast
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

_NAMES = (
    *("order", "atol", "rtol", "eps", "seed", "fast", "batched", "jit_compile"),
    "progress",
)


def main(words: Sequence[str] | None = None) -> int:
    """0 if the gradient is right, 1 if it is wrong, 2 if it can't be checked."""
    options = _parser().parse_args(words)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.path.insert(0, "")
    try:
        from . import check_custom_gradient, check_grads

        module, _, name = options.function.partition(":")
        f: Any = importlib.import_module(module)
        for part in name.split("."):
            f = getattr(f, part)
        args = _arguments(options.args, options.dtype)
        more: dict[str, Any] = {name: getattr(options, name) for name in _NAMES}
        if options.shapes:
            more["shapes"] = True
        result = (check_grads if options.plain else check_custom_gradient)(
            f,
            args,
            modes=options.modes.split(","),
            raise_exception=False,
            **more,
        )
    except Exception as error:
        print(f"vjpcheck: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    if not result:
        from .failure import text

        print(text(f, args, result, seed=options.seed))
        return 2 if result.undecided else 1
    slopes = result.compared + (result.report.slopes if result.report else 0)
    print(f"{options.function}: right; {slopes} comparisons")
    return 0


def _arguments(text: str, dtype: str) -> tuple:
    """Literals; lists become tensors, of this dtype if they have a decimal point."""
    import tensorflow as tf

    def tensor(value: object) -> object:
        if isinstance(value, dict):
            return {key: tensor(each) for key, each in value.items()}
        if isinstance(value, tuple):
            return tuple(map(tensor, value))
        if not isinstance(value, (list, float, complex)):
            return value
        converted = tf.convert_to_tensor(value)
        return tf.cast(converted, dtype) if converted.dtype.is_floating else converted

    return tuple(tensor(value) for value in ast.literal_eval(f"({text},)"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m vjpcheck",
        description="Check a custom gradient against finite differences.",
    )
    parser.add_argument("function", help="module:function")
    parser.add_argument(
        "--args", required=True, help='Python literals, such as "[1.0, 2.0], 3.0"'
    )
    parser.add_argument("--dtype", default="float64", help="of the tensors in --args")
    parser.add_argument("--order", type=int, default=1)
    parser.add_argument("--modes", default="rev", help='"rev", "fwd" or "rev,fwd"')
    for name in ("atol", "rtol", "eps"):
        parser.add_argument(f"--{name}", type=float)
    parser.add_argument("--seed", type=int, default=0)
    either = parser.add_mutually_exclusive_group()
    for name, text in (
        ("plain", "check what TensorFlow differentiates, by check_grads alone"),
        ("shapes", "try other shapes, too"),
    ):
        either.add_argument(f"--{name}", action="store_true", help=text)
    for name, text in (
        ("fast", "use one random direction"),
        ("batched", "try tf.vectorized_map, too"),
        ("jit-compile", "try XLA, too"),
        ("progress", "print how often the function was called"),
    ):
        parser.add_argument(f"--{name}", action="store_true", help=text)
    return parser


if __name__ == "__main__":
    sys.exit(main())
