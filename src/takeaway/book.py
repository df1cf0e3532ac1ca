"""All that is taken along from a book: addresses below the site, and bytes."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tracebook import includes

from . import exercises, jupyter, plain
from .plain import Code, Place

PROGRAMS = "snippets/programs.zip"
_ROLES = (
    r"In formulas, `\upstream{…}`, `\local{…}` and `\downstream{…}` mark the three"
    " factors of the chain rule."
)
_EPOCH = (1980, 1, 1, 0, 0, 0)
_SENTENCE = re.compile(r"(?s)(.+?[.?!])(?=[*)]*(?:\s|\Z))")
_MARKUP = re.compile(r"\[([^\]]*)\]\([^)]*\)|[*`]|<[^>]*>")


@dataclass(frozen=True)
class Page:
    """One page of the menu."""

    path: str
    """Below the folder of the pages."""
    title: str
    markdown: str
    section: str = ""
    description: str = ""
    is_generated: bool = False


@dataclass(frozen=True)
class Book:
    """Pages in the order of the menu, and the files of programs and tables by name."""

    name: str
    description: str
    pages: Sequence[Page]
    programs: Mapping[str, bytes]
    address: Callable[[str], str]
    """Of a page or file, by its path below the pages, on the site."""
    site: str = ""
    """The address of the site, if it is known."""
    checker: Mapping[str, bytes] = field(default_factory=dict)
    """The modules that check exercises, by their paths."""

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Everything, by its address below the site's."""
        index = [f"# {self.name}", "", f"> {self.description}"]
        whole = [f"# {self.name}\n\n> {self.description}\n\n{_ROLES}\n"]
        section = ""
        for page in self.pages:
            stem = page.path.removesuffix(".md")
            text = self._markdown(page)
            if page.section != section:
                section = page.section
                index += ["", f"## {section}"]
            said = page.description or _first_sentence(text)
            index += [""] * (not index[-1].startswith("- "))
            index.append(f"- [{page.title}]({self.site}{page.path}): {said}")
            if not page.is_generated:
                whole.append(self._markdown(page, colors=None))
            yield page.path, text.encode()
            if page.path in self._notebooks:
                yield f"{stem}.ipynb", self._notebook(page).encode()
            if found := [*exercises.exercises(page.markdown)]:
                yield exercises.address(page.path), self._exercises(page, found)
        yield "llms.txt", "\n".join([*index, ""]).encode()
        yield "llms-full.txt", "\n\n".join(whole).encode()
        programs = {
            f"snippets/{name}": self._taken(name)
            for name in sorted(self.programs)
            if not name.endswith(".md")  # a table, which stands on its page
        }
        yield from programs.items()
        yield PROGRAMS, zipped(programs)
        yield exercises.CHECKER, zipped(self.checker)

    def _taken(self, name: str) -> bytes:
        """A file as readers get it; what is not UTF-8 stays as it is."""
        content, keep = self.programs[name], "surrogateescape"
        if not name.endswith(".py"):
            return content
        return includes.shown(content.decode("utf-8", keep)).encode("utf-8", keep)

    def _pieces(self, page: Page, place: Place, **options: Any) -> Iterator[str | Code]:
        return plain.pieces(
            page.markdown,
            place,
            # One that isn't there is the engine's to report, while pages are served.
            lambda name: self.programs.get(name, b"").decode(),
            **options,
        )

    def _markdown(self, page: Page, **options: Any) -> str:
        place = Place(page.path, self.address, self.site)
        pieces = self._pieces(page, place, **options)
        return plain.as_markdown(pieces, self._namer(place))

    def _place(self, page: Page, folder: str | None = None) -> Place:
        """Of a notebook."""
        return Place(page.path, self.address, self.site, self._notebooks, folder)

    @cached_property
    def _notebooks(self) -> set[str]:
        """The pages that have one."""
        return {each.path for each in self.pages if has_programs(each.markdown)}

    def _exercises(self, page: Page, found: list[exercises.Exercise]) -> bytes:
        place = self._place(page, exercises.FOLDER)

        def shown(question: str) -> str:
            named = self._namer(place)
            return plain.as_markdown(plain.pieces(question, place, str), named)

        there = f"{place.beside(self.address(page.path))}#try-it"
        opening = f"Exercises of [{page.title}]({there}). {exercises.OPENING}"
        return exercises.notebook(found, opening, self.site, shown).encode()

    def _notebook(self, page: Page) -> str:
        place = self._place(page)
        there = place.beside(self.address(page.path))
        opening = (
            f"A notebook of [{page.title}]({there}). Each program is one cell, and"
            " needs no other cell. TensorFlow may add lines of its log to the output."
        )
        return jupyter.notebook(self._pieces(page, place), self._namer(place), opening)

    def _namer(self, place: Place) -> Callable[[Code], str]:
        def named(code: Code) -> str:
            if code.name.endswith(".out"):
                return "prints:"
            if not code.name:
                return ""
            folder = place.page.removesuffix(".md") + "/"
            link = place.beside(f"snippets/{code.name}")
            return f"[`{code.name.removeprefix(folder)}`]({link})"

        return named


def has_programs(markdown: str) -> bool:
    """Whether a page shows a whole program, so that a notebook of it can run."""
    found = includes.find(markdown)
    return any(each.name.endswith(".py") and not each.section for each in found)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive that is the same whenever it is made."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return made.getvalue()


def _first_sentence(markdown: str) -> str:
    """The first words below the title, without marks."""
    for block in markdown.split("\n\n"):
        text = " ".join(_MARKUP.sub(r"\1", block).split())
        if text and not text.startswith(("#", ">", "|", "$$", "- ", "!")):
            found = _SENTENCE.match(text)
            return found[1] if found else re.sub(r":\Z", ".", text)
    return ""
