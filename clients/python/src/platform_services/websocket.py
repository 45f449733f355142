"""A WebSocket client (RFC 6455) with what pushes need: texts, pings and pongs, and the close."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import ssl
import struct
import threading
import time
import typing
from urllib.parse import urlsplit

from .http import path_of

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUATION, TEXT, _BINARY, CLOSE, _PING, _PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
_MOST_HEAD_BYTES = 64 * 1024
# The server sends less than a MiB at once; more would be from somebody else.
_MOST_MESSAGE_BYTES = 16 * 1024 * 1024


class WebSocketClosed(Exception):
    """The connection ended, with the code of RFC 6455: 1006 if it broke without a close."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"closed with {code}{': ' if reason else ''}{reason}")
        self.code = code
        self.reason = reason


def opening_of(url: str) -> typing.Tuple[str, bool]:
    """Returns the host of the URL of a WebSocket, and whether it is secure."""
    parts = urlsplit(url)
    if parts.scheme not in ("ws", "wss") or not parts.hostname:
        raise ValueError("The address of a WebSocket begins with ws:// or wss://")
    return parts.netloc.rpartition("@")[2], parts.scheme == "wss"


def opening_bytes(host: str, path: str, key: str) -> bytes:
    """Returns the request that opens a WebSocket."""
    head = [f"GET {path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade"]
    head += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
    return "\r\n".join(head).encode()


class Frames:
    """The protocol of a connection: received bytes come in by `add`, and `write` sends those of frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._pieces = bytearray()
        self._is_in_message = False
        # Time of the last received bytes, by time.monotonic().
        self.heard = time.monotonic()

    def write(self, data: bytes) -> None:
        """Sends bytes. Raises WebSocketClosed on failure."""
        raise NotImplementedError

    def close(self, code: int = 1000) -> None:
        raise NotImplementedError

    def add(self, data: bytes) -> None:
        self._buffer += data
        self.heard = time.monotonic()

    def accept(self, key: str) -> bool:
        """Returns whether the response to the opening is complete. Raises WebSocketClosed if it is not that of a WebSocket."""
        if b"\r\n\r\n" not in self._buffer:
            if len(self._buffer) > _MOST_HEAD_BYTES:
                raise WebSocketClosed(1002, "the answer has too long a head")
            return False
        answer, _, rest = bytes(self._buffer).partition(b"\r\n\r\n")
        self._buffer = bytearray(rest)
        status, *lines = answer.decode("latin-1").split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if status.split(" ")[1:2] != ["101"]:
            raise WebSocketClosed(1006, f"the server answered {status}")
        expected = base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()
        if headers.get("sec-websocket-accept") != expected or headers.get("upgrade", "").lower() != "websocket":
            raise WebSocketClosed(1002, "the answer is not that of a WebSocket")
        return True

    def take_text(self) -> typing.Optional[str]:
        """Handles received frames up to a text, and returns it; None if more bytes are needed. Raises WebSocketClosed at the end."""
        while True:
            frame = self._take_frame()
            if frame is None:
                return None
            text = self._handle(*frame)
            if text is not None:
                return text

    def _take_frame(self) -> typing.Optional[typing.Tuple[bool, int, bytes]]:
        """Returns whether a frame is the last of its message, its kind, and its content; None until it is complete."""
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        is_last, kind, length = bool(buffer[0] & 0x80), buffer[0] & 0x0F, buffer[1] & 0x7F
        if buffer[0] & 0x70 or buffer[1] & 0x80 or kind not in (0x0, 0x1, 0x2, 0x8, 0x9, 0xA):
            self._fail(1002, "the server sent a frame that is not allowed")
        if kind >= CLOSE and (length > 125 or not is_last):
            self._fail(1002, "the server sent a control frame that is too long")
        begin = {126: 4, 127: 10}.get(length, 2)
        if len(buffer) < begin:
            return None
        if begin > 2:
            length = int.from_bytes(buffer[2:begin], "big")
        if length + len(self._pieces) > _MOST_MESSAGE_BYTES:
            self._fail(1009, "the server sent a message that is too long")
        if len(buffer) < begin + length:
            return None
        content = bytes(buffer[begin : begin + length])
        del buffer[: begin + length]
        return is_last, kind, content

    def _handle(self, is_last: bool, kind: int, content: bytes) -> typing.Optional[str]:
        if kind == _PING:
            self.send_frame(_PONG, content)
            return None
        if kind == _PONG:
            return None
        if kind == CLOSE:
            code = int.from_bytes(content[:2], "big") if len(content) >= 2 else 1005
            self.close(1000 if code == 1005 else code)
            raise WebSocketClosed(code, content[2:].decode("utf-8", "replace"))
        if kind == _BINARY or (kind == _CONTINUATION) != self._is_in_message:
            self._fail(1002, "the server sent a frame out of order, or one that is no text")
        self._pieces += content
        self._is_in_message = not is_last
        if not is_last:
            return None
        whole = bytes(self._pieces)
        self._pieces.clear()
        try:
            return whole.decode()
        except UnicodeDecodeError:
            self._fail(1007, "the server sent a text that is not UTF-8")

    def _fail(self, code: int, reason: str) -> typing.NoReturn:
        self.close(code)
        raise WebSocketClosed(1006, reason)

    def send_frame(self, kind: int, content: bytes) -> None:
        mask = os.urandom(4)
        length = len(content)
        if length < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | length)
        elif length < 1 << 16:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, length)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, length)
        key = (mask * (length // 4 + 1))[:length]
        masked = (int.from_bytes(content, "big") ^ int.from_bytes(key, "big")).to_bytes(length, "big")
        self.write(head + mask + masked)


class WebSocket(Frames):
    """An open connection. One thread receives, any may send and close."""

    def __init__(self, url: str, timeout: float, context: typing.Optional[ssl.SSLContext] = None) -> None:
        """Opens the connection. Raises OSError or WebSocketClosed on failure."""
        super().__init__()
        host, is_secure = opening_of(url)
        parts = urlsplit(url)
        self._lock = threading.Lock()
        raw = socket.create_connection((parts.hostname or "", parts.port or (443 if is_secure else 80)), timeout)
        try:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if is_secure:
                raw = (context or ssl.create_default_context()).wrap_socket(raw, server_hostname=parts.hostname)
            self._socket = raw
            key = base64.b64encode(os.urandom(16)).decode()
            raw.sendall(opening_bytes(host, path_of(url), key))
            while not self.accept(key):
                more = raw.recv(4096)
                if not more:
                    raise WebSocketClosed(1006, "the connection ended before the answer")
                self.add(more)
        except BaseException:
            raw.close()
            raise

    def receive(self, timeout: float) -> typing.Optional[str]:
        """Returns the next text, or None if none arrived in time. Raises WebSocketClosed at the end."""
        while True:
            text = self.take_text()
            if text is not None:
                return text
            try:
                self._socket.settimeout(timeout)
                more = self._socket.recv(64 * 1024)
            except socket.timeout:
                return None
            except OSError as error:
                raise WebSocketClosed(1006, str(error)) from error
            if not more:
                raise WebSocketClosed(1006, "the connection broke")
            self.add(more)

    def send(self, text: str) -> None:
        """Sends a text. Raises WebSocketClosed on failure."""
        self.send_frame(TEXT, text.encode())

    def close(self, code: int = 1000) -> None:
        """Sends a close frame and ends the connection: a receiving thread wakes up."""
        try:
            self.send_frame(CLOSE, struct.pack("!H", code))
        except WebSocketClosed:
            pass
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def release(self) -> None:
        """Closes the socket; only the receiving thread may, once it has stopped reading."""
        self._socket.close()

    def write(self, data: bytes) -> None:
        try:
            with self._lock:
                self._socket.sendall(data)
        except (OSError, ValueError) as error:
            raise WebSocketClosed(1006, str(error)) from error
