"""The sign-in and sign-out forms: whole pages, no script needed."""

from __future__ import annotations

from typing import Any

from reactpy import component, html

WRONG = "Name and password do not match. Check both and try again."


@component
def sign_in_form(csrf_token: str, name: str, failed: bool) -> Any:
    """`failed` shows the error summary first, with the focus on it, and keeps the name that was typed."""
    summary = (
        html.div(
            {
                "class": "problem",
                "id": "problem",
                "role": "group",
                "aria-labelledby": "problem-heading",
                "tabindex": "-1",
                "autofocus": True,
            },
            html.h2({"id": "problem-heading"}, "There is a problem"),
            html.ul(html.li(html.a({"href": "#name"}, WRONG))),
        )
        if failed
        else ()
    )
    return html.main(
        {"id": "main", "tabindex": "-1", "class": "page narrow"},
        summary,
        html.h1("Sign in to Switchboard"),
        html.form(
            {"method": "post", "action": "/sign-in", "novalidate": True},
            html.input({"type": "hidden", "name": "csrf_token", "value": csrf_token}),
            html.div(
                {"class": "field"},
                html.label({"for": "name"}, "Name"),
                html.p({"class": "error", "id": "name-error"}, html.span({"class": "unseen"}, "Error: "), WRONG)
                if failed
                else (),
                html.input(
                    {
                        "id": "name",
                        "name": "name",
                        "type": "text",
                        "value": name,
                        "autocomplete": "username",
                        "autocapitalize": "none",
                        "spellcheck": "false",
                        "autofocus": not failed,
                        "aria-invalid": "true" if failed else None,
                        "aria-describedby": "name-error" if failed else None,
                    }
                ),
            ),
            html.div(
                {"class": "field"},
                html.label({"for": "password"}, "Password"),
                html.input(
                    {
                        "id": "password",
                        "name": "password",
                        "type": "password",
                        "autocomplete": "current-password",
                        "aria-invalid": "true" if failed else None,
                        "aria-describedby": "name-error" if failed else None,
                    }
                ),
            ),
            html.button({"type": "submit", "class": "main-action"}, "Sign in"),
        ),
    )


@component
def sign_out_form(human: str, csrf_token: str) -> Any:
    return html.main(
        {"id": "main", "tabindex": "-1", "class": "page narrow"},
        html.h1("Sign out"),
        html.p(f"You are signed in as {human}."),
        html.form(
            {"method": "post", "action": "/sign-out"},
            html.input({"type": "hidden", "name": "csrf_token", "value": csrf_token}),
            html.button({"type": "submit", "class": "main-action"}, "Sign out"),
        ),
        html.p(html.a({"href": "/board"}, "Back to the board")),
    )
