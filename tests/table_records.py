"""Write the records of computed tables, which ``truth.tables`` reads."""

from pathlib import Path

from truth import tables


def record(root: Path, name: str, body: str, modes: str = "") -> str:
    """Return the text of a record.

    Args:
        root: the project's root.
        name: the name of the table.
        body: the table, in Markdown.
        modes: the line that names a call, for a table of its modes.
    """
    body, made_from = body.strip(), tables.sources(root, name, modes)
    line = f"<!-- table {name}: {tables.digest(body)}, made from {made_from} -->"
    return f"{modes}{line}\n\n{body}\n"
