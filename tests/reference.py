"""Writes ``docs/vjpcheck.md`` from docstrings: ``python -m tests.reference``."""

import re
import textwrap
from collections.abc import Iterator

import griffe

import vjpcheck
from vjpcheck.levels import MODES

from .project import ROOT

PAGE = ROOT / "docs/vjpcheck.md"
TOP = """\
---
description: >-
  Which options do check_grads, check_custom_gradient and explain of vjpcheck have, what do
  they return, and what do they raise?
---

# The checker: every option of vjpcheck {{ #vjpcheck data-forms="vjpcheck reference, \
check_grads options, gradcheck options, check_custom_gradient arguments, check_rule" }}

To install `vjpcheck` and write a first test, read [Test a custom gradient in your
CI](guide/test_in_ci.md). This page is for looking up arguments, results and errors.

## In short {{ #in-short }}

<span id="check_rule"></span> Start with `check_custom_gradient`. If the gradient is right, as here,
the call returns a [`Result`](#Result), and otherwise it raises [a
`GradientError`](#check_custom_gradient-example):

```{{.python notest}}
import tensorflow as tf
from vjpcheck import check_custom_gradient


@tf.custom_gradient
def cube(x):
    return x**3, lambda upstream: upstream * 3.0 * x**2


check_custom_gradient(cube, (tf.constant([1.3, -0.7]),))
```

| Function | What it checks | At which inputs | Orders and modes |
| --- | --- | --- | --- |
| [`check_custom_gradient`](#check_custom_gradient) | a custom gradient, which may deliberately differ from the derivative | yours, random points near them and elsewhere, and other batch sizes | reverse mode, first and second order, also in a `tf.function` |
| [`check_grads`](#check_grads) | any derivative that TensorFlow computes | only yours | reverse and forward mode, any order that TensorFlow can compute |
| [`explain`](#explain) | a custom gradient, for mistakes in [the catalogue](mistakes/index.md) | yours, and inputs derived from them | those of `check_custom_gradient`, also XLA and `tf.vectorized_map` |

In the arguments and the messages, `upstream` is [the upstream gradient](guide/vjp.md). A
**kink** is a point at which the derivatives of the two sides differ. Python's `help` prints the
same texts.
"""
FRAMEWORKS = """\
## JAX and PyTorch {{ #jax-and-pytorch data-forms="vjpcheck in JAX, vjpcheck in PyTorch, \
vjpcheck.jax, vjpcheck.torch, gradcheck misses a mistake" }}

Is a gradient still right after a move to another framework? `vjpcheck.jax` and `vjpcheck.torch` have
a `check_grads` with the arguments, results and errors of [the one for TensorFlow](#check_grads). Each
imports only its own framework, which the extra `vjpcheck[jax]` or `vjpcheck[torch]` installs:

=== "JAX"

    ```{{.python .wrong title="wrong/softplus.jax.py"}}
    --8<-- "vjpcheck/wrong/softplus.jax.py"
    ```

    ```text title="prints"
    --8<-- "vjpcheck/wrong/softplus.jax.out"
    ```

=== "PyTorch"

    ```{{.python .wrong title="wrong/softplus.torch.py"}}
    --8<-- "vjpcheck/wrong/softplus.torch.py"
    ```

    ```text title="prints"
    --8<-- "vjpcheck/wrong/softplus.torch.out"
    ```

- In JAX, the check moves all floating and complex leaves of the pytrees. In PyTorch, it moves the
  tensors that require a gradient, as `gradcheck` does.
- A gradient in float32 is compared with differences in float64, if the function accepts float64.
  JAX needs no `jax_enable_x64` for that.
- Pass `modes=["rev"]` for a `jax.custom_vjp`, or for a `torch.autograd.Function` without `jvp`,
  because they have no forward mode.
- A complex gradient must follow its framework: [JAX's is the conjugate](guide/complex.md#conventions)
  of the other two.

[The table of twenty mistakes](guide/ported_mistakes.md#checkers) shows what the check finds, beside
the checkers of the frameworks.
"""
NAMES = {"MODES": repr(MODES)}
"""Texts for the names of the package that readers can't see."""
PROOF = "<!-- proof: tests/test_vjpcheck_page.py -->"
Kind = griffe.DocstringSectionKind


def text() -> str:
    package = griffe.load(
        "vjpcheck",
        search_paths=[ROOT / "src"],
        docstring_parser="google",
        docstring_options={"returns_multiple_items": False},
    )
    functions = [
        package[name].final_target
        for name in ("check_custom_gradient", "check_grads", "explain")
    ]
    parts = [TOP.format()]
    for function in functions:
        parts += _function(function)
    advice = package["explain"].final_target.module["Advice"]
    names = ("core.Result", "core.GradientError", "core.Undecided")
    for each in (*(package[name] for name in names), advice):
        parts += _class(each)
    parts += _fixture(package["pytest_plugin.gradcheck"])
    parts.append(FRAMEWORKS.format())
    return "\n".join(parts).rstrip() + "\n"


def _fixture(fixture: griffe.Function) -> Iterator[str]:
    """Yield the section of a pytest fixture, whose docstring has one example."""
    first, _, rest = fixture.docstring.value.partition("Example::\n\n")
    code, _, last = rest.partition("\n\n")
    yield f"## The fixture {fixture.name} {{ #{fixture.name} }}\n"
    yield _plain(first) + "\n"
    yield f"```{{.python notest}}\n{textwrap.dedent(code)}\n```\n"
    yield _plain(last) + "\n"


def _first(of: griffe.Object) -> str:
    return _plain(of.docstring.value.partition("\n\n")[0])


def _plain(docstring: str) -> str:
    return docstring.replace("``", "`").strip()


def _function(function: griffe.Function) -> Iterator[str]:
    yield f"## {function.name} {{ #{function.name} }}\n"
    parameters = "".join(f"    {each},\n" for each in _parameters(function))
    signature = f"{function.name}(\n{parameters}) -> {function.returns}"
    yield f"```{{.python notest}}\n{signature}\n```\n"
    titles = {
        Kind.parameters: "Arguments",
        Kind.returns: "Returns",
        Kind.raises: "Raises",
    }
    for section in function.docstring.parsed:
        if section.kind in titles:
            yield f"**{titles[section.kind]}**\n"
        match section.kind:
            case Kind.text:
                yield f"{_plain(section.value)}\n"
            case Kind.parameters:
                for each in section.value:
                    yield f"- `{each.name}`: {_lines(each)}"
                yield ""
            case Kind.returns:
                yield from (f"{_plain(each.description)}\n" for each in section.value)
            case Kind.raises:
                for each in section.value:
                    yield f"- `{each.annotation}`: {_lines(each)}"
                yield ""
            case Kind.examples:
                for _, code in section.value:
                    yield f"### Example {{ #{function.name}-example }}\n\n{PROOF}\n"
                    yield f"```pycon\n{code}\n```\n"


def _parameters(function: griffe.Function) -> Iterator[str]:
    """As they are written, with a star before those that only have a name."""
    stars = {"var_positional": "*", "var_keyword": "**"}
    is_starred = False
    for each in function.parameters:
        kind = each.kind.name
        if kind == "keyword_only" and not is_starred:
            yield "*"
        is_starred |= kind in ("var_positional", "keyword_only")
        default = "" if each.default is None or kind in stars else f" = {each.default}"
        its = f"{stars.get(kind, '')}{each.name}: {each.annotation}{default}"
        yield re.sub("|".join(NAMES), lambda found: NAMES[found[0]], its)


def _class(its: griffe.Class) -> Iterator[str]:
    yield f"## {its.name} {{ #{its.name} }}\n"
    yield f"{_first(its)}\n"
    for name, each in its.attributes.items():
        if "repr=False" in str(each.value):  # of the checker, not of its callers
            continue
        described = _indented(each.docstring.value) if each.docstring else ""
        yield f"- `{name}: {each.annotation}`" + (f": {described}" if described else "")
    if its.attributes:
        yield ""


def _lines(each: griffe.DocstringElement) -> str:
    return _indented(each.description)


def _indented(docstring: str) -> str:
    return "\n  ".join(_plain(docstring).splitlines())


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
    print(f"{PAGE.name} is written from vjpcheck {vjpcheck.__version__}")
