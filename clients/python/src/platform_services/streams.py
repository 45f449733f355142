"""HTTP/1.1 and WebSockets over the streams of asyncio."""

from __future__ import annotations

import asyncio
import base64
import os
import ssl
import struct
import time
import typing
from urllib.parse import urlsplit

from .errors import ConnectionBrokenError, ContentMismatchError, Head, TimedOutError, error_of_answer
from .http import CHUNK, KEPT_CONNECTIONS, KEPT_SECONDS, MAX_REFUSAL, SILENCE, broken, path_of
from .runtime import OnSent, T
from .websocket import CLOSE, TEXT, Frames, WebSocketClosed, opening_bytes, opening_of

_MAX_HEAD = 64 * 1024
_FAULTS = (OSError, EOFError, asyncio.LimitOverrunError)


class _Unreadable(OSError):
    """A response that is not HTTP/1.1."""


class _Stream:
    """A connection to one server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.loop = asyncio.get_running_loop()
        self.kept_since = 0.0
        self.process = os.getpid()

    @classmethod
    async def open(
        cls, url: str, context: typing.Optional[ssl.SSLContext], *, is_secure: bool, timeout: float = SILENCE
    ) -> "_Stream":
        """Opens a connection. An error here means that nothing was sent."""
        parts = urlsplit(url)
        secured = (context or ssl.create_default_context()) if is_secure else None
        opening = asyncio.open_connection(
            parts.hostname, parts.port or (443 if is_secure else 80), ssl=secured, limit=_MAX_HEAD
        )
        try:
            return cls(*await asyncio.wait_for(opening, timeout))
        except asyncio.TimeoutError as error:
            raise TimedOutError("The connection could not be opened in time", may_have_happened=False) from error
        except OSError as error:
            raise ConnectionBrokenError(f"The connection could not be opened: {error}", may_have_happened=False) from error

    def can_be_used(self) -> bool:
        """Returns whether the other side has not closed it meanwhile, as far as visible."""
        if self.process != os.getpid() or self.loop is not asyncio.get_running_loop():
            return False
        return time.monotonic() - self.kept_since <= KEPT_SECONDS and not self.reader.at_eof()

    def write_head(self, method: str, url: str, headers: typing.Mapping[str, str]) -> None:
        host = urlsplit(url).netloc.rpartition("@")[2]
        lines = [f"{method} {path_of(url)} HTTP/1.1", f"Host: {host}", "Accept-Encoding: identity"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if any("\r" in line or "\n" in line for line in lines):
            raise ValueError("A header has no line breaks")
        self.writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))

    async def read_head(self) -> Head:
        while True:
            try:
                status, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                code = int(status.split(" ")[1])
            except (ValueError, IndexError) as error:
                raise _Unreadable("the response is not HTTP") from error
            if code >= 200:
                pairs = (line.partition(":") for line in lines if line)
                return Head(code, {name.strip().lower(): value.strip() for name, _, value in pairs})

    def close(self) -> None:
        # A loop that has ended closed its connections.
        if not self.loop.is_closed():
            self.writer.transport.abort()


class _Body:
    """The content of a response, whichever way its end is marked."""

    def __init__(self, reader: asyncio.StreamReader, head: Head) -> None:
        self._reader = reader
        self._is_chunked = head.headers.get("transfer-encoding", "").lower() == "chunked"
        length = head.headers.get("content-length", "")
        # Bytes left of the content, or of its chunk; None if it ends with the connection.
        self._left: typing.Optional[int] = 0 if self._is_chunked else int(length) if length.isdecimal() else None
        self._is_at_end = head.status in (204, 304)
        is_last = head.headers.get("connection", "").lower() == "close" or (self._left is None and not self._is_at_end)
        # Whether the connection can be used again, once all is read.
        self.keeps_open = not is_last

    async def read(self, most: int) -> bytes:
        """Returns at least one byte, or nothing at the end."""
        if self._is_chunked and self._left == 0 and not self._is_at_end:
            await self._begin_chunk()
        if self._is_at_end or self._left == 0:
            return b""
        data = await self._reader.read(most if self._left is None else min(most, self._left))
        if self._left is not None:
            if not data:
                raise _Unreadable("it ended before the content did")
            self._left -= len(data)
            if self._is_chunked and self._left == 0:
                await self._reader.readexactly(2)
        return data

    async def _begin_chunk(self) -> None:
        line = await self._reader.readuntil(b"\r\n")
        try:
            self._left = int(line.split(b";")[0], 16)
        except ValueError as error:
            raise _Unreadable("the response is not HTTP") from error
        if self._left == 0:
            self._is_at_end = True
            while await self._reader.readuntil(b"\r\n") != b"\r\n":
                pass

    async def read_all(self, most: typing.Optional[int] = None) -> bytes:
        whole = bytearray()
        while most is None or len(whole) < most:
            data = await self.read(CHUNK)
            if not data:
                break
            whole += data
        return bytes(whole)


async def _within_silence(waiting: "typing.Awaitable[T]") -> T:
    try:
        return await asyncio.wait_for(waiting, SILENCE)
    except asyncio.TimeoutError as error:
        raise TimedOutError(f"No byte moved for {SILENCE:g} s") from error
    except _FAULTS as error:
        raise broken(error) from error


class StreamPool:
    """Reuses connections to a server."""

    def __init__(self, url: str, context: typing.Optional[ssl.SSLContext]) -> None:
        self._url = url
        self._is_secure = urlsplit(url).scheme == "https"
        self._context = context
        self._kept: typing.List[_Stream] = []

    async def post(
        self, path: str, body: bytes, headers: typing.Dict[str, str], timeout: float
    ) -> typing.Tuple[Head, bytes]:
        end = time.monotonic() + timeout
        stream = self._take() or await _Stream.open(self._url, self._context, is_secure=self._is_secure, timeout=timeout)
        is_done = False
        try:
            head, content, is_done = await asyncio.wait_for(
                self._exchange(stream, path, body, headers), max(end - time.monotonic(), 0.001)
            )
            return head, content
        except asyncio.TimeoutError as error:
            raise TimedOutError(f"No answer came within {timeout:g} s") from error
        except _FAULTS as error:
            raise broken(error) from error
        finally:
            if is_done and len(self._kept) < KEPT_CONNECTIONS:
                stream.kept_since = time.monotonic()
                self._kept.append(stream)
            else:
                stream.close()

    def close(self) -> None:
        kept, self._kept = self._kept, []
        for stream in kept:
            stream.close()

    async def _exchange(
        self, stream: _Stream, path: str, body: bytes, headers: typing.Dict[str, str]
    ) -> typing.Tuple[Head, bytes, bool]:
        parts = urlsplit(self._url)
        url = f"{parts.scheme}://{parts.netloc}{path}"
        stream.write_head("POST", url, {**headers, "Content-Length": str(len(body))})
        stream.writer.write(body)
        await stream.writer.drain()
        head = await stream.read_head()
        content = _Body(stream.reader, head)
        return head, await content.read_all(), content.keeps_open

    def _take(self) -> typing.Optional[_Stream]:
        while self._kept:
            stream = self._kept.pop()
            if stream.can_be_used():
                return stream
            stream.close()
        return None


async def put(
    url: str,
    chunks: typing.AsyncIterator[bytes],
    size: int,
    *,
    context: typing.Optional[ssl.SSLContext],
    headers: typing.Mapping[str, str] = {},
    on_sent: typing.Optional[OnSent] = None,
) -> str:
    """Sends bytes with a content length, stops as soon as the server refuses, and returns the ETag of the response."""
    stream = await _Stream.open(url, context, is_secure=url.startswith("https:"))
    answering = asyncio.ensure_future(stream.read_head())
    try:
        stream.write_head("PUT", url, {**headers, "Content-Length": str(size)})
        await _send_body(stream.writer, answering, chunks, size, on_sent)
        head = await _within_silence(answering)
        answer = await _within_silence(_Body(stream.reader, head).read_all(MAX_REFUSAL))
    finally:
        answering.cancel()
        # Retrieves its error, if nobody did.
        await asyncio.gather(answering, return_exceptions=True)
        stream.close()
    if head.status != 200:
        raise error_of_answer(head, answer)
    return head.headers.get("etag", "")


async def _send_body(
    writer: asyncio.StreamWriter,
    answering: "asyncio.Future[Head]",
    chunks: typing.AsyncIterator[bytes],
    size: int,
    on_sent: typing.Optional[OnSent],
) -> None:
    sent = 0
    async for chunk in chunks:
        if sent + len(chunk) > size:
            raise ContentMismatchError("The content grew while it was sent")
        writer.write(chunk)
        draining = asyncio.ensure_future(writer.drain())
        both: typing.List["asyncio.Future[typing.Any]"] = [draining, answering]
        await asyncio.wait(both, timeout=SILENCE, return_when=asyncio.FIRST_COMPLETED)
        is_drained = draining.done() and draining.exception() is None
        if not draining.done():
            draining.cancel()
        if answering.done() or not is_drained:
            if not answering.done() and not draining.done():
                raise TimedOutError(f"No byte moved for {SILENCE:g} s")
            return  # the response tells whether all arrived
        sent += len(chunk)
        if on_sent:
            on_sent(sent)
    if sent < size:
        raise ContentMismatchError("The content became shorter while it was sent")


class StreamAnswer:
    """A response whose content is read in chunks."""

    def __init__(self, stream: _Stream, head: Head) -> None:
        self.head = head
        self._stream = stream
        self._body = _Body(stream.reader, head)

    @classmethod
    async def open(
        cls, url: str, position: int, context: typing.Optional[ssl.SSLContext], headers: typing.Mapping[str, str]
    ) -> "StreamAnswer":
        stream = await _Stream.open(url, context, is_secure=url.startswith("https:"))
        try:
            stream.write_head("GET", url, {**headers, **({"Range": f"bytes={position}-"} if position > 0 else {})})
            return cls(stream, await _within_silence(stream.read_head()))
        except BaseException:
            stream.close()
            raise

    async def read(self) -> bytes:
        return await _within_silence(self._body.read(CHUNK))

    async def refusal(self) -> bytes:
        return await _within_silence(self._body.read_all(MAX_REFUSAL))

    def stop(self) -> None:
        self._stream.close()

    def close(self) -> None:
        self._stream.close()


class StreamSocket(Frames):
    """An open WebSocket."""

    def __init__(self, stream: _Stream) -> None:
        super().__init__()
        self._stream = stream

    @classmethod
    async def open(cls, url: str, timeout: float, context: typing.Optional[ssl.SSLContext]) -> "StreamSocket":
        return await asyncio.wait_for(cls._open(url, context), timeout)

    @classmethod
    async def _open(cls, url: str, context: typing.Optional[ssl.SSLContext]) -> "StreamSocket":
        host, is_secure = opening_of(url)
        stream = await _Stream.open(url, context, is_secure=is_secure)
        try:
            own = cls(stream)
            key = base64.b64encode(os.urandom(16)).decode()
            stream.writer.write(opening_bytes(host, path_of(url), key))
            while not own.accept(key):
                more = await stream.reader.read(4096)
                if not more:
                    raise WebSocketClosed(1006, "the connection ended before the answer")
                own.add(more)
            return own
        except BaseException:
            stream.close()
            raise

    async def receive(self, timeout: float) -> typing.Optional[str]:
        """Returns the next text, or None if none arrived in time. Raises WebSocketClosed at the end."""
        while True:
            text = self.take_text()
            if text is not None:
                return text
            try:
                more = await asyncio.wait_for(self._stream.reader.read(CHUNK), timeout)
            except asyncio.TimeoutError:
                return None
            except OSError as error:
                raise WebSocketClosed(1006, str(error)) from error
            if not more:
                raise WebSocketClosed(1006, "the connection broke")
            self.add(more)

    async def send(self, text: str) -> None:
        self.send_frame(TEXT, text.encode())
        try:
            await self._stream.writer.drain()
        except OSError as error:
            raise WebSocketClosed(1006, str(error)) from error

    def close(self, code: int = 1000) -> None:
        """Sends a close frame and ends the connection: a receiving task wakes up."""
        if not self._stream.writer.is_closing():
            self.send_frame(CLOSE, struct.pack("!H", code))
            self._stream.writer.close()

    def release(self) -> None:
        self._stream.writer.close()

    def write(self, data: bytes) -> None:
        if self._stream.writer.is_closing():
            raise WebSocketClosed(1006, "the connection broke")
        self._stream.writer.write(data)
