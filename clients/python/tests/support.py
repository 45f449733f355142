"""A client of a real server, all of whose traffic passes a proxy that can disturb it. test/client-python.e2e-spec.ts starts the server."""

from __future__ import annotations

import os
import re
import socket
import threading
import time
import typing
import unittest
from datetime import datetime, timedelta, timezone

from platform_services import Client

SERVER = os.environ["PLATFORM_SERVER"]
KEY = os.environ["PLATFORM_KEY"]
PROXY_PORT = int(os.environ["PLATFORM_PROXY_PORT"])
UNKNOWN = "01900000-0000-7000-8000-000000000000"

T = typing.TypeVar("T")


def until(look: typing.Callable[[], T], seconds: float = 60) -> T:
    """Returns what is found, once it is true."""
    end = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"did not happen within {seconds} s")
        time.sleep(0.02)


def in_seconds(seconds: float) -> datetime:
    return datetime.now(timezone.utc) + timedelta(seconds=seconds)


class Proxy:
    """Passes everything, at the address that the server names in its own, until a rule says otherwise."""

    def __init__(self) -> None:
        host, port = SERVER.rsplit("/", 1)[1].split(":")
        self._target = (host, int(port))
        self._sockets: typing.Set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener: typing.Optional[socket.socket] = None
        self.reset()
        self.open()

    def reset(self) -> None:
        # Called with bytes from the server; returns whether to cut the connection instead of forwarding them.
        self.cuts_answer: typing.Callable[[bytes], bool] = lambda data: False
        # Called with bytes to the server; returns whether to cut the connection after forwarding them.
        self.cuts_request: typing.Callable[[bytes], bool] = lambda data: False
        # Responds to a request instead of the server.
        self.answer: typing.Callable[[bytes], typing.Optional[bytes]] = lambda data: None

    def open(self) -> None:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", PROXY_PORT))
        listener.listen(64)
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def close(self) -> None:
        """Cuts all connections, and refuses new ones."""
        listener, self._listener = self._listener, None
        if listener:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        self.cut()

    def cut(self) -> None:
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        for one in sockets:
            _end(one)

    def cut_once(self, pattern: bytes) -> typing.List[bytes]:
        """Cuts the connection at the first answer that matches. Returns a list that has it once it was."""
        cuts: typing.List[bytes] = []

        def look(data: bytes) -> bool:
            if cuts or not re.search(pattern, data):
                return False
            cuts.append(data)
            return True

        self.cuts_answer = look
        return cuts

    def answer_once(self, answer: bytes) -> typing.List[bytes]:
        """Answers the next request in place of the server. Returns a list that has it once it was."""
        requests: typing.List[bytes] = []

        def look(data: bytes) -> typing.Optional[bytes]:
            if requests:
                return None
            requests.append(data)
            return answer

        self.answer = look
        return requests

    def refuse_websockets(self) -> None:
        refusal = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        self.answer = lambda data: refusal if b"upgrade: websocket" in data.lower() else None

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, _ = listener.accept()
                far = socket.create_connection(self._target)
            except OSError:
                return
            with self._lock:
                self._sockets |= {near, far}
            threading.Thread(target=self._pass, args=(near, far, True), daemon=True).start()
            threading.Thread(target=self._pass, args=(far, near, False), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, is_request: bool) -> None:
        try:
            while True:
                data = source.recv(64 * 1024)
                if not data:
                    break
                answer = self.answer(data) if is_request else None
                if answer is not None:
                    source.sendall(answer)
                    break
                if not is_request and self.cuts_answer(data):
                    break
                target.sendall(data)
                if is_request and self.cuts_request(data):
                    break
        except OSError:
            pass
        _end(source)
        _end(target)


def _end(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    sock.close()


class PlatformTest(unittest.TestCase):
    proxy: typing.ClassVar[Proxy]
    client: typing.ClassVar[Client]
    url = f"http://127.0.0.1:{PROXY_PORT}"

    @classmethod
    def setUpClass(cls) -> None:
        cls.proxy = Proxy()
        cls.client = Client(cls.url, KEY)
        cls.addClassCleanup(cls.proxy.close)
        cls.addClassCleanup(cls.client.close)

    def setUp(self) -> None:
        self.addCleanup(self.proxy.reset)
