"""Inside the process of one program: ``check_rule`` on each call that it made."""

import json
import os
from collections.abc import Callable

import numpy as np

from truth import check_rule
from truth.rules import child, points
from truth.rules.function import Function, evaluate
from truth.rules.sites import Declared


def main(path: str, source: str, wrong: bool, raises: str | None) -> None:
    """Print as JSON, of each site, its name, whether it is wrong, and the error."""
    answer = os.dup(1)
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    program = child.Program(path, source, wrong, raises)
    said = []
    for site in program._sites:
        declared = child._with_defaults(program._declared[site], site)
        error = ""
        for rule in program._observer.rules:
            for call in child._some(rule.calls) if rule.site is site else ():
                error = error or _error(call, declared, rule.nested)
        said.append((f"{site.line}", wrong and not declared.right, error))
    os.write(answer, b"\n" + json.dumps(said).encode() + b"\n")


def _error(call: Function, declared: Declared, nested: bool) -> str:
    if call.keywords:
        return ""
    points.fill(call, np.random.default_rng(0))  # what a graph alone knows
    point = call.widened()
    arguments = call.packed(call.tensors(point, double=False))

    def function(*inputs: object) -> object:
        return call.call(*inputs)

    function.__signature__ = call.signature
    try:
        check_rule(function, *arguments, **options(call, declared, nested))
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
        return lambda value: evaluate(expression, {**call.names, name: value})

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
        "second_order": nested,
        "shapes": True,
    }
