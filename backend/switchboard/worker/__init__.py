"""A worker in ten lines.

worker = Worker("http://127.0.0.1:8080", "sbk_...", concurrency=4)

@worker.handle
async def work(todo):                 # a dict, as the API gives it
    return {"did": todo["title"]}     # the result; raising fails the todo

asyncio.run(worker.run())             # until SIGTERM or Ctrl-C, which finish what was begun
"""

from .client import Refused, WorkerApi
from .worker import Worker

__all__ = ["Refused", "Worker", "WorkerApi"]
