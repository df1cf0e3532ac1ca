"""The words that the source of the functions above contains, or lacks."""

import inspect
import re

from tensorflow.python.eager.polymorphic_function import concrete_function
from tensorflow.python.framework import ops
from tensorflow.python.ops import (
    array_ops,
    linalg_grad,
    math_grad,
    nn_grad,
    nn_impl,
    sparse_grad,
)
from tensorflow.python.ops.linalg import linalg_impl

FUNCTIONS = concrete_function._TapeGradientFunctions
WORDS = {
    "conj": [
        math_grad._XLogyGrad, math_grad._XLog1pyGrad, math_grad._XDivyGrad,
        math_grad._MulNoNanGrad, math_grad._CumprodGrad,
        math_grad._SegmentProdGrad, math_grad._UnsortedSegmentProdGrad,
        math_grad._SquaredDifferenceGrad, math_grad._EuclideanNormGrad,
        linalg_grad._MatrixDeterminantGrad,
        linalg_grad._MatrixSquareRootGrad,
        linalg_grad._LogMatrixDeterminantGrad, math_grad._DivNoNanGrad],
    "not_zero_x": [
        math_grad._XLogyGrad, math_grad._XLog1pyGrad, math_grad._XDivyGrad],
    "div_no_nan": [math_grad._CumprodGrad],
    "cumprod": [math_grad._ProdGrad],
    "matrix_inverse": [linalg_grad._MatrixDeterminantGrad],
    "_SafeReciprocal": [
        linalg_grad._SelfAdjointEigV2Grad, linalg_grad._SvdGrad],
    "truediv": [math_grad._EuclideanNormGrad],
    "backwards_graph.outputs.extend": [
        FUNCTIONS._build_functions_for_outputs],
    "backwards_graph.capture(": [FUNCTIONS._build_functions_for_outputs],
    "array_ops.split(inputs, inputs.shape": [nn_grad._MeanAggregator],
    "beta_grad = math_ops.reduce_sum(": [nn_impl.swish],
    "gen_math_ops": [
        math_grad._SqrtGrad, math_grad._RsqrtGrad, math_grad._ReciprocalGrad],
}
for word, rules in WORDS.items():
    for rule in rules:
        found = word in inspect.getsource(rule)
        print(f"{rule.__name__}: {word} {'found' if found else 'missing'}")
for rule in (sparse_grad._SparseSparseMaximumGrad,
             array_ops._QuantizeAndDequantizeV4GradGrad):
    print(f"{rule.__name__}: "
          f"{len(inspect.signature(rule).parameters)} parameters")
numbers = re.findall(r"\d+\.\d", inspect.getsource(
    linalg_impl._matrix_exp_pade13))
print(f"_matrix_exp_pade13: up to {max(map(float, numbers)):.0f}")
for operation in "ResizeBilinearGrad", "SparseConcat", "SoftsignGrad":
    try:
        print(operation, ops._gradient_registry.lookup(operation))
    except LookupError as error:
        print(operation, type(error).__name__)
