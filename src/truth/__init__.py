"""What the pages claim beyond what programs print, and whether it holds."""
