"""The site as one archive that opens from a file, without a server."""

import re
from pathlib import Path

from tracebook import files

from .book import zipped

NAME = "site.zip"
_LINK = re.compile(
    rb'(?P<before><a\b[^>]*?\shref="|<link\b[^>]*?\shref=")'
    rb'(?P<path>(?:\.\.?/)*(?:[^"#?:]*/)?|\.\.?)(?P<after>[#?][^"]*)?"'
)
