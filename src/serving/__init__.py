"""Speed up ``mkdocs serve``: cache rendered pages, and make files on request.

A build doesn't use this package.
"""
