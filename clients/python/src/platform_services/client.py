"""The client: all services, with the rights of one key."""

from __future__ import annotations

import functools
import json
import math
import re
import ssl
import time
import typing

from .errors import REFUSALS, Head, error_of, error_of_answer, parse
from .files import Files
from .types.admin import AdminOperations
from .types.email import EmailOperations
from .types.rendering import RenderingOperations
from .http import Pool, path_of
from .log import Log
from .operations import Send, encode
from .push import Push
from .retry import is_passing, retrying


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
        if not isinstance(url, str) or not re.match(r"https?://[^/]", url):
            raise ValueError("url must be the http or https address of the server")
        if not isinstance(key, str) or not re.fullmatch(r"[\x21-\x7e]+", key):
            raise ValueError("key must be a service access key")
        self._url = url.rstrip("/")
        self._key = key
        self._retries = retries
        self._timeout = timeout
        self._pool = Pool(self._url, ssl_context)
        self.files = Files(self._send, self._send_within, retries, ssl_context)
        self.rendering = RenderingOperations(self._send)
        self.push = Push(self._send, ssl_context)
        self.log = Log(self._send)
        self.email = EmailOperations(self._send)
        self.admin = AdminOperations(self._send)

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
        return self._send(service, document, encode(dict(variables or {})), is_repeatable)

    def close(self) -> None:
        """Closes idle connections. The client opens new ones when it is used again."""
        self._pool.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send_within(self, seconds: float) -> Send:
        """Limits operations, with their retries, to this time from now."""
        return functools.partial(self._send, end=time.monotonic() + seconds)

    def _send(
        self, service: str, document: str, variables: typing.Dict[str, typing.Any], is_repeatable: bool, end: float = math.inf
    ) -> typing.Dict[str, typing.Any]:
        body = json.dumps({"query": document, "variables": variables}).encode()
        path = path_of(f"{self._url}/{service}/graphql")
        headers = {"Content-Type": "application/json", "Accept": "application/json", "X-Api-Key": self._key}

        def left(longest: float) -> float:
            return min(longest, max(end - time.monotonic(), 0.001))

        return retrying(
            lambda _: _data_of(*self._pool.post(path, body, headers, left(self._timeout))),
            self._retries,
            lambda error, _: is_passing(error) and (is_repeatable or not error.may_have_happened) and time.monotonic() < end,
            lambda seconds: time.sleep(left(seconds)),
        )


def _data_of(head: Head, body: bytes) -> typing.Dict[str, typing.Any]:
    answer = parse(body)
    errors = answer.get("errors") if isinstance(answer, dict) else None
    if errors:
        extensions = errors[0].get("extensions") or {}
        code = extensions.get("code") or "INTERNAL_SERVER_ERROR"
        # Another field of the same document may have changed something before.
        is_nothing_done = code in REFUSALS and all(value is None for value in (answer.get("data") or {}).values())
        raise error_of(
            code,
            errors[0].get("message", ""),
            head,
            field=extensions.get("field"),
            may_have_happened=head.may_have_happened and not is_nothing_done,
        )
    if not isinstance(answer, dict) or not answer.get("data"):
        raise error_of_answer(head, body)
    return typing.cast(typing.Dict[str, typing.Any], answer["data"])
