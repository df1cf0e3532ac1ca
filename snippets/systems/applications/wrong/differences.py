"""Deliberately wrong: finite differences of an image of counted points."""

import numpy as np

N, SUB = 8, 16


def hard(a, b, r):
    at = (np.arange(N * SUB) + 0.5) / SUB
    inside = (at[:, None] - a) ** 2 + (at - b) ** 2 < r**2
    return inside.reshape(N, SUB, N, SUB).mean((1, 3))


a, b, r = 3.6, 4.2, 2.7
print(f"wanted: the circumference, {2 * np.pi * r:.2f}")
for h in (1e-6, 1e-3, 1e-2, 1e-1):
    slope = np.sum(hard(a, b, r + h) - hard(a, b, r - h)) / (2 * h)
    print(f"h = {h:g}: {slope:.2f}")
