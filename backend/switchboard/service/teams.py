"""Teams: members with roles, queues that several members' endpoints drain under one budget."""

from __future__ import annotations

import re
from enum import StrEnum

from switchboard.core.identity import Human
from switchboard.store import statements
from switchboard.store.database import Connection, Database
from switchboard_wire.errors import ErrorCode, SwitchboardError, invalid

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


class Role(StrEnum):
    """Admin and owner configure the team's queues; only an owner makes or unmakes admins and owners."""

    MEMBER = "member"
    ADMIN = "admin"
    OWNER = "owner"


class Teams:
    """Whoever is not of a team learns nothing of it: not_found."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, owner: Human, slug: str) -> None:
        """A new team with its first owner. Raises invalid_argument or conflict."""
        if not _SLUG.fullmatch(slug):
            raise invalid("slug", "Use 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen.")
        async with self._database.change() as connection:
            team_id = await statements.teams.add_team(connection, slug=slug)
            if team_id is None:
                raise SwitchboardError(ErrorCode.CONFLICT, f"There is a team {slug} already.", field="slug")
            await statements.teams.set_member(connection, team_id=team_id, human_id=owner.id, role=Role.OWNER.value)

    async def set_member(self, actor: Human, slug: str, member: Human, role: Role) -> None:
        """Adds the member or changes the role. Raises not_found, forbidden, or conflict for the last owner."""
        async with self._database.change() as connection:
            team_id, acting = await _team(connection, slug, actor)
            await statements.teams.lock_team(connection, team_id=team_id)
            before = await _role(connection, team_id, member)
            _require(acting, Role.ADMIN if {role, before} <= {Role.MEMBER, None} else Role.OWNER)
            if before is Role.OWNER and role is not Role.OWNER:
                await _keep_an_owner(connection, team_id)
            await statements.teams.set_member(connection, team_id=team_id, human_id=member.id, role=role.value)

    async def remove_member(self, actor: Human, slug: str, member: Human) -> int:
        """How many leases were released: the member's endpoints lose the team's queues and what they hold of them.

        No attempt is spent by it, no charge given back. Anybody may leave. Raises not_found, forbidden or conflict.
        """
        async with self._database.change() as connection:
            team_id, acting = await _team(connection, slug, actor)
            await statements.teams.lock_team(connection, team_id=team_id)
            role = await _role(connection, team_id, member)
            if role is None:
                raise SwitchboardError(ErrorCode.NOT_FOUND, f"{member.name} is not in this team.", field="member")
            if actor.id != member.id:
                _require(acting, Role.ADMIN if role is Role.MEMBER else Role.OWNER)
            if role is Role.OWNER:
                await _keep_an_owner(connection, team_id)
            await statements.teams.remove_member(connection, team_id=team_id, human_id=member.id)
            await statements.teams.withdraw_grants(connection, team_id=team_id, human_id=member.id)
        # After the grants are gone, so that nothing is claimed behind the release; leases lapse should this fail.
        async with self._database.change() as connection:
            row = await statements.teams.release_leases(connection, team_id=team_id, human_id=member.id)
        return int(row["released"])

    async def add_queue(self, actor: Human, slug: str, name: str) -> None:
        """A queue identity of the team. Raises not_found, forbidden or invalid_argument."""
        if not 1 <= len(name) <= 200 or not name.isprintable():
            raise invalid("name", "Give 1 to 200 printable characters.")
        async with self._database.change() as connection:
            team_id, acting = await _team(connection, slug, actor)
            _require(acting, Role.ADMIN)
            await statements.teams.add_team_queue(connection, team_id=team_id, name=name)

    async def grant(self, actor: Human, slug: str, name: str, endpoint: str) -> None:
        """Lets a member's or the team's own endpoint drain the queue. Raises not_found, forbidden or conflict."""
        async with self._database.change() as connection:
            team_id, acting = await _team(connection, slug, actor)
            _require(acting, Role.ADMIN)
            queue = await statements.teams.team_queue(connection, team_id=team_id, name=name)
            if queue is None:
                raise SwitchboardError(ErrorCode.NOT_FOUND, f"The team has no queue {name}.", field="queue")
            row = await statements.teams.endpoint_of_team(connection, slug=endpoint, team_id=team_id)
            if row is None:
                raise SwitchboardError(
                    ErrorCode.NOT_FOUND, f"There is no active endpoint {endpoint} of a member.", field="endpoint"
                )
            granted = await statements.endpoints.granted_queue(connection, endpoint_id=row["id"], name=name)
            if granted is not None and granted["queue_id"] != queue["id"]:
                raise SwitchboardError(
                    ErrorCode.CONFLICT,
                    f"The endpoint {endpoint} drains another queue named {name}; a worker asks by name.",
                    field="queue",
                )
            await statements.endpoints.grant_queue(connection, endpoint_id=row["id"], name=name, queue_id=queue["id"])

    async def members(self, actor: Human, slug: str) -> list[tuple[str, Role]]:
        """Name and role of each. Raises not_found."""
        async with self._database.session() as connection:
            team_id, _ = await _team(connection, slug, actor)
            rows = await statements.teams.members(connection, team_id=team_id)
        return [(row["name"], Role(row["role"])) for row in rows]


async def _team(connection: Connection, slug: str, actor: Human) -> tuple[int, Role]:
    team = await statements.teams.team_by_slug(connection, slug=slug)
    role = None if team is None else await _role(connection, team["id"], actor)
    if team is None or role is None:
        raise SwitchboardError(ErrorCode.NOT_FOUND, f"There is no team {slug} of yours.", field="team")
    return team["id"], role


async def _role(connection: Connection, team_id: int, human: Human) -> Role | None:
    row = await statements.teams.member(connection, team_id=team_id, human_id=human.id)
    return None if row is None else Role(row["role"])


def _require(acting: Role, least: Role) -> None:
    order = list(Role)
    if order.index(acting) < order.index(least):
        raise SwitchboardError(ErrorCode.FORBIDDEN, f"Only the team's role {least.value} may do this.")


async def _keep_an_owner(connection: Connection, team_id: int) -> None:
    if await statements.teams.count_owners(connection, team_id=team_id) <= 1:
        raise SwitchboardError(ErrorCode.CONFLICT, "A team keeps at least one owner.", field="member")
