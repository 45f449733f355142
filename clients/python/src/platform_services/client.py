"""The clients: all services, with the rights of one key."""

from __future__ import annotations

import functools
import json
import math
import re
import ssl
import time
import typing

from .errors import REFUSALS, Head, error_of, error_of_answer, parse
from .files import AsyncFiles, Files, Transfers
from .http import path_of
from .log import AsyncLog, Log
from .operations import Send, encode
from .push import AsyncPush, Push
from .receivers import AsyncWebhooks, Webhooks
from .retry import is_passing, retrying
from .runtime import Runtime, run
from .tasks import Tasks
from .threads import Threads
from .tokens import AsyncTokens, Tokens
from .types.admin import AdminOperations, AsyncAdminOperations
from .types.email import AsyncEmailOperations, EmailOperations
from .types.rendering import AsyncRenderingOperations, RenderingOperations


class _Sender:
    """Sends operations to the services, and retries repeatable ones."""

    def __init__(self, runtime: Runtime, url: str, key: str, retries: int, timeout: float) -> None:
        self._runtime = runtime
        self._url = url
        self._key = key
        self._retries = retries
        self._timeout = timeout

    def within(self, seconds: float) -> Send:
        """Limits operations, with their retries, to this time from now."""
        return functools.partial(self.send, end=time.monotonic() + seconds)

    async def send(
        self, service: str, document: str, variables: typing.Dict[str, typing.Any], is_repeatable: bool, end: float = math.inf
    ) -> typing.Dict[str, typing.Any]:
        body = json.dumps({"query": document, "variables": variables}).encode()
        path = path_of(f"{self._url}/{service}/graphql")
        headers = {"Content-Type": "application/json", "Accept": "application/json", "X-Api-Key": self._key}

        def left(longest: float) -> float:
            return min(longest, max(end - time.monotonic(), 0.001))

        async def attempt(_: int) -> typing.Dict[str, typing.Any]:
            return _data_of(*await self._runtime.post(path, body, headers, left(self._timeout)))

        return await retrying(
            attempt,
            self._retries,
            lambda seconds: self._runtime.sleep(left(seconds)),
            lambda error, _: is_passing(error) and (is_repeatable or not error.may_have_happened) and time.monotonic() < end,
        )


def _checked(url: str, key: str) -> str:
    if not isinstance(url, str) or not re.match(r"https?://[^/]", url):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError("url must be the http or https address of the server")
    if not isinstance(key, str) or not re.fullmatch(r"[\x21-\x7e]+", key):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError("key must be a service access key")
    return url.rstrip("/")


class Client:
    """
    Calls the services. `url` is that of the server, and `key` a service access key, which is sent in a header and must stay on
    your server. Threads can share it.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        retries: int = 5,
        timeout: float = 40.0,
        ssl_context: typing.Optional[ssl.SSLContext] = None,
    ) -> None:
        """
        `retries`: number of retries of a repeatable operation. `timeout`: seconds of one attempt; the server stops an operation
        after 30.
        """
        url = _checked(url, key)
        self._runtime = Threads(ssl_context, url)
        sender = _Sender(self._runtime, url, key, retries, timeout)
        self._send = send = sender.send
        self.files = Files(send, Transfers(self._runtime, send, sender.within, retries))
        self.rendering = RenderingOperations(send)
        self.push = Push(send, ssl_context)
        self.log = Log(send, self._runtime)
        self.email = EmailOperations(send)
        self.admin = AdminOperations(send)
        self.webhooks = Webhooks(send)
        self.tokens = Tokens(_by_name(self))

    def request(
        self,
        service: str,
        document: str,
        variables: typing.Optional[typing.Mapping[str, typing.Any]] = None,
        *,
        is_repeatable: bool = False,
    ) -> typing.Dict[str, typing.Any]:
        """
        Sends a document of your own to a service, such as `file-management`, and returns its data. It is retried only if
        `is_repeatable` is set: for queries, and mutations with idempotency keys.
        """
        return run(self._send(service, document, encode(dict(variables or {})), is_repeatable))

    def close(self) -> None:
        """Closes idle connections. The client opens new ones when it is used again."""
        self._runtime.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient:
    """
    Same as `Client`, for asyncio: its methods are awaited, and lists iterated with `async for`. Tasks can share it, and event loops
    can use it one after another.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        retries: int = 5,
        timeout: float = 40.0,
        ssl_context: typing.Optional[ssl.SSLContext] = None,
    ) -> None:
        """Same as `Client`."""
        url = _checked(url, key)
        self._runtime = Tasks(ssl_context, url)
        sender = _Sender(self._runtime, url, key, retries, timeout)
        self._send = send = sender.send
        self.files = AsyncFiles(send, Transfers(self._runtime, send, sender.within, retries))
        self.rendering = AsyncRenderingOperations(send)
        self.push = AsyncPush(send, ssl_context)
        self.log = AsyncLog(send, self._runtime)
        self.email = AsyncEmailOperations(send)
        self.admin = AsyncAdminOperations(send)
        self.webhooks = AsyncWebhooks(send)
        self.tokens = AsyncTokens(_by_name(self))

    async def request(
        self,
        service: str,
        document: str,
        variables: typing.Optional[typing.Mapping[str, typing.Any]] = None,
        *,
        is_repeatable: bool = False,
    ) -> typing.Dict[str, typing.Any]:
        """Same as `Client.request`."""
        return await self._send(service, document, encode(dict(variables or {})), is_repeatable)

    async def close(self) -> None:
        """Closes idle connections. The client opens new ones when it is used again."""
        self._runtime.close()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _by_name(client: typing.Union[Client, AsyncClient]) -> typing.Dict[str, typing.Any]:
    return {
        "file-management": client.files,
        "document-rendering": client.rendering,
        "websockets-manager": client.push,
        "document-log": client.log,
        "email": client.email,
    }


def _data_of(head: Head, body: bytes) -> typing.Dict[str, typing.Any]:
    answer = parse(body)
    errors = typing.cast(typing.List[typing.Dict[str, typing.Any]], answer.get("errors") or [])
    if errors:
        extensions: typing.Dict[str, typing.Any] = errors[0].get("extensions") or {}
        parts: typing.Dict[str, typing.Any] = answer.get("data") or {}
        code = extensions.get("code") or "INTERNAL_SERVER_ERROR"
        # Another field of the same document may have changed something before.
        is_nothing_done = code in REFUSALS and all(value is None for value in parts.values())
        raise error_of(
            code,
            errors[0].get("message", ""),
            head,
            field=extensions.get("field"),
            may_have_happened=head.may_have_happened and not is_nothing_done,
        )
    if not answer.get("data"):
        raise error_of_answer(head, body)
    return typing.cast(typing.Dict[str, typing.Any], answer["data"])
