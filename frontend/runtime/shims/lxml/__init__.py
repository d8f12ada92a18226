"""ReactPy imports lxml to turn HTML text into components, which the tab never does."""
