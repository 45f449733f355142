"""The service of pushes, and connections that reopen automatically."""

from __future__ import annotations

import collections
import datetime
import inspect
import json
import logging
import ssl
import time
import typing
from dataclasses import dataclass

from .event_socket import EventSocket
from .operations import Send, time_of
from .retry import pause
from .runtime import Runtime, Socket, run
from .tasks import Tasks
from .threads import Threads
from .types.push import AsyncPushOperations, PushOperations, RegisterRecipientInput
from .websocket import WebSocketClosed

_VOID_TOKEN = 4401
# Close codes after which reconnecting would not help: the client or the application must change.
_FINAL = {
    1002: "the client broke the protocol",
    1007: "the client sent a text that is not UTF-8",
    1008: "the client sent more than it may",
    1009: "the client sent a message that is too long",
    4403: "the application disconnected the recipient, or its tenant is suspended",
}
_REASONS = {
    1001: "the server goes away",
    4401: "the token is bad, expired or void",
    4408: "the client did not answer two heartbeats",
    4413: "too many messages lay unread or unacknowledged",
}
_OPENING = 30.0
# Failed openings in succession after which a client whose WebSockets have opened before tries an event stream.
_FAILED_OPENINGS = 3
# Time after which a connection counts as stable, which resets the reconnect pause.
_GOOD = 10.0
_LONGEST_PAUSE = 30.0
# Detects a silently broken network; the server ignores the content.
_SIGN_OF_LIFE = 30.0
# Time limit of an attempt to connect, longer than a caller of close waits.
_ENDING = 5.0
# The server sends a heartbeat every 25 s.
_SILENCE = 75.0
# Maximum number of messages confirmed by one acknowledgement.
_ACKNOWLEDGE_EVERY = 64
# Number of queued messages above which reading pauses.
_MOST_WAITING = 16_384

_MARKS = ("seen", "read", "unread", "archived")

_log = logging.getLogger("platform_services")


@dataclass(frozen=True)
class PushedMessage:
    """A pushed message. A global message has the same id for all recipients, and no recipient."""

    id: str
    message: str
    recipient: typing.Optional[str]
    topic: typing.Optional[str]
    global_message_id: typing.Optional[str]
    created_at: typing.Optional[datetime.datetime]
    expires_at: typing.Optional[datetime.datetime]
    # True if the URL was registered with `rewind`, and this message was stored before the connection opened.
    replayed: bool = False
    # True if the message is in the inbox of the recipient.
    inbox: bool = False


@dataclass(frozen=True)
class Presence:
    """A recipient that joined a topic with its first connection, or left it with its last: `presence` is join or leave."""

    presence: str
    topic: str
    recipient: str
    at: datetime.datetime


@dataclass(frozen=True)
class State:
    """
    State of a connection: connecting, open, waiting (broken, and reopened after `retry_in` seconds) or closed (for good). `code`
    is the close code, if there was one. An open connection has the `transport` events where the network blocks WebSockets.
    """

    name: str
    reason: typing.Optional[str] = None
    code: typing.Optional[int] = None
    retry_in: typing.Optional[float] = None
    transport: typing.Optional[str] = None


@dataclass(frozen=True)
class _Options:
    on_message: typing.Optional[typing.Callable[[PushedMessage], typing.Any]]
    on_state: typing.Optional[typing.Callable[[State], typing.Any]]
    on_presence: typing.Optional[typing.Callable[[Presence], typing.Any]]
    on_unread: typing.Optional[typing.Callable[[int], typing.Any]]
    acknowledge: bool
    remember: int


class _Link:
    """One attempt: a socket, and its received messages that nobody handled."""

    def __init__(self) -> None:
        self.socket: typing.Optional[Socket] = None
        self.is_over = False
        self.fault: typing.Optional[str] = None
        self.handled: typing.List[str] = []


class _Stay:
    """A connection of either face that reopens automatically."""

    def __init__(
        self, runtime: Runtime, connection_uri: typing.Callable[[], typing.Awaitable[str]], options: _Options
    ) -> None:
        if options.remember < 1:
            raise ValueError("remember must be at least 1")
        self.state = State("connecting")
        self._connection_uri = connection_uri
        self._options = options
        self._acknowledge = options.acknowledge
        self._runtime = runtime
        self._seen: "collections.OrderedDict[str, None]" = collections.OrderedDict()
        # Guards all fields below, and wakes waiters for a message, for room or for the end.
        self._changed = runtime.changes()
        self._waiting: "typing.Deque[typing.Tuple[_Link, PushedMessage]]" = collections.deque()
        self._link = _Link()
        # Frames of marks to send once the connection is open.
        self._marks: typing.List[str] = []
        self._uses_events = False
        self._had_websocket = False
        self._failed_openings = 0
        self._is_closing = False
        self._connecting = runtime.start(self._stay_connected, "platform-services-push")
        self._handling = runtime.start(self._hand_on, "platform-services-handler") if options.on_message else None

    async def _close(self) -> None:
        """Closes the connection for good, and waits for a running handler, unless called by it."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
            sock = self._link.socket
        if sock:
            sock.close()
        is_own = self._connecting.is_current() or (self._handling is not None and self._handling.is_current())
        if self._handling and not self._handling.is_current():
            await self._handling.join()
        if not is_own:
            await self._connecting.join(_ENDING)

    async def _mark(self, id: str, mark: str) -> None:
        """Marks a message in the inbox, once the connection is open."""
        if mark not in _MARKS:
            raise ValueError(f"mark must be one of {', '.join(_MARKS)}")
        text = json.dumps({mark: id})
        with self._changed:
            link = self._link
            is_open = self.state.name == "open" and link.socket is not None and not link.is_over
            if not is_open:
                self._marks = [*self._marks[1 - self._options.remember :], text]
        if is_open and link.socket:
            try:
                await link.socket.send(text)
            except WebSocketClosed:
                pass  # the receiver sees it too

    async def _next(self, before: typing.Optional[typing.Tuple[_Link, PushedMessage]]) -> typing.Optional[typing.Tuple[_Link, PushedMessage]]:
        """Returns the next message of an iteration, after acknowledging the one before it; None at the end."""
        if self._acknowledge and before:
            self._note(before[1].id)
            await self._handled(before[0], before[1].id)
        while True:
            taken = await self._take()
            if taken is None or not self._acknowledge or taken[1].id not in self._seen:
                return taken
            await self._handled(taken[0], taken[1].id)

    def _refuse_iterating(self) -> None:
        if self._options.on_message:
            raise TypeError("The messages go to on_message: connect without it to iterate")

    async def _hand_on(self) -> None:
        on_message = self._options.on_message
        while on_message:
            taken = await self._take()
            if taken is None:
                return
            link, message = taken
            if self._acknowledge and message.id in self._seen:
                await self._handled(link, message.id)
                continue
            try:
                result = on_message(message)
                if inspect.isawaitable(result):
                    await result
            except Exception as error:
                _log.exception("on_message failed for message %s", message.id)
                if self._acknowledge:
                    await self._flush(link)
                    self._fail(link, f"on_message failed: {error}")
                continue
            if self._acknowledge:
                self._note(message.id)
                await self._handled(link, message.id)

    async def _take(self) -> typing.Optional[typing.Tuple[_Link, PushedMessage]]:
        with self._changed:
            while True:
                if self._is_closing:
                    return None
                if self._waiting:
                    link, message = self._waiting.popleft()
                    self._changed.notify()
                    if self._acknowledge and link.is_over:
                        continue  # it is sent again
                    return link, message
                if self.state.name == "closed":
                    return None
                await self._changed.wait_for(lambda: self._is_closing or bool(self._waiting) or self.state.name == "closed")

    def _note(self, id: str) -> None:
        self._seen.pop(id, None)
        self._seen[id] = None
        if len(self._seen) > self._options.remember:
            self._seen.popitem(last=False)

    async def _handled(self, link: _Link, id: str) -> None:
        """Acknowledges the last handled message, and with it all earlier ones, once no more are queued or many were handled."""
        link.handled.append(id)
        if len(link.handled) >= _ACKNOWLEDGE_EVERY or not self._waiting:
            await self._flush(link)

    async def _flush(self, link: _Link) -> None:
        if not link.handled:
            return
        text = json.dumps({"ack": link.handled[-1]})
        link.handled.clear()
        if link.socket and not link.is_over:
            try:
                await link.socket.send(text)
            except WebSocketClosed:
                pass  # the receiver sees it too

    def _fail(self, link: _Link, reason: str) -> None:
        """Ends a connection, so that nothing received on it is handled or acknowledged any more."""
        link.fault = reason
        if link.socket and not link.is_over:
            link.is_over = True
            link.socket.close()

    def _become(self, state: State) -> None:
        with self._changed:
            self.state = state
            self._changed.notify()
        if self._options.on_state:
            try:
                self._options.on_state(state)
            except Exception:
                _log.exception("on_state failed")

    async def _stay_connected(self) -> None:
        uri: typing.Optional[str] = None
        failures = 0
        while not self._is_closing:
            self._become(State("connecting"))
            link = _Link()
            opened_at: typing.Optional[float] = None
            code: typing.Optional[int] = None
            is_opening = False
            try:
                address = uri if uri is not None else await self._connection_uri()
                uri = None  # reused only if it opened a connection
                is_opening = True
                sock = await self._open(address)
                is_opening = False
                uri = address
                opened_at = time.monotonic()
                await self._serve(link, sock)
                reason = "the connection broke"
            except WebSocketClosed as error:
                code = error.code
                reason = _REASONS.get(code) or (f"it could not be opened: {error}" if opened_at is None else "the connection broke")
            except Exception as error:
                reason = f"{'it could not be opened' if opened_at is None else 'the connection broke'}: {error}"
            finally:
                link.is_over = True
            self._choose_transport(is_blocked=is_opening and code != _VOID_TOKEN)
            if opened_at is not None and time.monotonic() - opened_at >= _GOOD:
                failures = 0
            if code == _VOID_TOKEN:
                uri = None
            if self._is_closing:
                break
            if code in _FINAL and opened_at is not None:
                return self._become(State("closed", _FINAL[code], code))
            seconds = pause(failures, _LONGEST_PAUSE)
            failures += 1
            self._become(State("waiting", link.fault or reason, code, seconds))
            with self._changed:
                await self._changed.wait_for(lambda: self._is_closing, seconds)
        self._become(State("closed", "close() was called"))

    async def _open(self, url: str) -> Socket:
        if not self._uses_events:
            return await self._runtime.open_socket(url, _OPENING)
        last_id = next(reversed(self._seen), None)
        return await EventSocket.open(self._runtime, url, is_acknowledging=not self._acknowledge, last_id=last_id)

    def _choose_transport(self, *, is_blocked: bool) -> None:
        """Changes the transport after failed openings. A client whose WebSockets have opened returns to them after each event stream."""
        self._failed_openings += is_blocked
        has_failed = is_blocked and self._failed_openings >= (_FAILED_OPENINGS if self._had_websocket else 1)
        if has_failed or (self._uses_events and self._had_websocket):
            self._uses_events = not self._uses_events
            self._failed_openings = 0

    async def _serve(self, link: _Link, sock: Socket) -> None:
        with self._changed:
            link.socket = sock
            self._link = link
            if self._is_closing:
                sock.close()
        self._failed_openings = 0
        self._had_websocket = self._had_websocket or not self._uses_events
        self._become(State("open", transport="events" if self._uses_events else None))
        with self._changed:
            marks, self._marks = self._marks, []
        try:
            for mark in marks:
                await sock.send(mark)
            said = time.monotonic()
            while True:
                text = await sock.receive(5.0)
                now = time.monotonic()
                if now - said >= _SIGN_OF_LIFE:
                    await sock.send("{}")
                    said = now
                if now - sock.heard > _SILENCE:
                    raise WebSocketClosed(1006, "the server was silent")
                if text is not None:
                    await self._take_frame(link, json.loads(text))
        finally:
            link.is_over = True
            sock.release()

    async def _take_frame(self, link: _Link, frame: typing.Dict[str, typing.Any]) -> None:
        if "presence" in frame:
            presence = Presence(frame["presence"], frame["topic"], frame["recipient"], time_of(frame["at"]))
            await self._tell("on_presence", self._options.on_presence, presence)
        elif "id" not in frame:
            await self._tell("on_unread", self._options.on_unread, frame["inbox"]["unread"])
        else:
            await self._receive(link, _message_of(frame))

    async def _tell(self, name: str, listener: typing.Optional[typing.Callable[[typing.Any], typing.Any]], value: object) -> None:
        if not listener:
            return
        try:
            result = listener(value)
            if inspect.isawaitable(result):
                await result
        except Exception:
            _log.exception("%s failed", name)

    async def _receive(self, link: _Link, message: PushedMessage) -> None:
        if not self._acknowledge:
            is_new = message.id not in self._seen
            self._note(message.id)
            if not is_new:
                return
        with self._changed:
            await self._changed.wait_for(lambda: self._is_closing or len(self._waiting) < _MOST_WAITING)
            self._waiting.append((link, message))
            self._changed.notify()


class Connection(_Stay):
    """
    A connection that reopens automatically. Iterating yields each message once, until it is closed; with `acknowledge` a message
    is acknowledged when the next one is requested. Use it in `with`, or call `close`.
    """

    def mark(self, id: str, mark: str) -> None:
        """Marks a message in the inbox as seen, read, unread or archived, once the connection is open."""
        run(self._mark(id, mark))

    def close(self) -> None:
        """Closes the connection for good, and waits for a running handler, unless called by it."""
        run(self._close())

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> typing.Iterator[PushedMessage]:
        self._refuse_iterating()
        return self._messages()

    def _messages(self) -> typing.Iterator[PushedMessage]:
        taken = run(self._next(None))
        while taken:
            yield taken[1]
            taken = run(self._next(taken))


class AsyncConnection(_Stay):
    """Same as `Connection`: iterate with `async for`, and use it in `async with`, or await `close`."""

    async def mark(self, id: str, mark: str) -> None:
        """Marks a message in the inbox as seen, read, unread or archived, once the connection is open."""
        await self._mark(id, mark)

    async def close(self) -> None:
        """Closes the connection for good, and waits for a running handler, unless called by it."""
        await self._close()

    async def __aenter__(self) -> "AsyncConnection":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __aiter__(self) -> typing.AsyncIterator[PushedMessage]:
        self._refuse_iterating()
        return self._messages()

    async def _messages(self) -> typing.AsyncIterator[PushedMessage]:
        taken = await self._next(None)
        while taken:
            yield taken[1]
            taken = await self._next(taken)


def connect(
    connection_uri: typing.Callable[[], str],
    *,
    on_message: typing.Optional[typing.Callable[[PushedMessage], typing.Any]] = None,
    on_state: typing.Optional[typing.Callable[[State], typing.Any]] = None,
    on_presence: typing.Optional[typing.Callable[[Presence], typing.Any]] = None,
    on_unread: typing.Optional[typing.Callable[[int], typing.Any]] = None,
    acknowledge: bool = False,
    remember: int = 10_000,
    ssl_context: typing.Optional[ssl.SSLContext] = None,
) -> Connection:
    """
    Connects to the URL that the function returns, and stays connected, in threads of its own: with growing random pauses, and
    with a new URL after 4401 or a failed attempt. Where no WebSocket opens, it tries server-sent events alternately. `on_message` receives the messages, one after another; without it, iterate over
    the connection. `acknowledge` must be what the URL was registered with. Duplicates among the last `remember` messages are
    dropped. `on_presence` receives who joins and leaves the topics of a recipient registered with `presence`, `on_unread` the
    number of unread messages of one registered with `inbox`.
    """

    async def ask() -> str:
        return connection_uri()

    return Connection(Threads(ssl_context), ask, _Options(on_message, on_state, on_presence, on_unread, acknowledge, remember))


def connect_async(
    connection_uri: typing.Callable[[], typing.Awaitable[str]],
    *,
    on_message: typing.Optional[typing.Callable[[PushedMessage], typing.Any]] = None,
    on_state: typing.Optional[typing.Callable[[State], typing.Any]] = None,
    on_presence: typing.Optional[typing.Callable[[Presence], typing.Any]] = None,
    on_unread: typing.Optional[typing.Callable[[int], typing.Any]] = None,
    acknowledge: bool = False,
    remember: int = 10_000,
    ssl_context: typing.Optional[ssl.SSLContext] = None,
) -> AsyncConnection:
    """Same as `connect`, in tasks of the running event loop. `on_message` can be a coroutine function, and is awaited."""
    return AsyncConnection(Tasks(ssl_context), connection_uri, _Options(on_message, on_state, on_presence, on_unread, acknowledge, remember))


class Push(PushOperations):
    """The operations of websockets-manager, and connections of recipients."""

    def __init__(self, send: Send, context: typing.Optional[ssl.SSLContext]) -> None:
        super().__init__(send)
        self._context = context

    def connect(
        self,
        registration: typing.Union[str, RegisterRecipientInput],
        *,
        on_message: typing.Optional[typing.Callable[[PushedMessage], typing.Any]] = None,
        on_state: typing.Optional[typing.Callable[[State], typing.Any]] = None,
        on_presence: typing.Optional[typing.Callable[[Presence], typing.Any]] = None,
        on_unread: typing.Optional[typing.Callable[[int], typing.Any]] = None,
        remember: int = 10_000,
    ) -> Connection:
        """
        Registers a recipient, by its name or with more fields, and connects as it. With `acknowledge`, a message counts as
        delivered once it was handled.
        """
        wish = _wish_of(registration)
        return connect(
            lambda: self.register_recipient(wish, select="connectionUri").connection_uri,
            on_message=on_message,
            on_state=on_state,
            on_presence=on_presence,
            on_unread=on_unread,
            acknowledge=wish.acknowledge is True,
            remember=remember,
            ssl_context=self._context,
        )


class AsyncPush(AsyncPushOperations):
    """The operations of websockets-manager, and connections of recipients."""

    def __init__(self, send: Send, context: typing.Optional[ssl.SSLContext]) -> None:
        super().__init__(send)
        self._context = context

    def connect(
        self,
        registration: typing.Union[str, RegisterRecipientInput],
        *,
        on_message: typing.Optional[typing.Callable[[PushedMessage], typing.Any]] = None,
        on_state: typing.Optional[typing.Callable[[State], typing.Any]] = None,
        on_presence: typing.Optional[typing.Callable[[Presence], typing.Any]] = None,
        on_unread: typing.Optional[typing.Callable[[int], typing.Any]] = None,
        remember: int = 10_000,
    ) -> AsyncConnection:
        """Same as `Push.connect`. `on_message` can be a coroutine function, and is awaited."""
        wish = _wish_of(registration)

        async def ask() -> str:
            return (await self.register_recipient(wish, select="connectionUri")).connection_uri

        return connect_async(
            ask,
            on_message=on_message,
            on_state=on_state,
            on_presence=on_presence,
            on_unread=on_unread,
            acknowledge=wish.acknowledge is True,
            remember=remember,
            ssl_context=self._context,
        )


def _wish_of(registration: typing.Union[str, RegisterRecipientInput]) -> RegisterRecipientInput:
    return RegisterRecipientInput(recipient=registration) if isinstance(registration, str) else registration


def _message_of(given: typing.Dict[str, typing.Any]) -> PushedMessage:
    return PushedMessage(
        id=given["id"],
        message=given["message"],
        recipient=given.get("recipient"),
        topic=given.get("topic"),
        global_message_id=given.get("globalMessageId"),
        created_at=time_of(given["createdAt"]) if given.get("createdAt") else None,
        expires_at=time_of(given["expiresAt"]) if given.get("expiresAt") else None,
        replayed=given.get("replayed", False),
        inbox=given.get("inbox", False),
    )
