from tests.support.fixtures import clock, sql, world
from tests.support.properties import use_profile

__all__ = ["clock", "sql", "world"]

use_profile()
