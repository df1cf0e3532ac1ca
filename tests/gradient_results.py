"""The results for the custom gradients of programs that a test writes."""

from collections.abc import Mapping
from pathlib import Path

from gradients.client import GradientResult, check_programs

NOT_OF_GRADIENTS = ("has no output beside it", "printed nothing")
"""Problems that a site has with a program, but a test of gradients has not."""


def results_of(
    folder: Path, sources: Mapping[str, str]
) -> dict[str, list[GradientResult]]:
    """Write programs to a project, and check their custom gradients.

    Args:
        folder: the folder of the project, which is made.
        sources: the programs by their names below ``snippets/``.

    Returns:
        For each program the results in the order of its lines. The first one says that
        the program failed, if it did.
    """
    (folder / "docs").mkdir(parents=True)
    (folder / "pyproject.toml").write_text('[tool.tracebook]\npreload = ["tensorflow"]')
    for name, source in sources.items():
        path = folder / "snippets" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, "utf-8")
    paths = [folder / "snippets" / name for name in sources]
    report, observations = check_programs(paths, folder)
    results = {name: observations[name].gradients for name in sources}
    for problem in report["problems"]:
        name, message = problem["name"], problem["message"]
        if not message.startswith(NOT_OF_GRADIENTS):
            results[name].insert(0, GradientResult(1, "program", "failed", message))
    return results
