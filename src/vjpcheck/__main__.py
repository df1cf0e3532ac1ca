"""``python -m vjpcheck module:function --args "[1.0, 2.0], 3.0"``."""

import argparse
import ast
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any


def main(words: Sequence[str] | None = None) -> int:
    """0 if the gradient is right, 1 if it is wrong, 2 if it can't be checked."""
    options = _parser().parse_args(words)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.path.insert(0, "")
    try:
        from . import GradientError, Undecided, check_custom_gradient, check_grads

        module, _, name = options.function.partition(":")
        f: Any = importlib.import_module(module)
        for part in name.split("."):
            f = getattr(f, part)
        args = _arguments(options.args, options.dtype)
        more = {"order": options.order, "atol": options.atol, "rtol": options.rtol}
        if not options.plain:
            shapes = True if options.shapes else None
            more |= {"shapes": shapes, "xla": options.xla, "seed": options.seed}
        try:
            result = (check_grads if options.plain else check_custom_gradient)(
                f, args, **more
            )
        except GradientError as error:
            from .failure import text

            print(error if options.plain else text(f, args, error, **more))
            return 2 if isinstance(error, Undecided) else 1
    except Exception as error:
        print(f"vjpcheck: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    print(f"{options.function}: right; {result.compared} comparisons")
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
    parser.add_argument("--order", type=int, default=2)
    parser.add_argument("--atol", type=float, default=0.0)
    parser.add_argument("--rtol", type=float)
    parser.add_argument("--seed", type=int, default=0)
    for name, text in (
        ("plain", "check what TensorFlow differentiates, with check_grads"),
        ("shapes", "try other lengths of all axes, too"),
        ("xla", "try XLA, too"),
    ):
        parser.add_argument(f"--{name}", action="store_true", help=text)
    return parser


if __name__ == "__main__":
    sys.exit(main())
