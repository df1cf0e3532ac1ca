"""Plugins of MkDocs: thin, because other generators may take its place."""
