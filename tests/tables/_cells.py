"""Spans of code in Markdown."""


def code(text: str) -> str:
    """Return a span of code that shows a text."""
    marks = "``" if "`" in text else "`"
    space = " " if "`" in text else ""
    return f"{marks}{space}{text}{space}{marks}"


def in_table(text: str) -> str:
    """Return a span of code that may stand in a row of a table."""
    return code(text).replace("|", r"\|")
