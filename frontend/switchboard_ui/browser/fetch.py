"""Reads and mutations on our own origin."""

from __future__ import annotations

import asyncio
from typing import Any

import js
from pyodide.ffi import JsException, to_js

from switchboard_ui.ports import NetworkError, Request, Response


class BrowserFetch:
    """Implements `ports.Fetch` over the browser's fetch."""

    async def __call__(self, request: Request) -> Response:
        """Send one request; see the port for what is promised."""
        if not request.path.startswith("/") or request.path.startswith("//"):
            raise ValueError(f"a request stays on our own origin: {request.path!r} is not a path")
        controller = js.AbortController.new()
        options: dict[str, Any] = {
            "method": request.method,
            "headers": {"accept": "application/json"},
            "credentials": "same-origin",
            "mode": "same-origin",
            "cache": "no-store",
            "redirect": "follow",
            "referrerPolicy": "same-origin",
            "signal": controller.signal,
        }
        headers = options["headers"]
        if request.body is not None:
            options["body"] = request.body
            headers["content-type"] = "application/json"
        if request.csrf_token is not None:
            headers["x-csrf-token"] = request.csrf_token
        if request.deadline is not None:
            timeout = js.AbortSignal.timeout(request.deadline * 1000)
            options["signal"] = js.AbortSignal.any(to_js([controller.signal, timeout]))
        try:
            answer = await js.fetch(request.path, to_js(options, dict_converter=js.Object.fromEntries))
            text = await answer.text()
        except asyncio.CancelledError:
            # Whichever of the two was awaited: the abort ends headers and body alike.
            controller.abort()
            raise
        except JsException as error:
            raise NetworkError(str(error)) from None
        return Response(
            status=int(answer.status),
            text=str(text),
            headers=dict(js.Object.fromEntries(answer.headers).to_py()),
            redirected=bool(answer.redirected),
        )
