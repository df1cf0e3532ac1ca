"""Promise: on every page the first occurrence of a term of the glossary links to its
entry, with the definition as its title; and the glossary doesn't contradict itself."""

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import BeautifulSoup
from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from reader.terms import Glossary

from .built import document, of_class
from .project import ROOT

pytestmark = pytest.mark.tools

GLOSSARY = """\
# Glossary

gradient { #gradient .unlinked }

:   The derivative of one number.

local derivative { #local data-forms="local derivatives" }

:   How *one* step of the [tape](#tape) moves its `output`,
    and nothing else.

    In formulas $y'$. The tape is not in the title.

tape { #tape data-forms="tapes, gradient tape, tape recorder" }

:   A "record".
"""
LOCAL = "How one step of the tape moves its output, and nothing else."


def linked(text: str, page: str = "guide/page.md") -> str:
    """Return the HTML of a page, rendered as by MkDocs."""
    md = Markdown(
        extensions=[
            "attr_list",
            "tables",
            "admonition",
            "def_list",
            "footnotes",
            "pymdownx.superfences",
            "pymdownx.details",
            "pymdownx.arithmatex",
            "reader.terms",
        ]
    )
    relpath: Any = Treeprocessor(md)
    relpath.file = SimpleNamespace(src_uri=page)
    relpath.config = SimpleNamespace(docs_dir=str(Path.cwd() / "docs"))
    md.treeprocessors.register(relpath, "relpath", 0)
    return md.convert(text)


def links(html: str) -> list[tuple[str, str]]:
    return [
        (a.get_text(), a["href"].rpartition("#")[2])
        for a in BeautifulSoup(html, "lxml").select("a.term")
    ]


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/glossary.md").write_text(GLOSSARY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_first_occurrence_is_a_plain_link_with_its_definition(project):
    html = linked("A local derivative, and one more local derivative. *End*.")
    assert html == (
        f'<p>A <a class="term" href="../glossary.md#local" title="{LOCAL}">'
        "local derivative</a>, and one more local derivative. <em>End</em>.</p>"
    )


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Tapes. A tape.", [("Tapes", "tape")]),
        ("Local\nderivatives are local.", [("Local\nderivatives", "local")]),
        ("A gradient tape, a gradient.", [("gradient tape", "tape")]),
        ("A tape recorder.", [("tape recorder", "tape")]),
        (
            "**The tape** and a local derivative",
            [("tape", "tape"), ("local derivative", "local")],
        ),
        ("One *word* tape, then *tape*", [("tape", "tape")]),
        ("- a\n- the tape\n", [("tape", "tape")]),
        ("| tape |\n| --- |\n| a tape |\n", [("tape", "tape")]),
        ('!!! note "A tape"\n\n    The tapes\n', [("tapes", "tape")]),
        ("Word\n\n:   On a tape\n", [("tape", "tape")]),
        ("Said.[^1]\n\n[^1]: On tape.\n", [("tape", "tape")]),
        ("The tape { .tape #tape }", [("tape", "tape")]),
    ],
)
def test_running_text_is_linked(project, text, expected):
    assert links(linked(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "# A tape",
        "## tape { #tape }",
        "`tape`",
        "    tape",
        "[a tape](x.md)",
        "```text\ntape\n```",
        "$tape$",
        "$$\ntape\n$$",
        "> The tape, it said.",
        "| tape |\n| --- |\n| a |\n",
        '??? note "A tape"\n\n    Text.\n',
        "tapeworm, red-tape, tape_1, mixtape",
        "![a tape](x.svg)",
        '[x](y.md "tape")',
        "<!-- tape -->",
        "a gradient",
        '*a*{ title="a tape" }',
    ],
)
def test_other_text_is_not_linked(project, text):
    assert links(linked(text)) == []


def test_links_do_not_change_the_text_of_a_page(project):
    text = "A tape & *a tape*: `x` local derivative, tapes <b>tape</b> \\*.\n\n- tape"
    with_links = BeautifulSoup(linked(text), "lxml").get_text()
    (project / "docs/glossary.md").unlink()
    assert BeautifulSoup(linked(text), "lxml").get_text() == with_links


def test_the_glossary_does_not_link_itself(project):
    assert links(linked("A tape.", "glossary.md")) == []


def test_a_changed_glossary_is_read_again(project):
    assert links(linked("A spool.")) == []
    with (project / "docs/glossary.md").open("a") as glossary:
        glossary.write("\nspool { #spool }\n\n:   It turns.\n")
    assert links(linked("A spool.")) == [("spool", "spool")]


PAGES = ("index.md", "one.md", "guide/index.md", "guide/two.md", "guide/a/three.md")


@pytest.mark.parametrize(
    "generator, directories",
    [("mkdocs", "true"), ("mkdocs", "false"), ("zensical", "true")],
)
def test_links_work_from_every_depth(project, generator, directories):
    for page in PAGES:
        (project / "docs" / page).parent.mkdir(parents=True, exist_ok=True)
        (project / "docs" / page).write_text("# Page\n\nA tape.\n")
    (project / "mkdocs.yml").write_text(
        "site_name: A small site\nstrict: true\n"
        f"use_directory_urls: {directories}\ntheme: {{name: material, font: false}}\n"
        "markdown_extensions: [attr_list, def_list, toc, reader.terms]\n"
        "validation: {links: {anchors: warn}}\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", generator, "build"],
        cwd=project,
        text=True,
        env={"PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"},
        timeout=100,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout
    targets = {}
    for path in (project / "site").rglob("*.html"):
        for link in BeautifulSoup(path.read_text(), "lxml").select("article a.term"):
            address, _, anchor = link["href"].partition("#")
            target = (path.parent / address).resolve()
            target = target / "index.html" if target.is_dir() else target
            assert BeautifulSoup(target.read_text(), "lxml").select(f"dt#{anchor}")
            assert (link.get_text(), link["title"]) == ("tape", 'A "record".')
            targets[path] = target
    assert len(targets) == len(PAGES)


# The real glossary and the real site.


@pytest.fixture(scope="module")
def glossary() -> Glossary:
    return Glossary((ROOT / "docs/glossary.md").read_text("utf-8"))


@pytest.mark.tools(False)
def test_the_glossary_is_in_alphabetical_order(glossary):
    terms = [entry.term.lower() for entry in glossary.entries]
    assert terms == sorted(terms) and len(terms) >= 30


@pytest.mark.tools(False)
def test_no_form_is_listed_twice_and_each_definition_has_a_term(glossary):
    entries = glossary.entries
    forms = [form.lower() for entry in entries for form in entry.forms or [entry.term]]
    assert len(forms) == len({*forms})
    assert len(entries) == len({entry.id for entry in entries})
    text = (ROOT / "docs/glossary.md").read_text("utf-8")
    assert len(entries) == len(re.findall("^:   ", text, re.M))
    assert len(entries) == len(re.findall(r"^\S.* \{ #[\w-]+.*\}$", text, re.M))
    assert not [entry.term for entry in entries if "$" in entry.title]


@pytest.mark.tools(False)
def test_a_definition_has_one_to_three_sentences(glossary):
    for entry in glossary.entries:
        assert 1 <= len(re.findall(r"\.(?= [A-Z]|$)", entry.title)) <= 3, entry
        assert entry.title.endswith("."), entry


@pytest.mark.tools(False)
def test_every_entry_links_to_a_page():
    text = (ROOT / "docs/glossary.md").read_text("utf-8")
    entries = re.split(r"\n(?=\w.* \{ #)", text)[1:]
    link = re.compile(r"\]\((?:guide|lessons|notation)")
    assert [entry for entry in entries if not link.search(entry)] == []


@pytest.mark.tools(False)
def test_the_pages_of_the_site_link_each_term_once(built_site, glossary):
    ids = {entry.id for entry in glossary.entries}
    for path in [*built_site.glob("lessons/*/"), *built_site.glob("guide/*/")]:
        if "This page has moved" in (path / "index.html").read_text("utf-8"):
            continue
        links = document(path / "index.html").xpath(f"//a[{of_class('term')}]")
        targets = [link.get("href").rpartition("#")[2] for link in links]
        assert targets and set(targets) <= ids, path
        assert len(targets) == len(set(targets)), path
        ancestors = {each.tag for link in links for each in link.iterancestors()}
        assert not ancestors & {"a", "code", "h1", "h2", "h3", "summary"}, path
    page = (built_site / "glossary/index.html").read_text("utf-8")
    assert 'class="term"' not in page
