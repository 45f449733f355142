"""The runtime of `Client`: coroutines that block, concurrently in threads."""

from __future__ import annotations

import ssl
import threading
import time
import typing
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from .errors import Head
from .http import Opened, Pool, put
from .runtime import OnSent, T, run
from .websocket import WebSocket

Function = typing.Callable[[], typing.Coroutine[typing.Any, typing.Any, None]]


class BlockingSocket:
    def __init__(self, url: str, timeout: float, context: typing.Optional[ssl.SSLContext]) -> None:
        self._socket = WebSocket(url, timeout, context)
        self.close = self._socket.close
        self.release = self._socket.release

    @property
    def heard(self) -> float:
        return self._socket.heard

    async def receive(self, timeout: float) -> typing.Optional[str]:
        return self._socket.receive(timeout)

    async def send(self, text: str) -> None:
        self._socket.send(text)


class BlockingAnswer:
    def __init__(
        self, url: str, position: int, context: typing.Optional[ssl.SSLContext], headers: typing.Mapping[str, str]
    ) -> None:
        self._answer = Opened(url, position, context, headers)
        self.head = self._answer.head
        self.stop = self._answer.stop
        self.close = self._answer.close

    async def read(self) -> bytes:
        return self._answer.read()

    async def refusal(self) -> bytes:
        return self._answer.refusal()


class ThreadChanges:
    def __init__(self) -> None:
        self._condition = threading.Condition()

    def __enter__(self) -> object:
        return self._condition.acquire()

    def __exit__(self, *error: object) -> None:
        self._condition.release()

    def notify(self) -> None:
        self._condition.notify_all()

    async def wait_for(self, predicate: typing.Callable[[], bool], timeout: typing.Optional[float] = None) -> bool:
        return self._condition.wait_for(predicate, timeout)


class RunningThread:
    def __init__(self, function: Function, name: str) -> None:
        self._thread = threading.Thread(target=lambda: run(function()), name=name, daemon=True)
        self._thread.start()

    def is_current(self) -> bool:
        return threading.current_thread() is self._thread

    async def join(self, timeout: typing.Optional[float] = None) -> None:
        self._thread.join(timeout)


class ThreadGroup:
    def __init__(self, parallel: int) -> None:
        self._parallel = parallel
        self._threads = ThreadPoolExecutor(parallel, "platform-services-part")
        self._running: typing.Set["Future[None]"] = set()
        # Wakes those that pause before another attempt.
        self._failed = threading.Event()

    def is_over(self) -> bool:
        return self._failed.is_set()

    async def sleep(self, seconds: float) -> None:
        self._failed.wait(seconds)

    async def add(self, function: Function) -> None:
        self._running.add(self._threads.submit(lambda: run(function())))
        if len(self._running) >= self._parallel:
            self._settle()

    async def join(self) -> None:
        while self._running:
            self._settle()
        self._threads.shutdown()

    async def stop(self) -> None:
        self._failed.set()
        self._threads.shutdown()

    def _settle(self) -> None:
        done, self._running = wait(self._running, return_when=FIRST_COMPLETED)
        for one in done:
            one.result()


class Threads:
    def __init__(self, context: typing.Optional[ssl.SSLContext], url: str = "") -> None:
        self._context = context
        self.pool = Pool(url, context)

    def at(self, url: str) -> "Threads":
        return Threads(self._context, url)

    def close(self) -> None:
        self.pool.close()

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def local(self, function: typing.Callable[[], T]) -> T:
        return function()

    async def post(
        self, path: str, body: bytes, headers: typing.Dict[str, str], timeout: float
    ) -> typing.Tuple[Head, bytes]:
        return self.pool.post(path, body, headers, timeout)

    async def put(
        self,
        url: str,
        chunks: typing.AsyncIterator[bytes],
        size: int,
        headers: typing.Mapping[str, str],
        on_sent: typing.Optional[OnSent],
    ) -> str:
        return await put(url, chunks, size, context=self._context, headers=headers, on_sent=on_sent)

    async def get(self, url: str, position: int, headers: typing.Mapping[str, str] = {}) -> BlockingAnswer:
        return BlockingAnswer(url, position, self._context, headers)

    async def open_socket(self, url: str, timeout: float) -> BlockingSocket:
        return BlockingSocket(url, timeout, self._context)

    def changes(self) -> ThreadChanges:
        return ThreadChanges()

    def start(self, function: Function, name: str) -> RunningThread:
        return RunningThread(function, name)

    def group(self, parallel: int) -> ThreadGroup:
        return ThreadGroup(parallel)
