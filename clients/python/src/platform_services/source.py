"""Content to upload, read in chunks and never as a whole."""

from __future__ import annotations

import hashlib
import inspect
import os
import typing

from .http import CHUNK
from .kinds import is_binary
from .runtime import Runtime

# Path of a file, bytes, or a stream of bytes of any length: an open file, or any iterable of bytes.
Source = typing.Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, typing.BinaryIO, typing.Iterable[bytes]]


class AsyncFile(typing.Protocol):
    """A file of an asynchronous framework, such as an UploadFile of FastAPI."""

    async def read(self, size: int = -1, /) -> bytes: ...


AsyncSource = typing.Union[Source, AsyncFile, typing.AsyncIterable[bytes]]


class Content:
    """Content of known size that can be read again, from any position and by several threads."""

    def __init__(self, size: int, name: typing.Optional[str], read: typing.Callable[[int, int], typing.Iterator[bytes]]) -> None:
        self.size = size
        self.name = name
        # Yields the bytes between two positions.
        self.read = read

    def sha256(self) -> str:
        digest = hashlib.sha256()
        for chunk in self.read(0, self.size):
            digest.update(chunk)
        return digest.hexdigest()


class Piece(typing.NamedTuple):
    """A part to send."""

    number: int
    size: int
    read: typing.Callable[[], typing.Iterator[bytes]]


def content_of(source: AsyncSource) -> typing.Optional[Content]:
    """Returns content of known size, or None for a stream."""
    if isinstance(source, (str, os.PathLike)):
        return _file(os.fspath(source))
    if is_binary(source):
        return _memory(source)
    if any(hasattr(source, name) for name in ("read", "__iter__", "__aiter__")):
        return None
    raise TypeError("source must be the path of a file, bytes, an open file, or an iterable of bytes")


def _file(path: str) -> Content:
    if not os.path.isfile(path):
        os.stat(path)  # raises the error of an unreadable file
        raise ValueError(f"{path} is not a file")

    def read(begin: int, end: int) -> typing.Iterator[bytes]:
        with open(path, "rb") as file:
            file.seek(begin)
            while begin < end:
                chunk = file.read(min(CHUNK, end - begin))
                if not chunk:
                    return
                begin += len(chunk)
                yield chunk

    return Content(os.path.getsize(path), os.path.basename(path), read)


def _memory(source: typing.Union[bytes, bytearray, memoryview]) -> Content:
    view = memoryview(bytes(source) if isinstance(source, bytearray) else source).cast("B")

    def read(begin: int, end: int) -> typing.Iterator[bytes]:
        for at in range(begin, end, CHUNK):
            yield bytes(view[at : min(at + CHUNK, end)])

    return Content(len(view), None, read)


async def pieces_of(content: Content, part_bytes: int) -> typing.AsyncIterator[Piece]:
    """Splits content of known size. Empty content is one empty part."""
    for number, begin in enumerate(range(0, max(content.size, 1), part_bytes), 1):
        end = min(begin + part_bytes, content.size)
        yield _piece_of(content, number, begin, end)


def _piece_of(content: Content, number: int, begin: int, end: int) -> Piece:
    return Piece(number, end - begin, lambda: content.read(begin, end))


async def pieces_of_stream(runtime: Runtime, source: typing.Any, part_bytes: int) -> typing.AsyncIterator[Piece]:
    """Splits a stream into parts in memory, each of which can be resent. An empty stream is one empty part."""
    waiting = bytearray()
    number = 1
    async for chunk in chunks_of(runtime, source):
        view = memoryview(chunk).cast("B")
        while len(waiting) + len(view) > part_bytes:
            room = part_bytes - len(waiting)
            waiting += view[:room]
            view = view[room:]
            yield _piece_in_memory(number, bytes(waiting))
            number += 1
            waiting = bytearray()
        waiting += view
    if waiting or number == 1:
        yield _piece_in_memory(number, bytes(waiting))


def _piece_in_memory(number: int, part: bytes) -> Piece:
    return _piece_of(_memory(part), number, 0, len(part))


async def chunks_of(runtime: Runtime, source: typing.Any) -> typing.AsyncIterator[bytes]:
    """Yields the content of a file or of an iterable."""
    if hasattr(source, "__aiter__") and not hasattr(source, "read"):
        async for chunk in source:
            yield chunk
        return
    if hasattr(source, "read"):
        read: typing.Callable[[], typing.Any] = lambda: source.read(CHUNK)
    else:
        iterator = iter(source)
        read = lambda: next(iterator, None)
    while True:
        chunk = await runtime.local(read)
        if inspect.isawaitable(chunk):
            chunk = await chunk
        if isinstance(chunk, str):
            raise TypeError("The file is open as text: open it with 'rb'")
        if chunk is None or (not chunk and hasattr(source, "read")):
            return
        yield chunk
