"""``python -m tests.public_code`` writes the page of custom gradients in public code."""

from .page import PAGE, page, tried

PAGE.write_text(page(tried()), "utf-8")
