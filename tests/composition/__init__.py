"""The composition matrix: which kind of rule keeps its gradient where."""
