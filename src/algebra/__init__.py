"""Formulas as mathematics: what their LaTeX says, what it means, and whether two sides
are equal. It knows nothing of pages.

``latex`` reads a formula into the classes of ``nodes``, and ``meaning`` makes SymPy
expressions of them, one for each element of an array. ``points`` compares two sides,
and ``flat`` tells which expressions are written alike.
"""
