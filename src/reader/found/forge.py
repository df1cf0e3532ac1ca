"""Addresses at the forge that has the sources: GitHub's, or GitLab's."""

from urllib.parse import quote, urlencode, urlsplit

from .book import Book


def links(
    book: Book, source: str | None, page: str, versions: str, revision: str
) -> dict[str, str]:
    """The file a page is made from, its editor, and a report that is begun."""
    if not book.repository:
        return {}
    gitlab = "gitlab" in (urlsplit(book.repository).hostname or "")
    base = book.repository.rstrip("/") + ("/-" if gitlab else "")
    said = {"page": page, "versions": versions, "revision": revision}
    found = {}
    if source:
        found["Source"] = f"{base}/blob/{revision or book.branch}/{quote(source)}"
        found["Edit this page"] = f"{base}/edit/{book.branch}/{quote(source)}"
    if gitlab:
        lines = "\n".join(f"{name}: {value}" for name, value in said.items())
        query = {"issue[title]": f"Mistake on {page}", "issue[description]": lines}
    else:
        query = {"template": "mistake.yml", "title": f"Mistake on {page}", **said}
    found["Report a mistake"] = f"{base}/issues/new?{urlencode(query)}"
    return found
