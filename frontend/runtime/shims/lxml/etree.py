"""The names that ReactPy mentions at import."""


class _Element:
    """Stands in an annotation and an isinstance check; nothing is ever one."""


class LxmlSyntaxError(Exception):
    """Base of ReactPy's own error class; never raised."""


class ParserError(LxmlSyntaxError):
    """Never raised."""
