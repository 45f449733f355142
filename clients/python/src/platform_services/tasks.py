"""The runtime of `AsyncClient`: tasks of asyncio, HTTP/1.1 and WebSockets over its streams."""

from __future__ import annotations

import asyncio
import ssl
import time
import typing

from .errors import Head
from .runtime import OnSent, T
from .streams import StreamAnswer, StreamPool, StreamSocket, put

Function = typing.Callable[[], typing.Coroutine[typing.Any, typing.Any, None]]


class TaskChanges:
    """Needs no lock: tasks change only where they await."""

    def __init__(self) -> None:
        self._waiters: typing.List["asyncio.Future[None]"] = []

    def __enter__(self) -> object:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def notify(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def wait_for(self, predicate: typing.Callable[[], bool], timeout: typing.Optional[float] = None) -> bool:
        end = None if timeout is None else time.monotonic() + timeout
        while not predicate():
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return False
            waiter: "asyncio.Future[None]" = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await asyncio.wait([waiter], timeout=left)
            if not waiter.done():
                self._waiters.remove(waiter)
        return True


class RunningTask:
    def __init__(self, function: Function) -> None:
        self._task = asyncio.get_running_loop().create_task(function())

    def is_current(self) -> bool:
        return asyncio.current_task() is self._task

    async def join(self, timeout: typing.Optional[float] = None) -> None:
        await asyncio.wait([self._task], timeout=timeout)


class TaskGroup:
    def __init__(self, parallel: int) -> None:
        self._parallel = parallel
        self._running: typing.Set["asyncio.Task[None]"] = set()
        self._is_over = False

    def is_over(self) -> bool:
        return self._is_over

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def add(self, function: Function) -> None:
        self._running.add(asyncio.get_running_loop().create_task(function()))
        if len(self._running) >= self._parallel:
            await self._settle()

    async def join(self) -> None:
        while self._running:
            await self._settle()

    async def stop(self) -> None:
        self._is_over = True
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _settle(self) -> None:
        done, _ = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        self._running -= done
        for task in done:
            task.result()


class Tasks:
    def __init__(self, context: typing.Optional[ssl.SSLContext], url: str = "") -> None:
        self._context = context
        self.pool = StreamPool(url, context)

    def at(self, url: str) -> "Tasks":
        return Tasks(self._context, url)

    def close(self) -> None:
        self.pool.close()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def local(self, function: typing.Callable[[], T]) -> T:
        # Files have no asynchronous reads.
        return await asyncio.to_thread(function)

    async def post(
        self, path: str, body: bytes, headers: typing.Dict[str, str], timeout: float
    ) -> typing.Tuple[Head, bytes]:
        return await self.pool.post(path, body, headers, timeout)

    async def put(
        self,
        url: str,
        chunks: typing.AsyncIterator[bytes],
        size: int,
        headers: typing.Mapping[str, str],
        on_sent: typing.Optional[OnSent],
    ) -> str:
        return await put(url, chunks, size, context=self._context, headers=headers, on_sent=on_sent)

    async def get(self, url: str, position: int, headers: typing.Mapping[str, str] = {}) -> StreamAnswer:
        return await StreamAnswer.open(url, position, self._context, headers)

    async def open_socket(self, url: str, timeout: float) -> StreamSocket:
        return await StreamSocket.open(url, timeout, self._context)

    def changes(self) -> TaskChanges:
        return TaskChanges()

    def start(self, function: Function, name: str) -> RunningTask:
        return RunningTask(function)

    def group(self, parallel: int) -> TaskGroup:
        return TaskGroup(parallel)
