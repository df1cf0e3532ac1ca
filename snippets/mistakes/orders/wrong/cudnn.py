"""Deliberately wrong: the gradient of cuDNN's gradient is looked up."""

from tensorflow.python.framework import ops

first = ops.gradient_registry.lookup("CudnnRNNV3")
print("CudnnRNNV3 has a gradient function:", callable(first))
# tracebook: raises LookupError
ops.gradient_registry.lookup("CudnnRNNBackpropV3")
