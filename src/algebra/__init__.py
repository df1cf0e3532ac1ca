"""Formulas as mathematics, without their pages.

``latex`` parses a formula into the classes of ``nodes``, ``evaluator`` turns these into
SymPy expressions, one for each element of an array, and ``prover`` proves that two
sides are equal or, where SymPy can't, compares their numbers at ``points``.
"""
