"""The best step of one-sided differences, for three functions in float64."""

import numpy as np

functions = {"cube": (lambda x: x * x * x, lambda x: 3 * x * x),
             "sin": (np.sin, np.cos),
             "exp": (np.exp, np.exp)}
x = np.linspace(0.7, 1.4, 50)
for name, (function, derivative) in functions.items():
    errors = {}
    for exponent in range(4, 13):
        h = 10.0**-exponent
        quotient = (function(x + h) - function(x)) / h
        errors[exponent] = np.mean(abs(quotient - derivative(x)))
    best = min(errors, key=errors.get)
    print(f"{name:5} best step 1e-{best}, error below 1e-7:",
          errors[best] < 1e-7)
