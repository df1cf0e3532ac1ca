"""Formulas as mathematics, without their pages.

``latex`` parses a formula into the classes of ``nodes``, ``evaluator`` turns these into
SymPy expressions, one for each element of an array, ``points`` verifies that two sides
are equal, and ``normal`` finds an expression in other formulas.
"""
