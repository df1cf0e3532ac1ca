"""Deliberately wrong: mistakes in custom gradients, in PyTorch."""

import re
import warnings

import numpy as np
import torch

# While it traces a backward pass, torch.compile warns before it raises.
warnings.simplefilter("ignore")
np.set_printoptions(formatter={"all": "{:.4g}".format})

MODES = {
    "eager": lambda function: function,
    "compile": lambda function: torch.compile(function, backend="aot_eager"),
}
X = np.array([1, 2, 3], np.float32)
MATRIX = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
COMPLEX = np.array([1 + 2j, 3j], np.complex64)
STATE = {}


def outcome(gradient, right):
    """Compare the tensors that `gradient` returns with the right arrays."""
    try:
        tensors = gradient()
    except Exception as error:
        line = str(error).removeprefix("backend='aot_eager' raised:\n")
        line = re.sub(r" at (0x|/)\S+", "", line.splitlines()[0])
        return f"raises {type(error).__name__}: {line[:90].strip()}"
    for tensor, expected in zip(tensors, right, strict=True):
        if tensor is None:
            return f"silent: None, not {expected}"
        array = tensor.detach().numpy()
        if array.shape != expected.shape:
            return f"silent: shape {array.shape}, not {expected.shape}"
        if array.dtype != expected.dtype:
            return f"silent: {array.dtype}, not {expected.dtype}"
        if not np.allclose(array, expected):
            return " ".join(f"silent: {array}, not {expected}".split())
    return "right"


def custom(function, gradient, saved=lambda *inputs: inputs, vmap=False):
    """Return `function` with a gradient of upstream and what is saved."""
    class Custom(torch.autograd.Function):
        generate_vmap_rule = vmap

        @staticmethod
        def forward(*inputs):
            return function(*inputs)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.settings = [each for each in inputs if isinstance(each, float)]
            ctx.save_for_backward(*filter(torch.is_tensor, saved(*inputs)))

        @staticmethod
        def backward(ctx, *upstream):
            return gradient(*upstream, *ctx.saved_tensors, *ctx.settings)

    return Custom.apply


def first_order(wrap, function, *inputs):
    y = wrap(lambda *inputs: function(*inputs))(*inputs)
    torch.sum(3.0 * y).backward()
    return [each.grad for each in inputs if each.requires_grad]


def second_order(wrap, function, x):
    y = wrap(lambda x: function(x))(x)
    (slope,) = torch.autograd.grad(torch.sum(x * y), x, create_graph=True)
    return torch.autograd.grad(torch.sum(slope), x)


def forward_mode(wrap, function, x):
    tangent = torch.full_like(x, 3.0)
    return [wrap(lambda x: torch.func.jvp(function, (x,), (tangent,))[1])(x)]


def map_of_gradients(wrap, function, x):
    gradient = torch.func.grad(lambda row: torch.sum(3.0 * function(row)))
    return [wrap(torch.func.vmap(gradient))(x)]


def changed_between(wrap, function, x):
    y = wrap(lambda x: function(x))(x)
    with torch.no_grad():
        x += 1.0
    torch.sum(3.0 * y).backward()
    return [x.grad]


def leaf(value):
    if isinstance(value, torch.nn.Parameter):
        return torch.nn.Parameter(value.detach())
    return torch.tensor(value, requires_grad=value.dtype.kind in "fc")


def compare(name, plain, wrong, *inputs, way=first_order):
    """Print what each mode makes of a mistake."""
    right_way = first_order if way is changed_between else way
    right = right_way(MODES["eager"], plain, *map(leaf, inputs))
    right = [tensor.detach().numpy() for tensor in right]
    for mode, wrap in MODES.items():
        torch.compiler.reset()
        result = outcome(lambda: way(wrap, wrong, *map(leaf, inputs)), right)
        print(name, "|", mode, "|", result)


def cube(x):
    return x**3


good_square = custom(torch.square, lambda u, x: u * 2.0 * x)
good_product = custom(torch.mul, lambda u, x, y: (u * y, u * x))

compare("no upstream", torch.square,
        custom(torch.square, lambda u, x: 2.0 * x), X)
compare("no sum over a broadcast axis", torch.mul, good_product, X, MATRIX)
compare("transposed gradient", torch.matmul,
        custom(torch.matmul, lambda u, x, w: (w @ u.T, x.T @ u)),
        MATRIX, MATRIX.T)
compare("float64 for a float32 input", torch.square,
        custom(torch.square, lambda u, x: (u * 2.0 * x).to(torch.float64)), X)
compare("one gradient too few", torch.mul,
        custom(torch.mul, lambda u, x, y: u * y), X, X)
compare("one gradient too many", torch.square,
        custom(torch.square, lambda u, x: (u * 2.0 * x, u)), X)
compare("None for an input", torch.mul,
        custom(torch.mul, lambda u, x, y: (None, u * x)), X, X)


def captured(x, w):
    return custom(lambda x: w * x * x, lambda u, x: u * 2.0 * w * x)(x)


compare("captured tensor", lambda x, w: w * x * x, captured,
        X, np.float32(2))
compare("captured variable", lambda x, w: w * x * x, captured,
        X, torch.nn.Parameter(torch.tensor(2.0)))


def changed_inside(x):
    y = good_square(x)
    with torch.no_grad():
        x += 1.0
    return y


compare("input changes after the call", torch.square, good_square,
        X, way=changed_between)
compare("input changes in the same function", torch.square, changed_inside, X)


def remember(x):
    STATE["x"] = x
    return ()


remembered = custom(torch.square, lambda u: u * 2.0 * STATE["x"], remember)
compare("state in a global dict", lambda x, y: x * x + y * y,
        lambda x, y: remembered(x) + remembered(y), X, X + 1)
compare("second order, NumPy in grad", cube, custom(
    cube, lambda u, x: u * torch.tensor(3.0 * x.detach().numpy() ** 2)),
    X, way=second_order)
compare("second order, stopped local derivative", cube,
        custom(cube, lambda u, local: u * local,
               lambda x: ((3.0 * x * x).detach(),)), X, way=second_order)
compare("second order, local derivative from forward", cube,
        custom(cube, lambda u, local: u * local,
               lambda x: (3.0 * x * x,)), X, way=second_order)


def sum_over_all(upstream, x):
    y = torch.softmax(x, -1)
    return y * (upstream - torch.sum(upstream * y))


softmax = custom(lambda x: torch.softmax(x, -1), sum_over_all, vmap=True)
compare("sum over all axes", lambda x: torch.softmax(x, -1) ** 2,
        lambda x: softmax(x) ** 2, MATRIX[:, :2])
compare("sum over all axes, mapped", lambda x: torch.softmax(x, -1) ** 2,
        lambda x: softmax(x) ** 2, MATRIX[:, :2], way=map_of_gradients)
reverse = custom(lambda x: 1.0 * x, lambda u, x: -u)
reverse_rows = custom(lambda x: 1.0 * x, lambda u, x: -u, vmap=True)
compare("map of gradients", lambda x: -x, reverse_rows, MATRIX,
        way=map_of_gradients)
compare("gradient of a map", lambda x: -x, torch.func.vmap(reverse), MATRIX)
compare("forward mode", lambda x: -x, reverse, X, way=forward_mode)
branch = custom(torch.square,
                lambda u, x: u * (2.0 if torch.sum(x) > 0.0 else -2.0) * x)
compare("Python if in grad", torch.square, branch, X)
narrow = custom(lambda x: 1e-4 * x.to(torch.float32),
                lambda u, x: u.to(torch.float16) * 1e-4)
compare("upstream cast to float16", lambda x: 10.0 * x.to(torch.float32),
        lambda x: 1e5 * narrow(x), X.astype(np.float16))
compare("one input twice", torch.square, lambda x: good_product(x, x), X)
pair = custom(lambda x: (x * x, torch.sqrt(x)),
              lambda u, v, x: u * 2.0 * x + v * 0.5 / torch.sqrt(x))
compare("unused output", torch.square, lambda x: pair(x)[0], X - 1)
overwrite = custom(torch.square, lambda u, x: u.mul_(2.0 * x))
compare("upstream in place", lambda x, b: 2.0 * b + x * x,
        lambda x, b: 2.0 * b + overwrite(x), X, X)
compare("float gradient of an integer", torch.mul,
        custom(torch.mul, lambda u, x, n: (u * n, u * x)), X, np.int32(3))
no_conjugate = custom(torch.square, lambda u, z: u * 2.0 * z)
compare("complex, no conjugate", lambda z: torch.real(z * z),
        lambda z: torch.real(no_conjugate(z)), COMPLEX)
conjugate = custom(torch.square, lambda u, z: u * 2.0 * torch.conj(z))
compare("complex, conjugate", lambda z: torch.real(z * z),
        lambda z: torch.real(conjugate(z)), COMPLEX)
sharpen = custom(lambda x, n: x**n if n > 1.0 else x,
                 lambda u, x, n: (u * n * x ** (n - 1.0), None))
compare("setting in a Python if", cube, lambda x: sharpen(x, 3.0), X)
one_of_two = custom(torch.pow, lambda u, x, n: u * n * x ** (n - 1.0))
compare("setting without a gradient", cube, lambda x: one_of_two(x, 3.0), X)
