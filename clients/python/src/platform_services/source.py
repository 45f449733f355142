"""Content to upload, read in chunks and never as a whole."""

from __future__ import annotations

import hashlib
import os
import typing

from .http import CHUNK

# Path of a file, bytes, or a stream of bytes of any length: an open file, or any iterable of bytes.
Source = typing.Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, typing.BinaryIO, typing.Iterable[bytes]]


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


def content_of(source: Source) -> typing.Optional[Content]:
    """Returns content of known size, or None for a stream."""
    if isinstance(source, (str, os.PathLike)):
        return _file(os.fspath(source))
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _memory(bytes(source) if isinstance(source, bytearray) else source)
    if hasattr(source, "read") or hasattr(source, "__iter__"):
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


def _memory(source: typing.Union[bytes, memoryview]) -> Content:
    view = memoryview(source).cast("B")

    def read(begin: int, end: int) -> typing.Iterator[bytes]:
        for at in range(begin, end, CHUNK):
            yield bytes(view[at : min(at + CHUNK, end)])

    return Content(len(view), None, read)


def pieces_of(content: Content, part_bytes: int) -> typing.Iterator[Piece]:
    """Splits content of known size. Empty content is one empty part."""
    for number, begin in enumerate(range(0, max(content.size, 1), part_bytes), 1):
        end = min(begin + part_bytes, content.size)
        yield Piece(number, end - begin, lambda begin=begin, end=end: content.read(begin, end))  # type: ignore[misc]


def pieces_of_stream(source: typing.Any, part_bytes: int) -> typing.Iterator[Piece]:
    """Splits a stream into parts in memory, each of which can be resent. An empty stream is one empty part."""
    waiting = bytearray()
    number = 1
    for chunk in _chunks_of(source):
        view = memoryview(chunk).cast("B")
        while len(waiting) + len(view) > part_bytes:
            room = part_bytes - len(waiting)
            waiting += view[:room]
            view = view[room:]
            yield _piece(number, bytes(waiting))
            number += 1
            waiting = bytearray()
        waiting += view
    if waiting or number == 1:
        yield _piece(number, bytes(waiting))


def _piece(number: int, part: bytes) -> Piece:
    content = _memory(part)
    return Piece(number, len(part), lambda: content.read(0, len(part)))


def _chunks_of(source: typing.Any) -> typing.Iterator[bytes]:
    if not hasattr(source, "read"):
        yield from source
        return
    while True:
        chunk = source.read(CHUNK)
        if isinstance(chunk, str):
            raise TypeError("The file is open as text: open it with 'rb'")
        if not chunk:
            return
        yield chunk
