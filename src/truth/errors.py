"""An error of the project's own files."""


class BadFile(OSError):
    """A file of the project that can't be read; it says which line, and what to do."""
