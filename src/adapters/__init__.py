"""Plugins and hooks of MkDocs, kept thin because another generator may replace it."""
