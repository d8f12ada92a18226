"""Components to HTML on the server."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from reactpy import component, html

from switchboard.http.html import render


@component
def broken() -> Any:
    raise ValueError("nobody's fault")


@component
def page() -> Any:
    return html.main(html.h1("Title"), broken())


async def test_a_component_that_fails_fails_the_page_rather_than_being_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.CRITICAL), pytest.raises(RuntimeError, match="a component failed"):
        await render(page())


async def test_values_are_escaped_and_absent_attributes_left_out() -> None:
    @component
    def one() -> Any:
        return html.p({"title": 'a "b"', "hidden": False, "data-x": None, "contenteditable": True}, "1 < 2 & 3")

    assert await render(one()) == '<p title="a &quot;b&quot;" contenteditable>1 &lt; 2 &amp; 3</p>'
