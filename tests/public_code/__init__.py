"""Custom gradients in public code, tried with ``vjpcheck``: the data, and its page."""
