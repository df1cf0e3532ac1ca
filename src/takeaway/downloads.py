"""Make all downloads of a site: their addresses below the site's, and their content."""

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tracebook import includes

from . import commonmark, exercises, jupyter
from .commonmark import COLORS, CodeBlock, LinkResolver

PROGRAMS = "snippets/programs.zip"
_ROLES = (
    r"In formulas, `\upstream{…}`, `\local{…}` and `\downstream{…}` mark the three"
    " factors of the chain rule."
)
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class SourcePage:
    """A page of the menu, with its Markdown."""

    path: str
    """Path below the folder of pages."""
    title: str
    markdown: str
    section: str = ""
    description: str = ""
    is_generated: bool = False


@dataclass(frozen=True)
class Downloads:
    """The sources of all downloads."""

    name: str
    description: str
    pages: Sequence[SourcePage]
    """Pages in the order of the menu."""
    programs: Mapping[str, bytes]
    """Programs, outputs and tables, by their paths below the folder of programs."""
    address: Callable[[str], str]
    """Function from the path of a page or file to its address below the site's."""
    site: str = ""
    """Address of the site, if it is known."""
    checker: Mapping[str, bytes] = field(default_factory=dict)
    """Modules that check exercises, by their paths."""

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Return the address below the site's and the content of each download."""
        for page in self.pages:
            yield page.path, self._markdown(page).encode()
            if page.path in self._notebooks:
                address = page.path.removesuffix(".md") + ".ipynb"
                yield address, self._notebook(page).encode()
            if any(exercises.find(page.markdown)):
                yield exercises.address(page.path), self._exercises(page).encode()
        yield "llms.txt", self._index().encode()
        yield "llms-full.txt", self._all_pages().encode()
        programs = {
            f"snippets/{name}": self._program(name)
            for name in sorted(self.programs)
            if not name.endswith(".md")  # tables are downloaded with their pages
        }
        yield from programs.items()
        yield PROGRAMS, zipped(programs)
        yield exercises.CHECKER, zipped(self.checker)

    def _index(self) -> str:
        lines = [f"# {self.name}", "", f"> {self.description}"]
        section = ""
        for page in self.pages:
            if page.section != section:
                section = page.section
                lines += ["", f"## {section}"]
            if not lines[-1].startswith("- "):
                lines.append("")
            link = f"[{page.title}]({self.site}{page.path})"
            lines.append(f"- {link}: {page.description}")
        return "\n".join([*lines, ""])

    def _all_pages(self) -> str:
        pages = [page for page in self.pages if not page.is_generated]
        title = f"# {self.name}\n\n> {self.description}\n\n{_ROLES}\n"
        return "\n\n".join([title, *(self._markdown(page, None) for page in pages)])

    def _program(self, name: str) -> bytes:
        """Return a file without comments for tools, even if it isn't UTF-8."""
        content, errors = self.programs[name], "surrogateescape"
        if not name.endswith(".py"):
            return content
        text = includes.visible(content.decode("utf-8", errors))
        return text.encode("utf-8", errors)

    def _split(
        self, text: str, links: LinkResolver, colors: dict[str, str] | None = COLORS
    ) -> Iterator[str | CodeBlock]:
        # While serving, a program may be missing; the engine reports it.
        return commonmark.split(
            text, links, lambda name: self.programs.get(name, b"").decode(), colors
        )

    def _markdown(
        self, page: SourcePage, colors: dict[str, str] | None = COLORS
    ) -> str:
        links = LinkResolver(page.path, self.address, self.site)
        return commonmark.join(self._split(page.markdown, links, colors), links)

    @cached_property
    def _notebooks(self) -> set[str]:
        """The paths of the pages that have a notebook."""
        return {page.path for page in self.pages if has_programs(page.markdown)}

    def _notebook_links(
        self, page: SourcePage, folder: str | None = None
    ) -> LinkResolver:
        return LinkResolver(page.path, self.address, self.site, self._notebooks, folder)

    def _exercises(self, page: SourcePage) -> str:
        links = self._notebook_links(page, exercises.FOLDER)
        target = f"{links.link_to(self.address(page.path))}#try-it"
        return exercises.notebook(
            exercises.find(page.markdown),
            f"Exercises of [{page.title}]({target}). {exercises.OPENING}",
            self.site,
            lambda question: commonmark.join(self._split(question, links), links),
        )

    def _notebook(self, page: SourcePage) -> str:
        links = self._notebook_links(page)
        target = links.link_to(self.address(page.path))
        opening = (
            f"A notebook of [{page.title}]({target}). Each program is one cell, and"
            " needs no other cell. TensorFlow may add lines of its log to the output."
        )
        return jupyter.notebook(self._split(page.markdown, links), links, opening)


def has_programs(markdown: str) -> bool:
    """Return whether a page shows a whole program, and so has a notebook."""
    return any(
        include.name.endswith(".py") and not include.section
        for include in includes.find(markdown)
    )


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of files by name, whose bytes don't depend on the time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()
