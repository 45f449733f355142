"""Sends the parts of an upload, several concurrently."""

from __future__ import annotations

import threading
import typing
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

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
        self, total: typing.Optional[int], on_progress: typing.Optional[typing.Callable[[int, typing.Optional[int]], None]]
    ) -> None:
        self._total = total
        self._on_progress = on_progress
        self._lock = threading.Lock()
        self._done = 0
        # Set once a part failed: it wakes those that pause before another attempt.
        self.failed = threading.Event()

    def add(self, count: int) -> None:
        with self._lock:
            if self.failed.is_set():
                raise _Ended()
            self._done += count
            if self._on_progress and count:
                self._on_progress(self._done, self._total)


# Sends a part, reports its sent bytes, and pauses between attempts; returns the ETag.
Send = typing.Callable[[Piece, typing.Callable[[int], None], typing.Callable[[float], typing.Any]], str]


def upload_parts(
    pieces: typing.Iterator[Piece],
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
    count = _Count(total, on_progress)

    def run(piece: Piece) -> None:
        before = 0

        def on_sent(sent: int) -> None:
            nonlocal before
            count.add(sent - before)
            before = sent

        etags[piece.number] = send(piece, on_sent, count.failed.wait)

    running: typing.Set["Future[None]"] = set()
    with ThreadPoolExecutor(parallel, "platform-services-part") as threads:
        try:
            for piece in pieces:
                etag, size = arrived.get(piece.number, (None, None))
                if etag and (size is None or size == piece.size):
                    etags[piece.number] = etag
                    count.add(piece.size)
                    continue
                running.add(threads.submit(run, piece))
                if len(running) >= parallel:
                    running = _settled(running)
            while running:
                running = _settled(running)
        except BaseException:
            count.failed.set()
            raise
    return etags


def _settled(running: "typing.Set[Future[None]]") -> "typing.Set[Future[None]]":
    """Waits for a part, and returns those still being sent. Raises the error of a failed one."""
    done, rest = wait(running, return_when=FIRST_COMPLETED)
    for one in done:
        one.result()
    return rest
