"""The steps of the runtime's build, one a module."""
