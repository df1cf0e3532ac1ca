"""The command: ``python -m tests.composition`` measures, and writes the page."""

from .page import PAGE, measured, text

PAGE.write_text(text(measured()), "utf-8")
