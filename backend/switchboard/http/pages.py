"""The pages: the data-free shell of the in-tab page, and the pages that work without JavaScript (D2).

With html_pages and dev_pages the one place where the server meets switchboard_ui.
"""

from __future__ import annotations

import hmac
import secrets

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from switchboard.service.read_budget import ReadDeadline, whole_read
from switchboard.service.services import Services
from switchboard_ui.core.places import PAGES, place_of
from switchboard_ui.shell import page_shell, plain_board, sign_in_page, sign_out_page
from switchboard_wire.envelope import JobsQuery
from switchboard_wire.errors import ErrorCode, SwitchboardError
from switchboard_wire.job_filter import JobFilter, JobPage
from switchboard_wire.reads import JobsPage, QueuesPage
from switchboard_wire.todo import TodoState

from .authentication import SESSION_COOKIE, BrowserSession, browser_session
from .forms import read_form
from .html_pages import NO_STORE, HtmlPages

FORM_COOKIE = "switchboard_form"
# The shell holds no data, and a page that may not be stored is not kept for Back (D2).
NO_CACHE = {"cache-control": "no-cache"}


def page_routes(
    services: Services, pages: HtmlPages, boot: str | None, public_origins: tuple[str, ...], *, secure_cookies: bool
) -> list[Route]:
    """`boot` is the address of the runtime's boot script, None while there is no runtime."""

    async def home(_: Request) -> Response:
        return RedirectResponse("/board", 303)

    async def shell(request: Request) -> Response:
        place = place_of(request.url.path)
        if place is None:  # the id of no row
            raise SwitchboardError(ErrorCode.NOT_FOUND, "There is nothing at this address.")
        if await browser_session(request, services.callers) is None:
            return RedirectResponse("/sign-in", 303, NO_STORE)
        return await pages.answer(page_shell(place, boot), headers=NO_CACHE)

    async def without_javascript(request: Request) -> Response:
        session = await browser_session(request, services.callers)
        if session is None:
            return RedirectResponse("/sign-in", 303, NO_STORE)
        waiting = JobsQuery(JobFilter(states=(TodoState.PENDING,)), JobPage(limit=200))

        async def both(deadline: ReadDeadline) -> tuple[QueuesPage, JobsPage]:
            queues = await services.board.queues(session.human, deadline)
            return queues, await services.board.jobs(session.human, waiting, deadline)

        async with whole_read(services.reads.limits) as deadline:
            observed = await services.reads.uncached(both, deadline)
        return await pages.answer(plain_board(*observed.value, observed.observed_at))

    async def sign_in_form(request: Request) -> Response:
        if await browser_session(request, services.callers) is not None:
            return RedirectResponse("/board", 303, NO_STORE)
        return await _sign_in(request, failed=False)

    async def _sign_in(request: Request, *, failed: bool, name: str = "") -> Response:
        token = request.cookies.get(FORM_COOKIE) or secrets.token_urlsafe()
        page = await pages.answer(sign_in_page(token, name=name, failed=failed), 401 if failed else 200)
        _set_cookie(page, FORM_COOKIE, token)
        return page

    async def sign_in(request: Request) -> Response:
        form = await read_form(request)
        _check_token(request, form, request.cookies.get(FORM_COOKIE))
        name = form.get("name", "").strip()
        token = await services.accounts.sign_in(name, form.get("password", ""))
        if token is None:
            return await _sign_in(request, failed=True, name=name)
        answer = RedirectResponse("/board", 303, NO_STORE)
        _set_cookie(answer, SESSION_COOKIE, token)
        answer.delete_cookie(FORM_COOKIE, path="/")
        return answer

    async def sign_out_form(request: Request) -> Response:
        session = await browser_session(request, services.callers)
        if session is None:
            return RedirectResponse("/sign-in", 303, NO_STORE)
        return await pages.answer(sign_out_page(session.human.name, session.csrf_token))

    async def sign_out(request: Request) -> Response:
        session: BrowserSession | None = await browser_session(request, services.callers)
        form = await read_form(request)
        if session is not None:
            _check_token(request, form, session.csrf_token)
            await services.accounts.sign_out(session.token)
        answer = RedirectResponse("/sign-in", 303, NO_STORE)
        answer.delete_cookie(SESSION_COOKIE, path="/")
        return answer

    def _check_token(request: Request, form: dict[str, str], expected: str | None) -> None:
        origin = request.headers.get("origin")
        sent = form.get("csrf_token", "")
        if (origin is not None and origin not in public_origins) or not (
            expected and hmac.compare_digest(sent.encode(), expected.encode())
        ):
            raise SwitchboardError(
                ErrorCode.FORBIDDEN, "This form is too old or came from elsewhere. Open the page again and repeat."
            )

    def _set_cookie(answer: Response, name: str, value: str) -> None:
        answer.set_cookie(name, value, path="/", secure=secure_cookies, httponly=True, samesite="lax")

    return [
        Route("/", home, methods=["GET"]),
        *(Route(page.path, shell, methods=["GET"], name=f"page.{page.name}") for page in PAGES.values()),
        Route("/plain/board", without_javascript, methods=["GET"]),
        Route("/sign-in", sign_in_form, methods=["GET"]),
        Route("/sign-in", sign_in, methods=["POST"]),
        Route("/sign-out", sign_out_form, methods=["GET"]),
        Route("/sign-out", sign_out, methods=["POST"]),
    ]
