"""Why a build stopped."""


class BuildFailure(Exception):
    """Its text is one sentence for the person who ran the build."""
