"""The premises of a section: what its formulas state for the others."""

import numpy as np

from algebra import nodes
from algebra.errors import EvaluationError
from algebra.evaluator import Evaluator
from algebra.nodes import IndexedSum, Node, Space, Statement, Symbol
from algebra.scope import MapDefinition, Scope, name_of, names_in
from algebra.tokens import FUNCTION_LETTERS
from algebra.tree import bare, is_condition, is_numeric, symbols, walk

from .checked_formula import CheckedFormula

_MOST_ELEMENTS = 300
"""The most elements of an array whose size the page writes in numbers."""


class Premises:
    """Collects definitions, spaces and conditions of a section in its scope."""

    def __init__(self, formulas: list[CheckedFormula], scope: Scope) -> None:
        self._formulas = formulas
        self._scope = scope
        self.names: set[str] = set()
        """Names that this section defines."""
        self._spaces: set[str] = set()
        """Names for which this section states a space."""

    def collect(self) -> None:
        """Add what the formulas state to the scope."""
        for add in (self._add_membership, self._add_premise, self._add_condition):
            for formula in self._formulas:
                for number, statement in enumerate(formula.statements):
                    with formula.catch(statement):
                        add(formula, number, statement)
        self._find_outputs()
        self._infer_shapes()

    def restricts(self, statement: Statement) -> bool:
        """Return whether a statement is a condition.

        An inequality between values that the section computes is a claim.
        """
        return is_condition(statement) and (
            any(map(is_numeric, statement.sides))
            or not names_in(statement, self._scope) & self.names
        )

    def _add_condition(
        self, formula: CheckedFormula, number: int, statement: Statement
    ) -> None:
        if self.restricts(statement):
            if formula.display:
                self._scope.conditions.append((formula.place(statement), statement))
            self.add_names(statement)

    def _add_membership(
        self, formula: CheckedFormula, number: int, statement: Statement
    ) -> None:
        if statement.relations != ("∈",):
            return
        *members, space = statement.sides
        assert isinstance(space, Space)
        scope = self._scope
        symbols_ = [s for s in map(bare, members) if isinstance(s, Symbol)]
        names = {name_of(symbol, Scope())[0] for symbol in symbols_}
        self._check_names(names, len(members))
        shape = tuple(
            int(size) if size.isdigit() else scope.dimensions.get(size, 3)
            for size in space.sizes
        )
        if np.prod(shape) > _MOST_ELEMENTS:
            raise EvaluationError("too many elements: use letters", space.position)
        sizes = zip(space.sizes, shape)
        scope.sizes |= {letter: n for letter, n in sizes if not letter.isdigit()}
        self._spaces |= names
        for name in names:
            scope.shapes[name] = scope.fixed_shapes.get(name, shape)
            scope.spaces[name] = space.sizes
        scope.complex -= names
        if space.field == r"\C":
            scope.complex |= names
        scope.names |= names

    def _check_names(self, names: set[str], count: int) -> None:
        if len(names) < count or self._spaces & names:
            raise EvaluationError("a symbol is named twice, or is none")
        statements = [s for formula in self._formulas for s in formula.statements]
        relations = tuple(s for s in statements if s.relations not in ((), ("∈",)))
        # x_i is x with an index, or a symbol of its own.
        mentioned = {symbol.name for symbol in symbols(relations)}
        if missing := names - mentioned - names_in(relations, Scope()):
            raise EvaluationError(
                f"no other formula of this section has {min(missing)}"
            )

    def _add_premise(
        self, formula: CheckedFormula, number: int, statement: Statement
    ) -> None:
        if not statement.relations or statement.relations[0] not in ("=", "≈", ":="):
            return
        left, right = statement.sides[:2]
        symbol = bare(left)
        place = formula.place(statement)
        name = None
        if statement.relations[0] == ":=":
            if not isinstance(left, nodes.Differential) or not is_loss(
                bare(left.inner)
            ):
                raise EvaluationError(r":= decides \d L, and nothing else")
            formula.premises[number] = None
            self.add_names(right)
        elif isinstance(symbol, nodes.Call) and symbol.name in FUNCTION_LETTERS:
            name = self._add_function(symbol, right, place)
        elif (
            isinstance(symbol, Symbol)
            and not is_numeric(right)
            and (formula.display or _states_a_map(right))
        ):
            name = self._add_map(symbol, right, place)
        if name:
            # A local factor is no output of the map.
            formula.premises[number] = (
                f"local {name}" if isinstance(left, nodes.Role) else name
            )

    def _add_function(self, call: nodes.Call, body: Node, place: int) -> str | None:
        argument = call.arguments[0]
        if not isinstance(argument, Symbol) or call.name in self.names:
            return None
        parameter, _ = name_of(argument, self._scope)
        self._scope.functions[call.name] = parameter, body, place
        self._scope.names.add(parameter)
        self.names.add(call.name)
        return call.name

    def _add_map(self, symbol: Symbol, body: Node, place: int) -> str | None:
        """Add a definition, unless the section has one, and return its name."""
        scope = self._scope
        name, indices = name_of(symbol, scope)
        if indices and name in scope.sizes:
            raise EvaluationError(f"{name} counts elements", symbol.position)
        has_number = not all(letter for letter, _ in indices)
        if name in self.names or has_number or symbol in walk(body):
            return None
        self.names.add(name)
        if name not in self._spaces and len(scope.shapes.get(name, ())) != len(indices):
            # Its space was stated for the symbol of another section.
            scope.shapes.pop(name, None)
            scope.spaces.pop(name, None)
        scope.maps[name] = MapDefinition(indices, body, place)
        scope.names.add(name)
        if indices:
            scope.shapes.setdefault(name, scope.fixed_shapes.get(name, ()))
        self.add_names(body)
        return name

    def add_names(self, tree: Node | Statement) -> None:
        """Add the names of all symbols in a tree to the scope."""
        letters = {
            letter
            for node in walk(tree)
            if isinstance(node, IndexedSum)
            for letter in node.letters
        }
        self._scope.names |= names_in(tree, self._scope) - letters

    def _find_outputs(self) -> None:
        """Set the outputs: maps of this section from which it computes nothing."""
        maps = self._scope.maps
        defined = {
            name
            for formula in self._formulas
            for name in formula.premises.values()
            if name and name != "L" and name in maps
        }
        inputs = set().union(*(names_in(maps[n].node, self._scope) for n in defined))
        if outputs := sorted(defined - inputs):
            # Outputs of an earlier section may be inputs here.
            self._scope.outputs = outputs
            self._scope.maps = {n: d for n, d in maps.items() if n in self.names}

    def _infer_shapes(self) -> None:
        """Set the shapes of arrays without a space by the indices that they carry."""
        for is_last in (False, False, True):
            for formula in self._formulas:
                for statement in formula.statements:
                    with formula.catch(statement):
                        self._infer_from_indices([*symbols(statement)], is_last)
            for name in self.names - self._scope.shapes.keys():
                if name in self._scope.maps and not self._scope.maps[name].indices:
                    self._infer_from_definition(name)

    def _infer_from_indices(self, carriers: list[Symbol], is_last: bool) -> None:
        """Infer shapes from the symbols of one statement.

        A letter that no array of a known shape carries gets a size in the last round.
        """
        scope, shapes = self._scope, self._scope.shapes
        sizes: dict[str, int] = {}
        for symbol in carriers:
            shape = shapes.get(symbol.name, ())
            if len(shape) == len(symbol.indices):
                sizes.update((i.letter, n) for i, n in zip(symbol.indices, shape))
        for symbol in carriers:
            name, indices = symbol.name, symbol.indices
            letters = [index.letter for index in indices]
            is_array = indices and all(i.letter and not i.offset for i in indices)
            # Or x_0, x_1, … are symbols of their own.
            is_family = any(known.startswith(f"{name}_") for known in scope.names)
            if not is_array or shapes.get(name) or is_family:
                continue
            if is_last or all(letter in sizes for letter in letters):
                shape = tuple(
                    sizes.get(letter, scope.dimensions.get(f"_{letter}", 3))
                    for letter in letters
                )
                shapes[name] = scope.fixed_shapes.get(name, shape)
            scope.names.add(name)

    def _infer_from_definition(self, name: str) -> None:
        try:
            value = Evaluator(self._scope).value(self._scope.maps[name].node)
        except EvaluationError:
            return
        if shape := np.shape(value):
            is_column = len(shape) == 2 and shape[1] == 1
            self._scope.shapes[name] = shape[:1] if is_column else shape


def is_loss(node: Node) -> bool:
    return isinstance(node, Symbol) and name_of(node, Scope())[0] == "L"


def _states_a_map(node: Node) -> bool:
    """Return whether an inline formula states a map; of gradients it states none."""
    gradients = nodes.Bar | nodes.Differential | nodes.Derivative
    return not any(isinstance(part, gradients) for part in walk(node))
