"""How long the site takes, beside other ways to run what a page shows."""
