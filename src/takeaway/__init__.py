"""What a reader takes along: each page as a notebook and as Markdown, the programs,
and the whole site, for reading without a network."""
