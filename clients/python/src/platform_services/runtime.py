"""
Two ways to wait: in threads and in asyncio.

Everything above this module is written once, as coroutines. `Client` runs them with `run` and the runtime of `threads`, whose
coroutines block and never suspend. `AsyncClient` awaits them, with the runtime of `tasks`.
"""

from __future__ import annotations

import typing

from .errors import Head

T = typing.TypeVar("T")
OnSent = typing.Callable[[int], None]


def run(coroutine: "typing.Coroutine[typing.Any, typing.Any, T]") -> T:
    """Returns the result of a coroutine that blocks instead of suspending."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return typing.cast(T, end.value)
    coroutine.close()
    raise TypeError("Client calls functions that return a value, not awaitables: use AsyncClient")


class Answer(typing.Protocol):
    """A response whose content is read in chunks."""

    head: Head

    async def read(self) -> bytes:
        """Returns at least one byte, or nothing at the end."""
        ...

    async def refusal(self) -> bytes: ...

    def stop(self) -> None:
        """Breaks the connection: a reading thread or task wakes up."""
        ...

    def close(self) -> None: ...


class Socket(typing.Protocol):
    """An open WebSocket or event stream."""

    @property
    def heard(self) -> float:
        """Time of the last received bytes, by time.monotonic()."""
        ...

    async def receive(self, timeout: float) -> typing.Optional[str]: ...

    async def send(self, text: str) -> None: ...

    def close(self, code: int = 1000) -> None: ...

    def release(self) -> None: ...


class Changes(typing.Protocol):
    """Guards a state while it is entered, and wakes those that wait for it to change."""

    def __enter__(self) -> object: ...

    def __exit__(self, *error: object) -> None: ...

    def notify(self) -> None: ...

    async def wait_for(self, predicate: typing.Callable[[], bool], timeout: typing.Optional[float] = None) -> bool: ...


class Running(typing.Protocol):
    """A coroutine that runs beside its caller."""

    def is_current(self) -> bool: ...

    async def join(self, timeout: typing.Optional[float] = None) -> None: ...


class Group(typing.Protocol):
    """Coroutines that run concurrently; the first error ends all."""

    def is_over(self) -> bool:
        """Returns whether one failed."""
        ...

    async def sleep(self, seconds: float) -> None: ...

    async def add(self, function: "typing.Callable[[], typing.Coroutine[typing.Any, typing.Any, None]]") -> None:
        """Starts one, after waiting for another to end while as many run as may. Raises the error of one that failed."""
        ...

    async def join(self) -> None: ...

    async def stop(self) -> None:
        """Ends all that run."""
        ...


class Runtime(typing.Protocol):
    def at(self, url: str) -> "Runtime":
        """Returns a runtime for another server."""
        ...

    def close(self) -> None:
        """Closes the connections to the server that are kept for reuse."""
        ...

    async def sleep(self, seconds: float) -> None: ...

    async def local(self, function: typing.Callable[[], T]) -> T:
        """Calls a function that reads a disk, or the source of a caller."""
        ...

    async def post(
        self, path: str, body: bytes, headers: typing.Dict[str, str], timeout: float
    ) -> typing.Tuple[Head, bytes]:
        """Sends a request to the server of the client and reads the response, both within a time limit."""
        ...

    async def put(
        self,
        url: str,
        chunks: typing.AsyncIterator[bytes],
        size: int,
        headers: typing.Mapping[str, str],
        on_sent: typing.Optional[OnSent],
    ) -> str:
        """Sends bytes with a content length, stops as soon as the server refuses, and returns the ETag of the response."""
        ...

    async def get(self, url: str, position: int, headers: typing.Mapping[str, str] = {}) -> Answer: ...

    async def open_socket(self, url: str, timeout: float) -> Socket: ...

    def changes(self) -> Changes: ...

    def start(
        self, function: "typing.Callable[[], typing.Coroutine[typing.Any, typing.Any, None]]", name: str
    ) -> Running: ...

    def group(self, parallel: int) -> Group: ...
