from tests.support.fixtures import clock, sql, world

__all__ = ["clock", "sql", "world"]
