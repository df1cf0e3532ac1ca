"""The gradient function of a matrix product: each factor, with its shape."""

import numpy as np
import torch

np.set_printoptions(suppress=True)  # no powers of ten


class Product(torch.autograd.Function):
    @staticmethod
    def forward(A, B):
        return A @ B

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, upstream):
        A, B = ctx.saved_tensors
        downstream_A = upstream @ B.T
        downstream_B = A.T @ upstream
        for name, value in (("upstream", upstream),
                            ("local, B transposed", B.T),
                            ("downstream_A", downstream_A),
                            ("local, A transposed", A.T),
                            ("downstream_B", downstream_B)):
            print(name, tuple(value.shape))
            print(value.numpy(force=True))
        return downstream_A, downstream_B


A = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
B = torch.tensor([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]], requires_grad=True)
weights = torch.tensor([[1.0, 10.0], [100.0, 1000.0]])
C = Product.apply(A, B)
loss = torch.sum(weights * C)

print("C", tuple(C.shape))
print(C.numpy(force=True))
loss.backward()
