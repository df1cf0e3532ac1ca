"""Promise: a rule that does not hold is found, and one that holds is not."""

import pytest

from gradients.client import GradientResult
from gradients.definitions import find_definitions, read_declarations

from .gradient_results import results_of

pytestmark = pytest.mark.slow
HEAD = "import tensorflow as tf\n\n"
TAPE = """
def run(function, *inputs):
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = function(*inputs)
    print(tape.gradient(y, inputs))

"""
# Of each kind the program, and pairs of a right part and a wrong one for it.
KINDS = {
    "matrix inverse": (
        """
@tf.custom_gradient
def inverse(A):
    Y = tf.linalg.inv(A)

    def grad(upstream):
        return -tf.linalg.matmul(
            tf.linalg.matmul(Y, upstream, transpose_a=True), Y, transpose_b=True)

    return Y, grad


run(inverse, tf.constant([[2.0, 1.0], [0.5, 3.0]]))
""",
        [
            ("return -", "return "),
            ("Y, upstream, transpose_a=True", "Y, upstream"),
            ("Y, transpose_b=True", "Y"),
        ],
    ),
    "rows": (
        """
@tf.custom_gradient
def first(x):
    def grad(upstream):
        return tf.IndexedSlices(
            upstream[tf.newaxis], tf.constant([0]), tf.shape(x))

    return x[0], grad


run(first, tf.constant([[1.0, 2.0], [3.0, 4.0]]))
""",
        [(", tf.shape(x)", ""), ("[0])", "[1])")],
    ),
    "a tie": (
        """
@tf.custom_gradient
def largest(x):
    y = tf.reduce_max(x)

    def grad(upstream):
        ties = tf.cast(tf.equal(x, y), x.dtype)
        return upstream * ties / tf.reduce_sum(ties)

    return y, grad


run(largest, tf.constant([2.0, 2.0, 2.0, 1.0]))
""",
        [(" / tf.reduce_sum(ties)", ""), ("/ tf.reduce_sum(ties)", "* 0.5")],
    ),
    "complex product": (
        """
# truth: z.shape == w.shape
@tf.custom_gradient
def product(z, w):
    def grad(upstream):
        return upstream * tf.math.conj(w), upstream * tf.math.conj(z)

    return z * w, grad


run(product, tf.constant([1 + 2j, 3 - 1j]), tf.constant([0.5 + 2j, 1j]))
""",
        [
            ("tf.math.conj(w)", "w"),
            ("upstream * tf.math.conj(z)", "tf.math.conj(upstream) * z"),
        ],
    ),
    "discrete Fourier transform": (
        """
@tf.custom_gradient
def transform(z):
    def grad(upstream):
        n = tf.cast(tf.shape(z)[-1], z.dtype)
        return n * tf.signal.ifft(upstream)

    return tf.signal.fft(z), grad


run(transform, tf.constant([1 + 2j, 3 - 1j, 0.5j]))
""",
        [("ifft(up", "fft(up"), ("n * tf", "tf")],
    ),
    "softmax": (
        """
@tf.custom_gradient
def softmax(x):
    y = tf.nn.softmax(x)

    def grad(upstream):
        inner = tf.reduce_sum(upstream * y, axis=-1, keepdims=True)
        return y * (upstream - inner)

    return y, grad


run(softmax, tf.constant([[1.0, 2.0, 3.0], [0.0, 1.0, 0.5]]))
""",
        [("axis=-1, ", ""), ("upstream - inner", "upstream"), ("y * (up", "(up")],
    ),
    "broadcasting": (
        """
def unbroadcast(gradient, like):
    axes = list(range(len(gradient.shape) - len(like.shape)))
    gradient = tf.reduce_sum(gradient, axis=axes)
    axes = [i for i, size in enumerate(like.shape) if size == 1]
    return tf.reduce_sum(gradient, axis=axes, keepdims=True)


@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        return unbroadcast(upstream * y, x), unbroadcast(upstream * x, y)

    return x * y, grad


run(product, tf.constant([[1.0], [2.0]]), tf.constant([3.0, 4.0, 5.0]))
""",
        [
            ("unbroadcast(upstream * y, x)", "upstream * y"),
            ("axis=axes, keepdims", "keepdims"),
            ("* x, y)", "* y, y)"),
        ],
    ),
    "one shape": (
        """
# truth: x.shape == y.shape
@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        return upstream * y, upstream * x

    return x * y, grad


run(product, tf.constant(2.0), tf.constant(3.0))
""",
        [("# truth: x.shape == y.shape\n", ""), ("x.shape == y.shape", "x > 2.5")],
    ),
    "variables": (
        """
w = tf.Variable([1.0, -2.0])


# truth: x.shape == w.shape
@tf.custom_gradient
def scaled(x):
    def grad(upstream, variables=None):
        return upstream * w, [upstream * x]

    return w * x, grad


run(scaled, tf.constant([3.0, 0.5]))
""",
        [
            ("[upstream * x]", "[upstream]"),
            ("[upstream * x]", "[None]"),
            ("upstream * w", "upstream * x"),
        ],
    ),
    "complex": (
        """
@tf.custom_gradient
def square(z):
    def grad(upstream):
        return upstream * tf.math.conj(2.0 * z)

    return z * z, grad


run(square, tf.constant([1.0 + 2.0j, -0.5j]))
""",
        [("tf.math.conj(2.0 * z)", "2.0 * z")],
    ),
    "straight-through": (
        """
# truth: the gradient of tf.identity
@tf.custom_gradient
def rounded(x):
    return tf.round(x), lambda upstream: upstream


run(rounded, tf.constant([0.2, 1.7]))
""",
        [
            ("# truth: the gradient of tf.identity\n", ""),
            ("lambda upstream: upstream", "lambda upstream: 2.0 * upstream"),
        ],
    ),
    "clipping": (
        """
def clipped(limit):
    # truth: upstream becomes tf.clip_by_value(upstream, -limit, limit)
    @tf.custom_gradient
    def identity(x):
        def grad(upstream):
            upstream = tf.convert_to_tensor(upstream)
            return tf.clip_by_value(upstream, -limit, limit)

        return tf.identity(x), grad

    return identity


run(clipped(0.5), tf.constant([0.2, 1.7]))
""",
        [
            ("return tf.clip_by_value(upstream, -limit, limit)", "return upstream"),
            (
                "return tf.clip_by_value(upstream, -limit, limit)",
                "return tf.clip_by_value(upstream, -limit, 1.0)",
            ),
            ("upstream = tf.convert_to_tensor(upstream)", "pass"),
        ],
    ),
    "domain": (
        """
# truth: x > 0
@tf.custom_gradient
def logarithm(x):
    return tf.math.log(x), lambda upstream: upstream / x


run(logarithm, tf.constant([0.2, 1.7]))
""",
        [("upstream / x", "upstream * x"), ("x > 0", "x is positive")],
    ),
    "symmetric": (
        """
# truth: A.shape.rank == 2
# truth: A = A @ tf.transpose(A) + tf.eye(2, dtype=A.dtype)
@tf.custom_gradient
def log_determinant(A):
    L = tf.linalg.cholesky(A)

    def grad(upstream):
        return upstream * tf.linalg.inv(A)

    return 2.0 * tf.reduce_sum(tf.math.log(tf.linalg.diag_part(L))), grad


run(log_determinant, tf.constant([[2.0, 1.0], [1.0, 3.0]]))
""",
        [
            ("tf.linalg.inv(A)", "tf.linalg.inv(A @ A)"),
            ("# truth: A =", "# truth: B ="),
            ("# truth: A.shape.rank == 2\n", ""),
        ],
    ),
    "second derivative": (
        """
@tf.custom_gradient
def sine(x):
    def grad(upstream):
        return upstream * tf.cos(x)

    return tf.sin(x), grad


x = tf.constant(0.5)
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = sine(x)
    slope = inner.gradient(y, x)
print(outer.gradient(slope, x))
""",
        [("upstream * tf.cos(x)", "upstream * tf.stop_gradient(tf.cos(x))")],
    ),
    "method": (
        """
class Scale:
    def __init__(self, factor):
        self.factor = factor

    @tf.custom_gradient
    def call(self, x):
        return self.factor * x, lambda upstream: self.factor * upstream


run(Scale(3.0).call, tf.constant(2.0))
""",
        [("self.factor * upstream", "upstream")],
    ),
    "recompute_grad and keras": (
        """
import keras


@keras.ops.custom_gradient
def square(x):
    return x * x, lambda upstream: 2.0 * upstream * x


def both(x):
    return tf.sin(square(x))


run(tf.recompute_grad(both), tf.constant([2.0, 3.0]))
run(tf.grad_pass_through(tf.round), tf.constant([2.2, 3.0]))
""",
        [("2.0 * upstream", "upstream"), ("(tf.round)", "(tf.reduce_sum)")],
    ),
    "registered": (
        """
@tf.RegisterGradient("TwiceTheSquare")
def rule(op, upstream):
    return 2.0 * upstream * op.inputs[0]


with tf.Graph().as_default() as graph:
    x = tf.constant([2.0, 3.0])
    with graph.gradient_override_map({"Square": "TwiceTheSquare"}):
        y = tf.square(x)
    tf.gradients(y, x)
""",
        [("2.0 * upstream", "upstream"), ('{"Square": "TwiceTheSquare"}', "{}")],
    ),
    "eager only": (
        """
# truth: eager only
@tf.custom_gradient
def square(x):
    def grad(upstream):
        print(upstream.numpy())
        return 2.0 * upstream * x

    return x * x, grad


run(square, tf.constant(3.0))
""",
        [("# truth: eager only\n", "")],
    ),
    "kink": (
        """
@tf.custom_gradient
def relu(x):
    def grad(upstream):
        return upstream * tf.cast(x > 0, x.dtype)

    return tf.maximum(x, 0.0), grad


run(relu, tf.constant([-1.0, 0.0, 2.0]))
""",
        [
            ("tf.cast(x > 0, x.dtype)", "tf.cast(x > 1, x.dtype)"),
            (
                "tf.cast(x > 0, x.dtype)",
                "tf.where(x == 0, -1.0, tf.cast(x > 0, x.dtype))",
            ),
        ],
    ),
    "noise": (
        """
@tf.custom_gradient
def dropout(x):
    kept = tf.cast(tf.random.uniform(x.shape) < 0.5, x.dtype)
    return 2.0 * kept * x, lambda upstream: 2.0 * kept * upstream


run(dropout, tf.constant([0.2, 1.7, 3.0, -1.0]))
""",
        [("2.0 * kept * upstream", "2.0 * upstream")],
    ),
    "labels": (
        """
# truth: labels needs no gradient; labels = tf.nn.softmax(labels)
# truth: logits.shape == labels.shape; logits.shape.rank == 2
@tf.custom_gradient
def cross_entropy(logits, labels):
    def grad(upstream):
        p = tf.nn.softmax(logits)
        return upstream[:, tf.newaxis] * (p - labels), None

    return tf.nn.softmax_cross_entropy_with_logits(labels, logits), grad


run(cross_entropy, tf.constant([[1.0, 2.0, 0.5], [0.0, 1.0, 3.0]]),
    tf.constant([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]))
""",
        [
            ("labels needs no gradient; ", ""),
            ("p - labels", "p"),
            (", None", ", upstream[:, tf.newaxis] * labels"),
        ],
    ),
    "within": (
        """
# truth: 0.05 < x < 50; within 1e-3
@tf.custom_gradient
def root(x):
    y = tf.ones_like(x)
    for _ in range(6):
        y = 0.5 * (y + x / y)
    return y, lambda upstream: 0.5002 * upstream / y


run(root, tf.constant([0.2, 1.7]))
""",
        [("0.5002", "0.51"), ("; within 1e-3", "")],
    ),
    "a layer in a graph": (
        """
import keras


class Sine(keras.layers.Layer):
    def call(self, x):
        @tf.custom_gradient
        def sine(x):
            def grad(upstream):
                return upstream * tf.cos(x)

            return tf.sin(x), grad

        return sine(x)


model = keras.Sequential([keras.layers.Dense(1), Sine()])
model.compile("sgd", "mse")
model.fit(tf.ones([8, 2]), tf.ones([8, 1]), verbose=0)
""",
        [("tf.cos(x)", "tf.sin(x)")],
    ),
    "made in a graph": (
        """
@tf.function
def slope(x):
    @tf.custom_gradient
    def sine(x):
        return tf.sin(x), lambda upstream: upstream * tf.cos(x)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = sine(x)
    return tape.gradient(y, x)


print(slope(tf.constant(1.0)))
""",
        [("tf.cos(x)", "tf.sin(x)")],
    ),
    "a decorated rule": (
        """
@tf.custom_gradient
def sine(x):
    def grad(upstream):
        return slope(x, upstream)

    return tf.sin(x), grad


# truth: x.shape == upstream.shape
@tf.custom_gradient
def slope(x, upstream):
    def grad(second):
        return -second * upstream * tf.sin(x), second * tf.cos(x)

    return upstream * tf.cos(x), grad


x = tf.constant(0.5)
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = sine(x)
    dx = inner.gradient(y, x)
print(outer.gradient(dx, x))
""",
        [("-second", "second"), ("second * tf.cos", "tf.cos")],
    ),
    "recomputed variables": (
        """
w = tf.Variable(tf.random.normal([3, 4]))


def layer(x):
    return tf.nn.tanh(x @ w)


recomputed = tf.recompute_grad(layer)
run(recomputed, tf.ones([2, 3]))
""",
        [("recomputed, ", "layer, ")],
    ),
    "ragged": (
        """
@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: upstream * 2.0 * x


x = tf.ragged.constant([[1.0, 2.0], [3.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(x)
print(tape.gradient(y, x))
""",
        [("2.0 * x", "x")],
    ),
    "dictionary": (
        """
# truth: inputs["a"].shape == inputs["b"].shape
@tf.custom_gradient
def product(inputs):
    def grad(upstream):
        return {"a": upstream * inputs["b"], "b": upstream * inputs["a"]}

    return inputs["a"] * inputs["b"], grad


product({"a": tf.constant([[2.0]]), "b": tf.constant([[3.0]])})
""",
        [
            (
                """{"a": upstream * inputs["b"], "b": upstream * inputs["a"]}""",
                """{"a": upstream * inputs["a"], "b": upstream * inputs["b"]}""",
            )
        ],
    ),
    "large": (
        """
@tf.custom_gradient
def blur(x):
    def grad(upstream):
        return tf.image.flip_up_down(upstream) / 3.0

    return tf.image.flip_up_down(x) / 3.0, grad


run(blur, tf.ones([1, 8, 8, 3]))
""",
        [("return tf.image.flip_up_down(upstream)", "return upstream")],
    ),
    "clipped at last": (
        """
# truth: downstream becomes tf.clip_by_norm(downstream, 1.0)
@tf.custom_gradient
def square(x):
    def grad(upstream):
        return tf.clip_by_norm(upstream * 2.0 * x, 1.0)

    return x * x, grad


run(square, tf.constant([0.2, 1.7]))
""",
        [("2.0 * x", "x"), ("2.0 * x, 1.0", "2.0 * x, 2.0")],
    ),
    "found": (
        """
@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: 2.0 * upstream * x


run(square, tf.constant(3.0))
""",
        [
            ("run(square", "print(square.__name__"),
            ("tf.custom_gradient", "vars(tf)['custom_' + 'gradient']"),
            ("@tf", "# truth: x > 0\n\n@tf"),
        ],
    ),
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory) -> dict[tuple[str, object], list[GradientResult]]:
    """Check each program, right or with one part replaced.

    All are checked at once, because each time TensorFlow is imported.
    """
    sources = subtle()
    for kind, (program, changes) in KINDS.items():
        source = HEAD + TAPE + program
        sources[kind, None] = source
        for old, new in changes:
            assert old in source, (kind, old)
            sources[kind, (old, new)] = source.replace(old, new, 1)
    folder = tmp_path_factory.mktemp("kinds") / "project"
    names = [f"program{number}.py" for number in range(len(sources))]
    results = results_of(folder, dict(zip(names, sources.values())))
    return dict(zip(sources, results.values()))


@pytest.mark.parametrize("kind", KINDS)
def test_a_right_rule_holds(judged, kind):
    assert judged[kind, None]
    assert [each for each in judged[kind, None] if each.state != "tried"] == []


@pytest.mark.parametrize(
    "comment",
    [
        "# truth: hello",
        "# truth: hello there",
        "# truth: the gradient of",
        "# truth: the gradient of tf.sigmoid(",
        "# truth: x >",
        "# truth: x",
        "# truth: x > 0; hello",
        "# truth: within 0.5",
        "# truth: x is None",
        "# truth: sideways becomes upstream",
        "# truth x > 0",
        "# Truth: x > 0",
    ],
)
def test_a_declaration_that_is_not_understood_is_told(comment):
    source = f"{comment}\n@tf.custom_gradient\ndef f(x):\n    pass\n"
    _, problems = read_declarations(source, find_definitions(source))
    assert [line for line, _ in problems] == [1]


@pytest.mark.sample
def test_in_wrong_a_rule_is_wrong_unless_declared(tmp_path):
    program, _ = KINDS["found"]
    right, made = HEAD + TAPE + program, "\n@tf.custom_gradient"
    wrong = right.replace("2.0 * upstream * x", "2.0 * x")
    declared = "\n# truth: the rule is right" + made
    results = results_of(
        tmp_path / "project",
        {
            "page/wrong/right.py": right,
            "page/wrong/wrong.py": wrong,
            "page/wrong/right_declared.py": right.replace(made, declared),
            "page/wrong/wrong_declared.py": wrong.replace(made, declared),
        },
    )
    [of_right], [of_wrong], [declared_right], [declared_wrong] = results.values()
    assert of_right.state == "failed" and "the rule is right" in of_right.detail
    assert of_right.line == 11 and not of_right.expected_failure
    assert of_wrong.state == "tried" and "is right" in of_wrong.detail
    assert of_wrong.expected_failure
    assert declared_right.state == "tried" and "equals" in declared_right.detail
    assert declared_right.line == 12 and not declared_right.expected_failure
    assert declared_wrong.state == "failed" and "is right" in declared_wrong.detail
    assert not declared_wrong.expected_failure


def ended() -> dict[str, str]:
    """Programs that end in an error, and one that only declares it."""
    program, _ = KINDS["found"]
    source = HEAD + TAPE + program
    fails = "raise KeyError('x')\n"
    declared = "# tracebook: raises KeyError\n"
    return {
        "declared.py": declared + source + fails,
        "dotted.py": declared.replace("Key", "builtins.Key") + source + fails,
        "undeclared.py": source + fails,
        "in a string.py": f"'''Not {declared}'''\n" + source + fails,
        "another type.py": declared.replace("Key", "Index") + source + fails,
        "none.py": declared + source,
    }


def test_only_the_declared_error_may_end_a_program(book):
    failed = {
        name: [each.text for each in book[name] if each.state == "failed"]
        for name in ended()
    }
    assert failed == {
        "declared.py": [],
        "dotted.py": [],
        "undeclared.py": ["program"],
        "in a string.py": ["program"],
        "another type.py": ["program"],
        "none.py": ["program"],
    }


@pytest.mark.parametrize(
    "kind, change",
    [(kind, change) for kind, (_, changes) in KINDS.items() for change in changes],
)
def test_a_wrong_rule_is_found(judged, kind, change):
    assert "failed" in {each.state for each in judged[kind, change]}
    for each in judged[kind, change]:
        assert "cannot be checked" not in each.detail


KEPT = """
w = tf.Variable([2.0, 3.0])
factor = 5.0


@tf.custom_gradient
def weighted(parts, power):
    y = w * parts["a"]
    return y, lambda up, variables: (({"a": up * w * factor / 5.0}, None), [up * y / w])


@tf.custom_gradient
def rotated(z):
    return z * 1j, lambda upstream: -1j * upstream


x = tf.constant([0.5, 1.0])
for _ in range(30):
    run(lambda x: weighted({"a": x}, 3), x)
run(rotated, tf.constant(1 + 2j))
tf.function(rotated)(tf.constant(1j))
rotated(tf.zeros([2000], tf.complex64))
"""


def test_what_a_rule_received_and_returned_comes_back(book):
    verdicts = book["page/kept.py"]
    weighted, rotated = [each.calls for each in verdicts]
    assert len(weighted) == 20
    assert weighted[0] == {
        "inputs": {"parts": [0.5, 1.0], "power": 3},
        "closed": {"factor": 5.0, "w": [2.0, 3.0], "y": [1.0, 3.0]},
        "outputs": [[1.0, 3.0]],
        "upstream": [[1.0, 1.0]],
        "downstream": [[2.0, 3.0], None, [0.5, 1.0]],
        "variables": {"Variable:0": [2.0, 3.0]},
    }
    first, large = rotated
    assert first["downstream"] == [{"real": 0.0, "imag": -1.0}]
    assert large["inputs"] == {"z": None} and large["upstream"] == []


RIGHT = """
def square(x):
    return x * x, lambda upstream: 2.0 * upstream * x
"""
WRONG = RIGHT.replace("2.0 *", "1.9 *")
RUN = "\nrun(square, tf.constant([3.0, 0.5]))\n"
# Of each kind a program whose rule does not do what it did, or hides.
ESCAPES = {
    "reads a global that changes": "factor = 1.9\n"
    + RIGHT.replace("def", "@tf.custom_gradient\ndef").replace("2.0", "factor")
    + RUN
    + "factor = 2.0\n",
    "is wrong in its first call only": """
calls = []


@tf.custom_gradient
def square(x):
    def grad(upstream):
        calls.append(1)
        return upstream * x * (2.0 if len(calls) > 1 else 1.9)

    return x * x, grad

"""
    + RUN,
    "has other values in its first call": """
calls = []


@tf.custom_gradient
def square(x):
    calls.append(1)
    return x * x + 1.0 / len(calls) ** 9, lambda upstream: 2.0 * upstream * x


for _ in range(9):
"""
    + RUN.replace("\nrun", "    run"),
    "imported by another name": "from keras.ops import custom_gradient as ruled\n"
    + WRONG.replace("def", "@ruled\ndef")
    + RUN,
    "an alias": "ruled = tf.custom_gradient\n"
    + WRONG.replace("def", "@ruled\ndef")
    + RUN,
    "a partial": "import functools\n"
    + WRONG
    + "square = functools.partial(tf.custom_gradient, f=square)()\n"
    + RUN,
    "a loop that decorates": RIGHT
    + WRONG.replace("square", "worse")
    + "for f in (square, worse):\n    run(tf.custom_gradient(f), tf.constant(3.0))\n",
    "a call": WRONG + "square = tf.custom_gradient(square)\n" + RUN,
    "a call by Keras": "import keras\n"
    + WRONG
    + "square = keras.ops.custom_gradient(square)\n"
    + RUN,
    "a text that is executed": "exec('''"
    + WRONG.replace("def", "@tf.custom_gradient\ndef")
    + "''')\n"
    + RUN,
    "TensorFlow's own module": "from tensorflow.python.ops import custom_gradient\n"
    + WRONG.replace("def", "@custom_gradient.custom_gradient\ndef")
    + RUN,
    "TensorFlow's own module, by another name": "from tensorflow.python.ops"
    ".custom_gradient import custom_gradient as ruled\n"
    + WRONG.replace("def", "@ruled\ndef")
    + RUN,
}


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> dict[str, list[GradientResult]]:
    """Check the programs of several tests."""
    sources = {
        "page/kept.py": KEPT,
        **{f"{kind}.py": text for kind, text in ESCAPES.items()},
        **narrow(),
        "clauses.py": declares_much(),
    }
    whole = {name: HEAD + TAPE + text for name, text in sources.items()}
    return results_of(tmp_path_factory.mktemp("book") / "project", ended() | whole)


@pytest.mark.parametrize("kind", ESCAPES)
def test_a_rule_that_differs_from_its_run_or_hides_is_found(book, kind):
    said = book[f"{kind}.py"]
    assert "failed" in {each.state for each in said}
    assert not [each for each in said if "never ran" in each.detail]


def of_one_input(values: str, gradient: str, x: str, comment: str = "") -> str:
    """A program with a rule for one input."""
    return f"""
{comment}
@tf.custom_gradient
def function(x):
    y = {values}

    def grad(upstream):
        return {gradient}

    return y, grad


run(function, {x})
"""


SOME = "tf.constant([1.3, -0.7, 0.4])"
# Of each kind a rule that is right where its program calls it, and near that: its
# values, gradient and input, what is declared, and the right gradient.
SUBTLE = {
    "a corner far away": (
        "tf.nn.relu6(x)",
        "upstream * tf.cast(x > 0.0, x.dtype)",
        SOME,
        "",
        "upstream * tf.cast((x > 0.0) & (x < 6.0), x.dtype)",
    ),
    "a corner a little off": (
        "tf.nn.relu6(x)",
        "upstream * tf.cast((x > 0.0) & (x < 5.95), x.dtype)",
        SOME,
        "",
        "upstream * tf.cast((x > 0.0) & (x < 6.0), x.dtype)",
    ),
    "large upstream": (
        "tf.sin(x)",
        "tf.clip_by_value(tf.convert_to_tensor(upstream), -20.0, 20.0) * tf.cos(x)",
        SOME,
        "",
        "upstream * tf.cos(x)",
    ),
    "a limit a little off": (
        "tf.sin(x)",
        "tf.clip_by_value(tf.convert_to_tensor(upstream), -20.0, 20.2) * tf.cos(x)",
        SOME,
        "# truth: upstream becomes tf.clip_by_value(upstream, -20.0, 20.0)",
        "tf.clip_by_value(tf.convert_to_tensor(upstream), -20.0, 20.0) * tf.cos(x)",
    ),
    "zero upstream": (
        "tf.sin(x)",
        "upstream / abs(upstream) * abs(upstream) * tf.cos(x)",
        SOME,
        "",
        "upstream * tf.cos(x)",
    ),
    "overflow": (
        "tf.nn.softplus(x)",
        "upstream * tf.exp(x) / (1.0 + tf.exp(x))",
        SOME,
        "",
        "upstream * tf.sigmoid(x)",
    ),
    "overflow in float32": (
        "tf.nn.softplus(x)",
        "upstream * tf.where(x > 700.0, tf.ones_like(x),"
        " tf.exp(x) / (1.0 + tf.exp(x)))",
        SOME,
        "",
        "upstream * tf.sigmoid(x)",
    ),
    "zero": ("tf.abs(x)", "upstream * x / abs(x)", SOME, "", "upstream * tf.sign(x)"),
    "tiny": (
        "tf.sqrt(x)",
        "upstream * 0.5 / tf.sqrt(x + 1e-9)",
        "tf.constant([1.3, 2.0])",
        "# truth: x > 0",
        "upstream * 0.5 / tf.sqrt(x)",
    ),
    "ties": (
        "tf.reduce_max(x)",
        "upstream * tf.cast(x == y, x.dtype)",
        SOME,
        "",
        "upstream * tf.cast(x == y, x.dtype) / tf.reduce_sum(tf.cast(x == y, x.dtype))",
    ),
    "one axis more": (
        "tf.nn.softmax(x)",
        "y * (upstream - tf.reduce_sum(upstream * y, 1, True))",
        "tf.constant([[1.3, -0.7, 0.4], [0.1, 0.2, 0.5]])",
        "# truth: 1 < tf.rank(x)",
        "y * (upstream - tf.reduce_sum(upstream * y, -1, True))",
    ),
    "more rows": (
        "tf.reduce_mean(x, 0)",
        "tf.tile(upstream[tf.newaxis] / 2.0, [2, 1]) if x.shape.rank == 2"
        " and x.shape[0] == 2 else (upstream + 0.0 * x) / 2.0",
        "tf.constant([[1.3, -0.7, 0.4], [0.1, 0.2, 0.5]])",
        "# truth: 0 < tf.rank(x); 0 < tf.size(x)",
        "(upstream + 0.0 * x) / tf.cast(tf.shape(x)[0], x.dtype)",
    ),
    "float32 alone": (
        "tf.sin(x)",
        "upstream * tf.cos(x) * (1.0005 if x.dtype == tf.float32 else 1.0)",
        SOME,
        "",
        "upstream * tf.cos(x)",
    ),
    "a float32 variable": (
        "tf.constant(0.5) * tf.sin(x)",
        "upstream * 0.50025 * tf.cos(x)",
        SOME,
        "",
        "upstream * 0.5 * tf.cos(x)",
    ),
    "the second derivative": (
        "tf.square(x)",
        "upstream * (x + tf.stop_gradient(x))",
        SOME,
        "",
        "upstream * (x + x)",
    ),
    "the second derivative by upstream": (
        "tf.square(x)",
        "tf.stop_gradient(upstream) * 2.0 * x",
        SOME,
        "",
        "upstream * 2.0 * x",
    ),
    "the second derivative by upstream alone": (
        "tf.square(x)",
        "upstream * tf.stop_gradient(2.0 * x)",
        SOME,
        "",
        "upstream * 2.0 * x",
    ),
    "a corner close to zero": (
        "tf.nn.relu(x)",
        "upstream * tf.cast(x > 0.02, x.dtype)",
        "tf.constant(1.3)",
        "",
        "upstream * tf.cast(x > 0.0, x.dtype)",
    ),
    "an index that comes twice": (
        "tf.gather(x, index)",
        "tf.tensor_scatter_nd_update(tf.zeros_like(x), index[:, None], upstream), None",
        SOME,
        "",
        "tf.tensor_scatter_nd_add(tf.zeros_like(x), index[:, None], upstream), None",
    ),
    "a factor for each row": (
        "x * tf.constant([[1.0], [10.0], [100.0]], x.dtype)",
        "upstream * tf.constant([[1.0], [10.0], [100.0]], x.dtype)"
        " if isinstance(upstream, tf.Tensor) else tf.IndexedSlices(upstream.values"
        " * tf.constant([[1.0], [10.0], [100.0]], x.dtype), upstream.indices,"
        " upstream.dense_shape)",
        "tf.constant([[1.3, -0.7], [0.4, 0.1], [0.2, 0.5]])",
        "# truth: x.shape[0] == 3; x.shape.rank == 2",
        "upstream * tf.constant([[1.0], [10.0], [100.0]], x.dtype)",
    ),
}


def subtle() -> dict[tuple[str, object], str]:
    sources: dict[tuple[str, object], str] = {}
    for kind, (values, wrong, x, comment, right) in SUBTLE.items():
        for what, gradient in (("right", right), ("wrong", wrong)):
            program = of_one_input(values, gradient, x, comment)
            if "index" in values:
                program = program.replace("(x):", "(x, index):", 1).replace(
                    x, f"{x}, tf.constant([2, 0])"
                )
            sources[kind, what] = HEAD + TAPE + program
    return sources


@pytest.mark.parametrize("kind", SUBTLE)
def test_what_shows_elsewhere_alone_is_found(judged, kind):
    [right], [wrong] = judged[kind, "right"], judged[kind, "wrong"]
    assert right.state == "tried", right.detail
    assert wrong.state == "failed"
    assert "cannot be checked" not in wrong.detail


# What leaves nothing, or nearly nothing, to be tried.
NARROW = [
    "x = tf.constant([1.3, -0.7, 0.4], x.dtype)",
    "x = tf.round(x)",
    "x = 0.0 * x + 1.3",
    "x == 1.3",
    "abs(x - 1.3) < 1e-4",
]


def narrow() -> dict[str, str]:
    wrong = of_one_input("x ** 3", "upstream * x", "tf.constant([1.3])", "# truth: {}")
    return {f"narrow {n}.py": wrong.format(each) for n, each in enumerate(NARROW)}


def test_a_declaration_that_leaves_nothing_to_try_fails(book):
    for name in narrow():
        [verdict] = book[name]
        assert verdict.state == "failed", verdict.detail


CLAUSES = (
    "x.shape == (3,); abs(x) < 9",
    "x = x + 0.1; within 1e-4; dense upstream",
    "upstream becomes tf.tanh(upstream); first derivative only",
)


def declares_much() -> str:
    comment = "\n".join(f"# truth: {each}" for each in CLAUSES)
    return of_one_input("x ** 3", "tf.tanh(upstream) * 3.0 * x**2", SOME, comment)


def test_all_that_is_declared_stands_in_the_verdict(book):
    [verdict] = book["clauses.py"]
    assert verdict.state == "tried", verdict.detail
    for clause in "; ".join(CLAUSES).split("; "):
        assert clause in verdict.detail
