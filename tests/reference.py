"""Writes ``docs/vjpcheck.md`` from docstrings: ``python -m tests.reference``."""

from collections.abc import Iterator

import griffe

import vjpcheck

from .project import ROOT

PAGE = ROOT / "docs/vjpcheck.md"
TOP = """\
---
description: >-
  Which options do check_grads, check_custom_gradient, check_rule and explain of vjpcheck
  have, what do they return, and what do they raise?
---

# The checker: every option of vjpcheck {{ #vjpcheck data-forms="vjpcheck reference, \
check_grads options, gradcheck options, check_custom_gradient arguments, check_rule" }}

Look up here what each function of `vjpcheck` takes, returns and raises. If you want to write
a first test, read [Test a custom gradient in your CI](guide/test_in_ci.md).

## In short {{ #in-short }}

{summary}

This page is written by `python -m tests.reference` from the docstrings, which `help` prints
as well.
"""
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
        for name in ("check_custom_gradient", "check_grads", "check_rule", "explain")
    ]
    summary = "\n".join(
        f"- [`{each.name}`](#{each.name}): {_first(each)}" for each in functions
    )
    parts = [TOP.format(summary=summary)]
    for each in functions:
        parts += _function(each)
    parts += _class(package["Result"].final_target)
    return "\n".join(parts) + "\n"


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
                    yield f"For example:\n{PROOF}\n\n```pycon\n{code}\n```\n"


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
        yield f"{stars.get(kind, '')}{each.name}: {each.annotation}{default}"


def _class(its: griffe.Class) -> Iterator[str]:
    yield f"## {its.name} {{ #{its.name} }}\n"
    yield f"{_first(its)}\n"
    for name, each in its.attributes.items():
        described = _plain(each.docstring.value) if each.docstring else ""
        yield f"- `{name}: {each.annotation}`" + (f": {described}" if described else "")


def _lines(each: griffe.DocstringElement) -> str:
    return "\n  ".join(_plain(each.description).splitlines())


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
    print(f"{PAGE.name} is written from vjpcheck {vjpcheck.__version__}")
