"""Where a rebuild without tracebook spends its time; prints seconds as JSON.

Runs in the folder of a book: builds as ``mkdocs serve`` does, and profiles the
second build.
"""

import cProfile
import json
import logging
import pstats

from mkdocs.commands.build import build
from mkdocs.config import load_config

# What each part is made of: the end of a file's name, and a function in it.
PARTS = {
    "the theme's templates": (
        ("mkdocs/commands/build.py", "_build_page"),
        ("mkdocs/commands/build.py", "_build_theme_template"),
    ),
    "the theme's files": (
        ("mkdocs/structure/files.py", "add_files_from_theme"),
        ("mkdocs/structure/files.py", "copy_static_files"),
    ),
    "Markdown, formulas, and highlighting": (("mkdocs/structure/pages.py", "render"),),
    "the whole": (("mkdocs/commands/build.py", "build"),),
}


def _build() -> None:
    build(load_config("bare.yml"))


def main() -> None:
    logging.disable()
    config = load_config("bare.yml")
    config.plugins.on_startup(command="serve", dirty=False)
    build(config)
    profile = cProfile.Profile()
    profile.runcall(_build)
    seconds = dict.fromkeys(PARTS, 0.0)
    stats: dict = vars(pstats.Stats(profile))["stats"]
    for (file, _, name), (*_, total, _) in stats.items():
        for part, functions in PARTS.items():
            if any(file.endswith(end) and name == f for end, f in functions):
                seconds[part] += total
    print(json.dumps(seconds))


main()
