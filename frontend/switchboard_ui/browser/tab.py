"""The tab: whether it is seen, when it sleeps, where it is, what it remembers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import js
from pyodide.ffi import JsException, create_proxy, to_js

from switchboard_ui.ports import Lifecycle

# Other pages of our origin share the storage.
_STORAGE_PREFIX = "switchboard:"


class BrowserTab:
    """Implements `ports.Tab`. Has no unload listener, which would keep the page out of the back/forward cache."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Lifecycle], None]] = []

    def visible(self) -> bool:
        """Tell whether the tab is in front."""
        return bool(js.document.visibilityState == "visible")

    def on_lifecycle(self, listener: Callable[[Lifecycle], None]) -> None:
        """Call `listener` at each change, for as long as the document lives."""
        if not self._listeners:
            self._listen()
        self._listeners.append(listener)

    def zone(self) -> str:
        """The viewer's IANA zone name, "UTC" when the browser does not say."""
        try:
            return str(js.Intl.DateTimeFormat.new().resolvedOptions().timeZone or "UTC")
        except (AttributeError, JsException):
            return "UTC"

    def path(self) -> str:
        """Path and query of the current location."""
        return f"{js.location.pathname}{js.location.search}"

    def go(self, url: str) -> None:
        """Leave for another document of our origin."""
        if js.URL.new(url, js.location.href).origin != js.location.origin:
            raise ValueError(f"{url!r} leads to another origin")
        js.location.assign(url)

    def recall(self, name: str) -> str | None:
        """A remembered choice; None too when the browser keeps no storage."""
        try:
            value = js.localStorage.getItem(_STORAGE_PREFIX + name)
        except (AttributeError, JsException):
            return None
        return value if isinstance(value, str) else None

    def remember(self, name: str, value: str) -> None:
        """Keep a choice in this browser, as far as it lets us."""
        try:
            js.localStorage.setItem(_STORAGE_PREFIX + name, value)
        except (AttributeError, JsException):
            # Storage is off or full: the choice then lasts as long as the tab.
            return

    def set_title(self, title: str) -> None:
        """Name the document."""
        js.document.title = title

    def focus(self, element_id: str) -> None:
        """Focus an element now, or as soon as a render brings it; the renderer knows when that is."""
        detail = to_js({"detail": element_id}, dict_converter=js.Object.fromEntries)
        js.document.dispatchEvent(js.CustomEvent.new("switchboard:focus", detail))

    def _listen(self) -> None:
        def on_visibility(_event: Any) -> None:
            self._tell(Lifecycle.VISIBLE if self.visible() else Lifecycle.HIDDEN)

        def on_page_hide(_event: Any) -> None:
            self._tell(Lifecycle.PAGE_HIDE)

        def on_page_show(event: Any) -> None:
            # The first showing is the load itself; only a return from the back/forward cache counts.
            if event.persisted:
                self._tell(Lifecycle.PAGE_SHOW_PERSISTED)

        def on_online(_event: Any) -> None:
            self._tell(Lifecycle.ONLINE)

        js.document.addEventListener("visibilitychange", create_proxy(on_visibility))
        js.window.addEventListener("pagehide", create_proxy(on_page_hide))
        js.window.addEventListener("pageshow", create_proxy(on_page_show))
        js.window.addEventListener("online", create_proxy(on_online))

    def _tell(self, change: Lifecycle) -> None:
        for listener in self._listeners:
            listener(change)
