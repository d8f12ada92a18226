"""Takes the place of ReactPy's module of this name, which reads a file beside itself at import.

Inside the bundle there are no files beside a module, and no page of ours uses PyScript.
"""

from typing import NoReturn


def pyscript_component(*_arguments: object, **_options: object) -> NoReturn:
    """Say that this kind of component does not exist here."""
    raise RuntimeError("pyscript_component is not available: the whole page already runs in the tab")
