"""The site's mathematics: LaTeX to MathML, and the font it is set in."""
