"""Requests by http.client: reused connections with a time limit, and content that is sent and read in chunks."""

from __future__ import annotations

import contextlib
import http.client
import io
import os
import select
import socket
import ssl
import threading
import time
import typing
from urllib.parse import urlsplit

from .errors import ConnectionBrokenError, ContentMismatchError, Head, TimedOutError, error_of_answer

# Time without a byte after which a connection counts as broken. The server itself stops after 60 s.
SILENCE = 75.0
CHUNK = 256 * 1024
MAX_REFUSAL = 64 * 1024
# A connection idle for longer may be closed by the other side at the moment of its next use.
KEPT_SECONDS = 4.0
KEPT_CONNECTIONS = 8


class _BoundedReader(io.RawIOBase):
    """Reads from a socket until a deadline, however slowly bytes arrive."""

    def __init__(self, wire: "_Wire", inner: typing.Any) -> None:
        self._wire = wire
        self._inner = inner

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: typing.Any) -> typing.Optional[int]:
        self._wire.bound()
        return typing.cast(typing.Optional[int], self._inner.readinto(buffer))

    def close(self) -> None:
        self._inner.close()
        super().close()


class _Wire:
    """A socket whose reads and writes end at a deadline, or without one after a silence."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self.deadline: typing.Optional[float] = None

    def bound(self) -> None:
        if self.deadline is None:
            return self.socket.settimeout(SILENCE)
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        self.socket.settimeout(left)

    def sendall(self, data: typing.Any) -> None:
        self.bound()
        self.socket.sendall(data)

    def makefile(self, *_: typing.Any, **__: typing.Any) -> io.BufferedReader:
        return io.BufferedReader(_BoundedReader(self, self.socket.makefile("rb", 0)))

    def close(self) -> None:
        self.socket.close()


class Connection(http.client.HTTPConnection):
    """A connection to one server."""

    def __init__(self, url: str, context: typing.Optional[ssl.SSLContext], timeout: float) -> None:
        parts = urlsplit(url)
        self.is_secure = parts.scheme == "https"
        super().__init__(parts.hostname or "", parts.port or (443 if self.is_secure else 80), timeout=timeout)
        self._context = context
        self.kept_since = 0.0
        self.process = os.getpid()

    def connect(self) -> None:
        raw = socket.create_connection((self.host, self.port), self.timeout)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self.is_secure:
                raw = (self._context or ssl.create_default_context()).wrap_socket(raw, server_hostname=self.host)
        except BaseException:
            raw.close()
            raise
        self.sock: typing.Any = _Wire(raw)

    def can_be_used(self) -> bool:
        """Returns whether the other side has not closed it meanwhile, as far as visible."""
        if self.process != os.getpid() or time.monotonic() - self.kept_since > KEPT_SECONDS:
            return False
        return not is_ready(self.sock.socket, 0)


def is_ready(sock: socket.socket, seconds: float, *, to_write: bool = False) -> bool:
    """Waits until bytes can be read, or written, or until a deadline."""
    if hasattr(select, "poll"):  # select accepts no file numbers over 1,023
        poll = select.poll()
        poll.register(sock, select.POLLOUT if to_write else select.POLLIN)
        return bool(poll.poll(seconds * 1_000))
    return any(select.select([] if to_write else [sock], [sock] if to_write else [], [], seconds)[:2])


class Pool:
    """Reuses connections to a server. Threads can share it."""

    def __init__(self, url: str, context: typing.Optional[ssl.SSLContext]) -> None:
        self._url = url
        self._context = context
        self._kept: typing.List[Connection] = []
        self._lock = threading.Lock()

    def post(self, path: str, body: bytes, headers: typing.Dict[str, str], timeout: float) -> typing.Tuple[Head, bytes]:
        """Sends a request and reads the response, both within a time limit."""
        deadline = time.monotonic() + timeout
        connection = self._take(timeout)
        is_done = False
        try:
            opened(connection, deadline)
            connection.request("POST", path, body, headers)
            response = connection.getresponse()
            answer = head_of(response), response.read()
            is_done = not response.will_close
            return answer
        except socket.timeout as error:
            raise TimedOutError(f"No answer came within {timeout:g} s") from error
        except (OSError, http.client.HTTPException) as error:
            raise broken(error) from error
        finally:
            if is_done:
                self._keep(connection)
            else:
                connection.close()

    def close(self) -> None:
        with self._lock:
            kept, self._kept = self._kept, []
        for connection in kept:
            connection.close()

    def _take(self, timeout: float) -> Connection:
        while True:
            with self._lock:
                connection = self._kept.pop() if self._kept else None
            if connection is None:
                return Connection(self._url, self._context, timeout)
            if connection.can_be_used():
                return connection
            connection.close()

    def _keep(self, connection: Connection) -> None:
        connection.kept_since = time.monotonic()
        with self._lock:
            if len(self._kept) < KEPT_CONNECTIONS:
                return self._kept.append(connection)
        connection.close()


def opened(connection: Connection, deadline: typing.Optional[float]) -> None:
    """Opens a connection, unless it is open. An error here means that nothing was sent."""
    if connection.sock is None:
        try:
            connection.connect()
        except socket.timeout as error:
            raise TimedOutError("The connection could not be opened in time", may_have_happened=False) from error
        except OSError as error:
            raise ConnectionBrokenError(f"The connection could not be opened: {error}", may_have_happened=False) from error
    if connection.sock is not None:
        connection.sock.deadline = deadline


def broken(error: BaseException) -> ConnectionBrokenError:
    return ConnectionBrokenError(f"The connection broke: {str(error) or type(error).__name__}")


def head_of(response: http.client.HTTPResponse) -> Head:
    return Head(response.status, {name.lower(): value for name, value in response.getheaders()})


def path_of(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


class _Broken(Exception):
    """An error of the connection; errors of the source have the same classes."""


@contextlib.contextmanager
def _of_network() -> typing.Generator[None, None, None]:
    try:
        yield
    except socket.timeout:
        raise
    except OSError as error:
        raise _Broken(str(error)) from error


async def put(
    url: str,
    chunks: typing.AsyncIterator[bytes],
    size: int,
    *,
    context: typing.Optional[ssl.SSLContext],
    headers: typing.Mapping[str, str] = {},
    on_sent: typing.Optional[typing.Callable[[int], None]] = None,
) -> str:
    """Sends bytes with a content length, stops as soon as the server refuses, and returns the ETag of the response."""
    connection = Connection(url, context, SILENCE)
    try:
        opened(connection, None)
        with _of_network():
            connection.putrequest("PUT", path_of(url))
            for name, value in {**headers, "Content-Length": str(size)}.items():
                connection.putheader(name, value)
            connection.endheaders()
        await _send_body(connection, chunks, size, on_sent)
        with _of_network():
            response = connection.getresponse()
            answer = response.read(MAX_REFUSAL)
            head = head_of(response)
    except socket.timeout as error:
        raise TimedOutError(f"No byte moved for {SILENCE:g} s") from error
    except (_Broken, http.client.HTTPException) as error:
        raise broken(error) from error
    finally:
        connection.close()
    if head.status != 200:
        raise error_of_answer(head, answer)
    return head.headers.get("etag", "")


async def _send_body(
    connection: Connection,
    chunks: typing.AsyncIterator[bytes],
    size: int,
    on_sent: typing.Optional[typing.Callable[[int], None]],
) -> None:
    sent = 0
    async for chunk in chunks:
        if sent + len(chunk) > size:
            raise ContentMismatchError("The content grew while it was sent")
        try:
            if not _sent_whole(connection, chunk):
                return  # the refusal is read
        except socket.timeout:
            raise
        except OSError:
            return  # it may have arrived before the connection broke; else reading it fails too
        sent += len(chunk)
        if on_sent:
            on_sent(sent)
    if sent < size:
        raise ContentMismatchError("The content became shorter while it was sent")


def _sent_whole(connection: Connection, chunk: bytes) -> bool:
    """Sends a chunk; returns False if the server answers before it has all."""
    sock = connection.sock.socket
    if connection.is_secure:  # readable bytes can be those of TLS itself
        connection.sock.sendall(chunk)
        return True
    view = memoryview(chunk)
    sock.settimeout(0)
    while view:
        if is_ready(sock, 0):
            return False
        try:
            view = view[sock.send(view) :]
        except BlockingIOError:
            _wait(sock)
    return True


def _wait(sock: socket.socket) -> None:
    """Waits until bytes can be sent, or a response has arrived."""
    end = time.monotonic() + SILENCE
    while time.monotonic() < end:
        if is_ready(sock, 0.2, to_write=True) or is_ready(sock, 0):
            return
    raise socket.timeout("timed out")


class Opened:
    """A response whose content is read in chunks."""

    def __init__(
        self, url: str, position: int, context: typing.Optional[ssl.SSLContext], headers: typing.Mapping[str, str] = {}
    ) -> None:
        self._connection = Connection(url, context, SILENCE)
        try:
            opened(self._connection, None)
            self._socket = self._connection.sock.socket
            ranged = {"Range": f"bytes={position}-"} if position > 0 else {}
            self._connection.request("GET", path_of(url), headers={**headers, **ranged})
            self._response = self._connection.getresponse()
            self.head = head_of(self._response)
        except socket.timeout as error:
            self.close()
            raise TimedOutError(f"No byte moved for {SILENCE:g} s") from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise broken(error) from error
        except BaseException:
            self.close()
            raise

    def read(self, most: int = CHUNK) -> bytes:
        """Returns at least one byte, or nothing at the end."""
        try:
            return self._response.read1(most)
        except socket.timeout as error:
            raise TimedOutError(f"No byte moved for {SILENCE:g} s") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise broken(error) from error

    def refusal(self) -> bytes:
        return self._response.read(MAX_REFUSAL)

    def stop(self) -> None:
        """Breaks the connection: a reading thread wakes up."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self) -> None:
        self._connection.close()
        response = getattr(self, "_response", None)
        if response is not None:
            response.close()

