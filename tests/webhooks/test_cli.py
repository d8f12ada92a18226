"""The `switchboard webhook` commands, as an operator types them."""

from __future__ import annotations

import asyncio
import json
import re

from click.testing import Result
from typer.testing import CliRunner

from switchboard.main import cli

from . import senders
from .site import Hook, Site


async def switchboard(site: Site, *arguments: str, stdin: str = "") -> Result:
    """One command in a thread, since it starts an event loop of its own."""
    environment = {"SWITCHBOARD_DATABASE_URL": site.database_url}
    return await asyncio.to_thread(CliRunner().invoke, cli, ["webhook", *arguments], input=stdin, env=environment)


async def ran(site: Site, *arguments: str, stdin: str = "") -> str:
    done = await switchboard(site, *arguments, stdin=stdin)
    assert done.exit_code == 0, done.stderr
    return done.stdout


async def test_a_webhooks_life(site: Site) -> None:
    mine, friend = await site.endpoint(), await site.endpoint()
    name = site.name("deploys")
    targets = (f"--target={mine.slug}:inbox", f"--target={friend.slug}:inbox")
    add = ("add", name, "--human", mine.owner.name, *targets, "--trust", "signed", "--scheme", "github")

    refused = await switchboard(site, *add)
    assert refused.exit_code == 1
    assert refused.stderr.startswith("targets[1]: ")
    accept = ("--human", friend.owner.name, "--target", f"{friend.slug}:inbox")
    await ran(site, "accept", mine.owner.name, *accept)
    printed = re.fullmatch(r"Path:   /webhooks/w/(sbw_\S{43})\nSecret: (\S+)\n", await ran(site, *add))
    assert printed is not None
    hook = Hook(name, printed[1], printed[2])
    answer = await site.deliver(hook, b"{}", senders.github(hook.secret, b"{}"))
    assert (answer.status_code, answer.json()["todos"]) == (202, 2)

    theirs = "a secret that the sender made"
    assert theirs not in await ran(site, "secret", name, "--from", "-", stdin=theirs + "\n")
    answer = await site.deliver(hook, b"1", senders.github(theirs, b"1", delivery="another"))
    assert answer.status_code == 202

    await ran(site, "withdraw", mine.owner.name, *accept)
    listed = await ran(site, "list")
    assert f"{friend.slug}:inbox (not_accepted)" in listed
    (shown,) = [one for one in json.loads(await ran(site, "list", "--json")) if one["name"] == name]
    assert (shown["verification"], shown["state"], shown["human"]) == ("github", "active", mine.owner.name)
    assert [(one["endpoint"], one["queue"], one["state"]) for one in shown["targets"]] == [
        (mine.slug, "inbox", "active"),
        (friend.slug, "inbox", "not_accepted"),
    ]
    assert hook.token not in json.dumps(shown)
    assert theirs not in json.dumps(shown)

    assert await ran(site, "revoke", name) == f"Revoked {name}.\n"
    assert (await site.deliver(hook, b"2", senders.github(theirs, b"2"))).status_code == 404


async def test_token_trust_as_json(site: Site) -> None:
    mine = await site.endpoint()
    name = site.name("alerts")
    add = ("add", name, "--human", mine.owner.name, f"--target={mine.slug}:inbox", "--trust", "token")
    made = json.loads(await ran(site, *add, "--title", "An alert", "--kind", "alert", "--json"))
    assert (made["name"], made["secret"]) == (name, None)
    assert (await site.post(made["path"], content=b"disk full")).status_code == 202
    (todo,) = await site.todos(mine)
    assert (todo["title"], todo["kind"], todo["payload"]) == ("An alert", "alert", '"disk full"')


async def test_a_wrong_command_is_one_sentence(site: Site) -> None:
    mine = await site.endpoint()
    add = ("add", site.name("wrong"), "--human", mine.owner.name, f"--target={mine.slug}:inbox")
    for arguments, sentence in (
        ((*add, "--trust", "signed"), "scheme: Give --scheme standard or --scheme github.\n"),
        (
            (*add, "--trust", "token", "--scheme", "github"),
            "scheme: Nothing is signed under token trust; leave it out.\n",
        ),
        ((*add[:-1], "--target=nothing", "--trust", "token"), "target: Give endpoint:queue, not 'nothing'.\n"),
        (("revoke", "nothing"), "name: There is no active webhook named nothing.\n"),
        (("secret", "nothing", "--from", "/no/such/file"), "from: /no/such/file cannot be read as text.\n"),
    ):
        done = await switchboard(site, *arguments)
        assert (done.exit_code, done.stderr) == (1, sentence)
