"""The tab: whether it is seen, when it sleeps, where it is, what it remembers."""

from __future__ import annotations

import asyncio
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
        # The loop holds its tasks weakly.
        self._writing: set[asyncio.Task[None]] = set()

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

    def navigate(self, address: str, *, replace: bool = False) -> None:
        """Change the place in the address; navigation.mjs keeps the history."""
        detail = {"detail": {"address": address, "replacing": replace}}
        event = js.CustomEvent.new("switchboard:navigate", to_js(detail, dict_converter=js.Object.fromEntries))
        js.document.dispatchEvent(event)

    def on_navigation(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with each new place, for as long as the document lives."""

        def on_place(event: Any) -> None:
            listener(str(event.detail))

        js.document.addEventListener("switchboard:place", create_proxy(on_place))

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

    def copy(self, text: str, told: Callable[[bool], None]) -> None:
        """Put text into the clipboard; browsers refuse it without a gesture or a secure origin."""

        async def write() -> None:
            try:
                await js.navigator.clipboard.writeText(text)
            except (AttributeError, JsException):
                told(False)
            else:
                told(True)

        task = asyncio.ensure_future(write())
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

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
