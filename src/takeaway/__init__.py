"""The downloads of a site: notebooks, Markdown, programs, and an offline archive."""
