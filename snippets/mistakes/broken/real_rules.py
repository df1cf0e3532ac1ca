"""Every function of four modules, and the gradient of each real argument."""

import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")


def real(*shape, low=0.2, high=0.8):
    """Numbers of which no two are equal, in mixed order."""
    size = int(np.prod(shape))
    order = np.arange(1, size + 1) * 0.6180339887498949 % 1.0
    return tf.constant(low + (high - low) * order.reshape(shape), tf.float64)


X, W, A, B = real(3), real(3, low=0.3), real(2, 2), real(2, 2, low=0.4)
LINE, IMAGE, CUBE = real(1, 6, 2), real(1, 4, 4, 2), real(1, 4, 4, 4, 1)
K1, K2, K3 = real(2, 2, 2), real(2, 2, 2, 2), real(2, 2, 2, 1, 1)
DEPTH, FLAT, TABLE = real(2, 2, 2, 1), real(2, 2, 2), real(4, 3)
S, ONE = real(16), real(1)
EYE = 2.0 * tf.eye(2, dtype=tf.float64)
IDS, PLACES = tf.constant([0, 0, 1]), [[0, 0], [0, 1], [1, 0]]
ROWS = tf.sparse.SparseTensor(PLACES, tf.constant([0, 2, 1], tf.int64), [2, 2])
SAMPLED = tf.constant([0, 3], tf.int64), real(1, 1), real(2)
LABEL = tf.constant([[1]], tf.int64)
FOURS, VALID, SAME = [1, 1, 1, 1], "VALID", "SAME"


def sym(a):
    return a + tf.transpose(a) + EYE


def single(x):
    return tf.cast(x, tf.float32)


def XLA(f):
    return tf.function(f, jit_compile=True, autograph=False)


def drawn(f, *arguments):
    tf.random.set_seed(1)
    return f(*arguments, seed=1)


def complex_of(x):
    return tf.complex(x, 2.0 * x * x)


def cube(x, *shape):
    return complex_of(tf.reshape(x, shape))


def squares(y):
    """Vectors whose sign or phase is free."""
    return tf.abs(y) ** 2.0


def weighted(w):
    return tf.sparse.SparseTensor(PLACES, w, [2, 2])


GENERAL = [
    ((X,), lambda f, x: f(x)), ((X, W), lambda f, x, w: f(x, w)),
    ((X,), lambda f, x: f(x, IDS)), ((X,), lambda f, x: f(x, IDS, 2)),
    ((A,), lambda f, a: f(a)), ((A, B), lambda f, a, b: f(a, b))]
# For the other functions, their real arguments, and how to call them.
OTHERS = {
    "accumulate_n": ((X, W), lambda f, x, w: f([x, w])),
    "acosh": ((X,), lambda f, x: f(1.0 + x)),
    "approx_max_k": ((X,), lambda f, x: f(single(x), 2)[0]),
    "approx_min_k": ((X,), lambda f, x: XLA(f)(single(x), 2)[0]),
    "betainc": ((X, W, W), lambda f, a, b, x: f(a, b, x)),
    "bincount": ((X,), lambda f, w: f(IDS, weights=w)),
    "confusion_matrix": ((X,), lambda f, w: f(
        IDS, IDS, 2, weights=w, dtype=tf.float64)),
    "imag": ((X,), lambda f, x: f(complex_of(x))),
    "angle": ((X,), lambda f, x: f(complex_of(x))),
    "in_top_k": ((), lambda f: f([0], tf.constant([[0.3, 0.7]]), 1)),
    "invert_permutation": ((), lambda f: f([1, 0])),
    "logical": ((), lambda f: f([True], [False])),
    "logical_not": ((), lambda f: f([True])),
    "reduce_all": ((), lambda f: f([True])),
    "reduce_any": ((), lambda f: f([True])),
    "polygamma": ((X,), lambda f, x: f(tf.ones_like(x), x)),
    "polyval": ((X, W, X), lambda f, a, b, x: f([a, b], x)),
    "scalar_mul": ((ONE, X), lambda f, a, x: f(a[0], x)),
    "sobol_sample": ((), lambda f: f(2, 3)),
    "zeta": ((X, W), lambda f, x, q: f(x + 1.5, q)),
    "band_part": ((A,), lambda f, a: f(a, 0, 1)),
    "cholesky": ((A,), lambda f, a: f(sym(a))),
    "cholesky_solve": ((A, B), lambda f, a, b: f(tf.linalg.cholesky(
        sym(a)), b)),
    "eig": ((A,), lambda f, a: [f(a)[0], squares(f(a)[1])]),
    "eigh": ((A,), lambda f, a: [f(sym(a))[0], squares(f(sym(a))[1])]),
    "eigh_tridiagonal": ((X, ONE), lambda f, a, b: f(a[:2], b)),
    "eigvalsh": ((A,), lambda f, a: f(sym(a))),
    "einsum": ((A, B), lambda f, a, b: f("ij,jk->ik", a, b)),
    "eye": ((), lambda f: f(2)),
    "global_norm": ((A, X), lambda f, a, x: f([a, x])),
    "logdet": ((A,), lambda f, a: f(sym(a))),
    "logm": ((A,), lambda f, a: f(tf.cast(a + 2.0 * EYE, tf.complex128))),
    "lu": ((A,), lambda f, a: f(a)[0]),
    "lu_matrix_inverse": ((A,), lambda f, a: f(a, [0, 1])),
    "lu_reconstruct": ((A,), lambda f, a: f(a, [0, 1])),
    "lu_solve": ((A, B), lambda f, a, b: f(a, [0, 1], b)),
    "matrix_rank": ((A,), lambda f, a: f(a)),
    "set_diag": ((A, X), lambda f, a, x: f(a, x[:2])),
    "svd": ((A,), lambda f, a: [f(a)[0], *map(squares, f(a)[1:])]),
    "tensordot": ((A, B), lambda f, a, b: f(a, b, 1)),
    "tridiagonal_matmul": ((TABLE, X), lambda f, d, x: f(
        d[:3], x[:, None])),
    "tridiagonal_solve": ((TABLE, X), lambda f, d, x: f(d[:3], x)),
    "all_candidate_sampler": ((), lambda f: f([[0]], 1, 2, True)[0]),
    "compute_accidental_hits": ((), lambda f: f([[0]], [0, 1], 1)),
    "fixed_unigram_candidate_sampler": ((), lambda f: f(
        [[0]], 1, 2, True, 3, unigrams=[1.0, 1.0, 1.0])[0]),
    "learned_unigram_candidate_sampler": ((), lambda f: f(
        [[0]], 1, 2, True, 3)[0]),
    "atrous_conv2d": ((IMAGE, K2), lambda f, x, k: f(x, k, 2, SAME)),
    "atrous_conv2d_transpose": ((IMAGE, K2), lambda f, x, k: f(
        x, k, [1, 4, 4, 2], 2, SAME)),
    "avg_pool": ((IMAGE,), lambda f, x: f(x, 2, 1, SAME)),
    "avg_pool1d": ((LINE,), lambda f, x: f(x, 2, 1, SAME)),
    "avg_pool2d": ((IMAGE,), lambda f, x: f(x, 2, 1, SAME)),
    "avg_pool3d": ((CUBE,), lambda f, x: f(single(x), 2, 1, SAME)),
    "batch_norm_with_global_normalization": (
        (IMAGE, *[real(2)] * 4),
        lambda f, x, m, v, b, g: f(x, m, v, b, g, 1e-3, True)),
    "batch_normalization": ((X, W, W, W, W), lambda f, x, m, v, o, s: f(
        x, m, v, o, s, 1e-3)),
    "bias_add": ((IMAGE, real(2)), lambda f, x, b: f(x, b)),
    "collapse_repeated": ((), lambda f: f([[1, 1]], [2])),
    "compute_average_loss": ((X, W), lambda f, x, w: f(
        single(x), single(w), 4)),
    "conv1d": ((LINE, K1), lambda f, x, k: f(x, k, 1, SAME)),
    "conv1d_transpose": ((LINE, K1), lambda f, x, k: f(
        x, k, [1, 6, 2], 1)),
    "conv2d": ((IMAGE, K2), lambda f, x, k: f(x, k, 1, SAME)),
    "conv2d_transpose": ((IMAGE, K2), lambda f, x, k: f(
        x, k, [1, 4, 4, 2], 1)),
    "conv3d": ((CUBE, K3), lambda f, x, k: f(x, k, [1] * 5, SAME)),
    "conv3d_transpose": ((CUBE, K3), lambda f, x, k: f(
        x, k, [1, 4, 4, 4, 1], 1)),
    "conv_transpose": ((LINE, K1), lambda f, x, k: f(x, k, [1, 6, 2], 1)),
    "convolution": ((IMAGE, K2), lambda f, x, k: f(x, k)),
    "ctc_beam_search_decoder": ((), lambda f: f(
        tf.zeros([3, 1, 3]), [3])[0][0].values),
    "ctc_greedy_decoder": ((), lambda f: f(
        tf.zeros([3, 1, 3]), [3])[0][0].values),
    "ctc_loss": ((real(4, 1, 3),), lambda f, x: f(
        tf.constant([[1, 2]]), single(x), [2], [4], blank_index=0)),
    "ctc_unique_labels": ((), lambda f: f(tf.constant([[1, 1]]))),
    "depth_to_space": ((real(1, 2, 2, 4),), lambda f, x: f(x, 2)),
    "depthwise_conv2d": ((IMAGE, DEPTH), lambda f, x, k: f(
        x, k, FOURS, SAME)),
    "depthwise_conv2d_backprop_filter": ((IMAGE, IMAGE), lambda f, x, y: f(
        x, [2, 2, 2, 1], y, FOURS, SAME)),
    "depthwise_conv2d_backprop_input": ((DEPTH, IMAGE), lambda f, k, y: f(
        [1, 4, 4, 2], k, y, FOURS, SAME)),
    "dilation2d": ((IMAGE, FLAT), lambda f, x, k: f(
        x, k, FOURS, SAME, "NHWC", FOURS)),
    "erosion2d": ((IMAGE, FLAT), lambda f, x, k: f(
        x, k, FOURS, SAME, "NHWC", FOURS)),
    "dropout": ((X,), lambda f, x: drawn(f, x, 0.4)),
    "experimental_general_dropout": ((X,), lambda f, x: f(
        x, 0.4, uniform_sampler=lambda s, dtype:
        tf.random.stateless_uniform(s, [1, 2], dtype=dtype))),
    "experimental_stateless_dropout": ((X,), lambda f, x: f(
        x, 0.4, [1, 2])),
    "embedding_lookup": ((TABLE,), lambda f, t: f(t, IDS, max_norm=0.9)),
    "embedding_lookup_sparse": ((TABLE, X), lambda f, t, w: f(
        t, ROWS, weighted(w), "sqrtn")),
    "safe_embedding_lookup_sparse": ((TABLE, X), lambda f, t, w: f(
        t, ROWS, weighted(w))),
    "fractional_avg_pool": ((IMAGE,), lambda f, x: drawn(
        f, x, [1.0, 1.5, 1.5, 1.0])[0]),
    "fractional_max_pool": ((IMAGE,), lambda f, x: drawn(f, x, 1.5)[0]),
    "local_response_normalization": ((IMAGE,), lambda f, x: f(
        single(x))),
    "lrn": ((IMAGE,), lambda f, x: f(single(x))),
    "max_pool": ((IMAGE,), lambda f, x: f(x, 2, 1, SAME)),
    "max_pool1d": ((LINE,), lambda f, x: f(x, 2, 1, SAME)),
    "max_pool2d": ((IMAGE,), lambda f, x: f(x, 2, 1, SAME)),
    "max_pool3d": ((CUBE,), lambda f, x: f(single(x), 2, 1, SAME)),
    "max_pool_with_argmax": ((IMAGE,), lambda f, x: f(x, 2, 1, SAME)[0]),
    "moments": ((A, B), lambda f, a, s: f(a, [0], shift=s[0])),
    "nce_loss": ((TABLE, real(4), real(1, 3)), lambda f, w, b, x: f(
        w, b, LABEL, x, 2, 4, sampled_values=SAMPLED)),
    "sampled_softmax_loss": ((TABLE, real(4), real(1, 3)),
                             lambda f, w, b, x: f(
        w, b, LABEL, x, 2, 4, sampled_values=SAMPLED)),
    "normalize_moments": ((ONE, X, W, X), lambda f, n, m, v, s: f(
        n, m, v, s)),
    "pool": ((IMAGE,), lambda f, x: f(x, [2, 2], "AVG")),
    "separable_conv2d": ((IMAGE, DEPTH, real(1, 1, 2, 2)),
                         lambda f, x, d, p: f(x, d, p, FOURS, SAME)),
    "space_to_batch": ((IMAGE,), lambda f, x: f(
        x, [2, 2], [[0, 0], [0, 0]])),
    "space_to_depth": ((IMAGE,), lambda f, x: f(x, 2)),
    "softmax_cross_entropy_with_logits": ((A, B), lambda f, a, b: f(
        tf.nn.softmax(a), b)),
    "sparse_softmax_cross_entropy_with_logits": ((A,), lambda f, a: f(
        [0, 1], a)),
    "sufficient_statistics": ((A, X), lambda f, a, s: f(
        a, [0], shift=s[0])[1:]),
    "weighted_cross_entropy_with_logits": (
        (X, W, ONE), lambda f, t, x, p: f(t, x, p)),
    "weighted_moments": ((A, B), lambda f, a, w: f(a, [0], w)),
    "with_space_to_batch": ((IMAGE,), lambda f, x: f(
        x, [2, 2], VALID, lambda y, *_: 2.0 * y, [2, 2])),
    "fft": ((X,), lambda f, x: f(complex_of(x))),
    "ifft": ((X,), lambda f, x: f(complex_of(x))),
    "fft2d": ((A,), lambda f, a: f(complex_of(a))),
    "ifft2d": ((A,), lambda f, a: f(complex_of(a))),
    "fft3d": ((S,), lambda f, x: f(cube(x, 2, 2, 4))),
    "ifft3d": ((S,), lambda f, x: f(cube(x, 2, 2, 4))),
    "fftnd": ((A,), lambda f, a: f(complex_of(a), [2, 2], [0, 1])),
    "ifftnd": ((A,), lambda f, a: f(complex_of(a), [2, 2], [0, 1])),
    "rfft": ((X,), lambda f, x: f(x)),
    "rfft2d": ((A,), lambda f, a: f(a)),
    "rfft3d": ((S,), lambda f, x: f(tf.reshape(x, [2, 2, 4]))),
    "rfftnd": ((A,), lambda f, a: f(a, [2, 2], [0, 1])),
    "irfft": ((X,), lambda f, x: f(complex_of(x))),
    "irfft2d": ((A,), lambda f, a: f(complex_of(a))),
    "irfft3d": ((S,), lambda f, x: f(cube(x, 2, 4, 2))),
    "irfftnd": ((A,), lambda f, a: f(complex_of(a), [2, 2], [0, 1])),
    "frame": ((S,), lambda f, x: f(x, 4, 2)),
    "overlap_and_add": ((A,), lambda f, a: f(a, 1)),
    "stft": ((S,), lambda f, x: f(x, 8, 4)),
    "inverse_stft": ((S,), lambda f, x: f(
        cube(x[:10], 2, 5), 8, 4)),
    "inverse_stft_window_fn": ((), lambda f: f(4)(8, tf.float32)),
    "mdct": ((S,), lambda f, x: f(x, 8)),
    "inverse_mdct": ((S,), lambda f, x: f(tf.reshape(x, [4, 4]))),
    "hamming_window": ((), lambda f: f(4)),
    "hann_window": ((), lambda f: f(4)),
    "vorbis_window": ((), lambda f: f(4)),
    "kaiser_window": ((ONE,), lambda f, b: f(5, b[0], tf.float64)),
    "kaiser_bessel_derived_window": ((ONE,), lambda f, b: f(
        6, b[0], tf.float64)),
    "linear_to_mel_weight_matrix": ((), lambda f: f()),
}
OTHERS |= {f"logical_{each}": OTHERS["logical"] for each in
           ("and", "or", "xor")}


def loss(call, f, inputs):
    """A sum in which each real number has a different weight."""
    parts = []
    for y in tf.nest.flatten(call(f, *inputs)):
        y = tf.convert_to_tensor(y)
        if y.dtype.is_complex:
            parts += [tf.math.real(y), tf.math.imag(y)]
        elif y.dtype.is_floating:
            parts.append(y)
    if not parts:
        return None, None
    y = tf.concat([tf.reshape(tf.cast(each, tf.float64), [-1])
                   for each in parts], 0)
    weights = tf.range(1.0, len(y) + 1, 1.0, y.dtype)
    return tf.reduce_sum(tf.sin(y) * weights), parts[0].dtype


def judge(call, f, inputs):
    """A verdict for each real argument."""
    inputs = [*map(tf.identity, inputs)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(inputs)
        L, dtype = loss(call, f, inputs)
    if L is None or not inputs:
        return ["none"]
    double = dtype == tf.float64
    size, close = (1e-6, 1e-4) if double else (1e-2, 1e-2)
    verdicts = []
    for i, x in enumerate(inputs):
        direction = np.linspace(-1.0, 1.5, np.size(x)).reshape(x.shape)

        def moved(step):
            at = x + step * direction
            return loss(call, f, [*inputs[:i], at, *inputs[i + 1:]])[0]

        found = tape.gradient(L, x)
        change = float(moved(size) - moved(-size)) / (2.0 * size)
        if found is None or not np.any(tf.convert_to_tensor(found)):
            verdicts.append("left out" if abs(change) > 1e-8 else "constant")
            continue
        found = tf.convert_to_tensor(found)
        right = found.shape == x.shape and np.isclose(
            np.sum(found * direction), change, close, 1e-8)
        verdicts.append("right" if right else "wrong")
    return verdicts


def verdicts_on(name, f):
    every = []
    for inputs, call in [OTHERS[name]] if name in OTHERS else GENERAL:
        try:
            every += judge(call, f, inputs)
        except Exception as error:
            if "gradient registry has no entry" in str(error):
                every.append("raises")  # else wrong arguments, or no kernel
    return every


ORDER = "wrong", "left out", "raises", "right", "constant", "none"
names = {each: [] for each in (*ORDER, "not called")}
for module in tf.math, tf.linalg, tf.nn, tf.signal:
    for name, f in sorted(vars(module).items()):
        if callable(f) and not isinstance(f, type) and name[0] != "_":
            every = verdicts_on(name, f)
            verdict = min(every, key=ORDER.index, default="not called")
            names[verdict].append(name)
print("functions:", sum(map(len, names.values())))
for verdict, found in names.items():
    many = verdict in ("right", "none")
    print(f"{verdict}: {len(found)}", *[] if many else found)
