"""What makes ``mkdocs serve`` quick: what did not change isn't rendered again, and
what nobody asks for isn't made. A build uses none of it."""
