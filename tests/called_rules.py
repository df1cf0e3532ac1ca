"""Inside the process of one program: ``check_rule`` on each call that it made."""

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from gradients import checker, client
from tracebook.snippet import Snippet
from vjpcheck import check_rule, points
from vjpcheck.declared import Declared
from vjpcheck.directions import Undecided
from vjpcheck.function import Function, evaluate

UNDECIDED = "undecided at every call"
NARROW = tf.float16, tf.bfloat16


def begin(snippet: Snippet) -> Callable[[], list]:
    """Of each site, when the program has ended: its line, whether it shall be wrong,
    and what is wrong."""
    program = checker.ProgramChecker(snippet)
    observing = program.observer.observe()
    observing.__enter__()

    def end() -> list:
        observing.__exit__(None, None, None)
        said = []
        for definition in program.definitions:
            declared = checker.with_defaults(program.declared[definition], definition)
            calls = [
                (call, gradient.is_nested)
                for gradient in program.observer.gradients
                if gradient.definition is definition
                for call in checker.different_calls(gradient.calls)
            ]
            # A keyword is a mistake of the caller; ``check_rule`` takes none.
            by_keyword = [bool(call.keywords) for call, _ in calls]
            wrong = snippet.path.parent.name == client.WRONG and not declared.right
            if calls and all(by_keyword):
                continue
            errors = [
                _error(call, declared, nested)
                for call, nested in calls
                if not call.keywords
            ]
            found = [each for each in errors if each not in ("", UNDECIDED)]
            if not found and errors and set(errors) == {UNDECIDED}:
                found = [UNDECIDED]
            if wrong and not found and any(by_keyword):
                continue
            said.append((f"{definition.line}", wrong, "; ".join(found)))
        return said

    return end


def _error(call: Function, declared: Declared, nested: bool) -> str:
    points.fill(call, np.random.default_rng(0))  # what a graph alone knows
    point = call.widened()
    arguments = call.packed(call.tensors(point, double=False))

    def function(*inputs: object) -> object:
        return call.call(*inputs)

    vars(function)["__signature__"] = call.signature
    if any(each.dtype in NARROW for each in call.leaves):
        # A mixed policy casts the weights only within their layer.
        try:
            function(*arguments)
        except tf.errors.InvalidArgumentError:
            return UNDECIDED
    try:
        check_rule(function, *arguments, **options(call, declared, nested))
    except Undecided:
        return UNDECIDED
    except AssertionError as error:
        return str(error) or "wrong"
    except Exception as error:
        return f"fault: {error!r}"
    return ""


def options(call: Function, declared: Declared, nested: bool) -> dict:
    """What the comments declare, as a reader would write it."""

    def computed(expression: str) -> Callable:
        def compute(*arguments: object) -> object:
            bound = call.signature.bind(*arguments).arguments
            return evaluate(expression, {**call.names, **bound})

        return compute

    def becoming(name: str, expression: str) -> Callable:
        def become(value: object, *arguments: object) -> object:
            bound = call.signature.bind(*arguments).arguments
            return evaluate(expression, {**call.names, **bound, name: value})

        return become

    def surrogate(*arguments: object) -> object:
        result = computed(declared.surrogate)(*arguments)
        return result(*arguments) if callable(result) else result

    def where(*arguments: object) -> object:
        return all(
            np.all(np.asarray(computed(each)(*arguments)))
            for each in declared.conditions
        )

    return {
        "gradient_of": surrogate if declared.surrogate else None,
        **{
            f"{name}_becomes": becoming(name, expression)
            for name, expression in declared.becomes.items()
        },
        "where": where if declared.conditions else None,
        "make": {name: computed(each) for name, each in declared.generators.items()},
        "no_gradient": declared.fixed,
        "within": declared.within,
        "eager_only": declared.eager_only,
        "dense_upstream": declared.dense,
        "second_order": False if declared.once else nested or None,
        "shapes": True,
    }
