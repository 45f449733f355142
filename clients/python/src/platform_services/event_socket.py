"""Server-sent events with the interface of a WebSocket, for networks that block those."""

from __future__ import annotations

import collections
import json
import time
import typing
from urllib.parse import urlsplit

from .errors import ConnectionBrokenError, TimedOutError
from .runtime import Answer, Runtime
from .websocket import WebSocketClosed

_POST_SECONDS = 10.0
_VOID_TOKEN = 4401
_Event = typing.Dict[str, str]


def _events_url_of(url: str) -> str:
    """Returns the URL of the event stream for that of a WebSocket: the same host and token."""
    parts = urlsplit(url)
    return parts._replace(scheme=parts.scheme.replace("ws", "http", 1), path=parts.path.rstrip("/") + "/events").geturl()


def _event_of(block: bytes) -> _Event:
    parts = (line.partition(": ") for line in block.decode().split("\n"))
    return {name: value for name, _, value in parts}


class EventSocket:
    """An open event stream. One coroutine receives, any may send and close. Acknowledgements and marks go by POST."""

    def __init__(self, server: Runtime, answer: Answer, url: str, is_acknowledging: bool) -> None:
        self.heard = time.monotonic()
        self._server = server
        self._answer = answer
        self._url = url
        # Whether each message is acknowledged here, when the next one is received; otherwise `send` does.
        self._is_acknowledging = is_acknowledging
        self._buffer = b""
        self._events: "typing.Deque[_Event]" = collections.deque()
        self._received: typing.Optional[str] = None

    @classmethod
    async def open(
        cls, runtime: Runtime, url: str, *, is_acknowledging: bool, last_id: typing.Optional[str]
    ) -> "EventSocket":
        url = _events_url_of(url)
        server = runtime.at(url)
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last_id} if last_id else {})}
        answer = await server.get(url, 0, headers)
        own = cls(server, answer, url, is_acknowledging)
        try:
            status = answer.head.status
            if status != 200:
                raise WebSocketClosed(_VOID_TOKEN if status == 401 else 1006, f"the server answered {status}")
            connection = json.loads((await own._next())["data"])["id"]
            own._url = f"{url}&connection={connection}"
            return own
        except BaseException:
            own.release()
            raise

    async def receive(self, timeout: float) -> typing.Optional[str]:
        """Returns the next text. Raises WebSocketClosed at the end."""
        if self._is_acknowledging and self._received is not None and not self._events:
            await self.send(json.dumps({"ack": self._received}))
            self._received = None
        event = await self._next()
        if event.get("event") == "close":
            end = json.loads(event["data"])
            raise WebSocketClosed(end["code"], end["reason"])
        self._received = event.get("id", self._received)
        return event["data"]

    async def send(self, text: str) -> None:
        """Sends an acknowledgement or a mark. An empty frame is a sign of life, which a stream does not need."""
        if text == "{}":
            return
        parts = urlsplit(self._url)
        try:
            await self._server.post(f"{parts.path}?{parts.query}", text.encode(), {}, _POST_SECONDS)
        except (ConnectionBrokenError, TimedOutError):
            pass  # a later acknowledgement, or the next Last-Event-ID, includes a lost one

    def close(self, code: int = 1000) -> None:
        """Ends the connection: a receiving thread or task wakes up."""
        self._answer.stop()

    def release(self) -> None:
        self._answer.close()
        self._server.close()

    async def _next(self) -> _Event:
        while not self._events:
            data = await self._answer.read()
            if not data:
                raise WebSocketClosed(1006, "the connection broke")
            self.heard = time.monotonic()
            *blocks, self._buffer = (self._buffer + data).split(b"\n\n")
            self._events.extend(event for event in map(_event_of, blocks) if "data" in event)
        return self._events.popleft()
