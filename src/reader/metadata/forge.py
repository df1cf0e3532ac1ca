"""Make links to the sources of a page on GitHub or GitLab."""

from urllib.parse import quote, urlencode, urlsplit

from .project import Project


def links(
    project: Project, source: str | None, page: str, versions: str, revision: str
) -> dict[str, str]:
    """Return links to a page's source, its editor and a new report, by their titles.

    Args:
        project: The project, with the address of its repository.
        source: Path of the page's source; None if the source isn't published.
        page: Address of the page, which the report names.
        versions: Versions of the packages, which the report names.
        revision: Commit of the build; empty if unknown.
    """
    if not project.repository:
        return {}
    gitlab = "gitlab" in (urlsplit(project.repository).hostname or "")
    base = project.repository.rstrip("/") + ("/-" if gitlab else "")
    result = {}
    if source:
        path = quote(source)
        result["Source"] = f"{base}/blob/{revision or project.branch}/{path}"
        result["Edit this page"] = f"{base}/edit/{project.branch}/{path}"
    fields = {"page": page, "versions": versions, "revision": revision}
    if gitlab:
        lines = "\n".join(f"{name}: {value}" for name, value in fields.items())
        query = {"issue[title]": f"Mistake on {page}", "issue[description]": lines}
    else:
        query = {"template": "mistake.yml", "title": f"Mistake on {page}", **fields}
    result["Report a mistake"] = f"{base}/issues/new?{urlencode(query)}"
    return result
