"""Plugins and hooks of MkDocs, kept thin because another generator may replace it.

Plugins have entry points in ``pyproject.toml``. Hooks need none: ``mkdocs.yml`` names
their files.
"""
