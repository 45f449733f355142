"""Sends the parts of an upload, several concurrently."""

from __future__ import annotations

import functools
import threading
import typing

from .runtime import Group, OnSent, Runtime
from .source import Piece

_MIB = 1024 * 1024
_LEAST_PART_BYTES = 5 * _MIB
_MOST_PART_BYTES = 5 * 1024 * _MIB
_MOST_PARTS = 10_000
PART_BYTES = 16 * _MIB


def part_size(wish: int, content_bytes: int = 0) -> int:
    """Returns the part size for content of known or unknown size."""
    if not _LEAST_PART_BYTES <= wish <= _MOST_PART_BYTES:
        raise ValueError("part_bytes must be from 5 MiB to 5 GiB")
    return max(int(wish), -(-content_bytes // _MOST_PARTS))


class _Ended(Exception):
    """Another part failed."""


class _Count:
    """Sums the bytes sent by all parts, in one call after another; raises in all of them once one failed."""

    def __init__(
        self,
        total: typing.Optional[int],
        on_progress: typing.Optional[typing.Callable[[int, typing.Optional[int]], None]],
        group: Group,
    ) -> None:
        self._total = total
        self._on_progress = on_progress
        self._group = group
        self._lock = threading.Lock()
        self._done = 0

    def add(self, count: int) -> None:
        with self._lock:
            if self._group.is_over():
                raise _Ended()
            self._done += count
            if self._on_progress and count:
                self._on_progress(self._done, self._total)


# Sends a part, reports its sent bytes, and pauses between attempts; returns the ETag.
Send = typing.Callable[
    [Piece, OnSent, typing.Callable[[float], typing.Awaitable[None]]], typing.Coroutine[typing.Any, typing.Any, str]
]


async def upload_parts(
    runtime: Runtime,
    pieces: typing.AsyncIterator[Piece],
    arrived: typing.Mapping[int, typing.Tuple[str, typing.Optional[float]]],
    send: Send,
    parallel: int,
    total: typing.Optional[int],
    on_progress: typing.Optional[typing.Callable[[int, typing.Optional[int]], None]],
) -> typing.Dict[int, str]:
    """
    Sends missing parts, and returns the ETag of each by its number. After a failure no part is being sent, and sent parts stay on
    the server.
    """
    etags: typing.Dict[int, str] = {}
    group = runtime.group(parallel)
    count = _Count(total, on_progress, group)

    async def send_one(piece: Piece) -> None:
        before = 0

        def on_sent(sent: int) -> None:
            nonlocal before
            count.add(sent - before)
            before = sent

        etags[piece.number] = await send(piece, on_sent, group.sleep)

    try:
        async for piece in pieces:
            etag, size = arrived.get(piece.number, (None, None))
            if etag and (size is None or size == piece.size):
                etags[piece.number] = etag
                count.add(piece.size)
                continue
            await group.add(functools.partial(send_one, piece))
        await group.join()
    except BaseException:
        await group.stop()
        raise
    return etags
