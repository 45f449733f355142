"""Verification of webhook requests, as in Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import datetime
import hashlib
import hmac
import json
import math
import re
import sys
import time
import typing
from dataclasses import dataclass

from .kinds import is_binary, is_object
from .operations import Record, decode, time_of
from .types.events import OBJECTS, EventObject

_R = typing.TypeVar("_R", bound=Record)

_PREFIX = "whsec_"
# Standard Webhooks requires 24 to 64 bytes.
_LEAST_KEY_BYTES = 24


class WebhookVerificationError(Exception):
    """
    A request that a webhook did not just send: answer with 400, and do nothing else. `reason` is MISSING_HEADER,
    MALFORMED_HEADER, TOO_OLD, TOO_NEW, WRONG_SIGNATURE or NOT_AN_EVENT.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Event:
    """An event as sent to a webhook. Ignore values of `type` that you do not know: a newer server may have more."""

    # The same in each attempt and for each webhook.
    id: str
    # The service, such as /file-management.
    source: str
    # Such as file.done.
    type: str
    time: datetime.datetime
    # Id of the object.
    subject: str
    # Object as the API shows it, with the names of the schema; over 256 KiB only its id.
    data: typing.Dict[str, typing.Any]
    # Whether the object was too large for the event.
    is_truncated: bool

    @property
    def object(self) -> typing.Optional["EventObject"]:
        """
        Returns the object as a type of its service, such as `files.File`, with the fields of the event: only `id` if
        `is_truncated`. None for a ping, and for a type that only a newer server has.
        """
        kind = OBJECTS.get(f"{self.source} {self.type}")
        return typing.cast("typing.Optional[EventObject]", kind and self.read(kind))

    def read(self, kind: typing.Type[_R]) -> _R:
        """
        Returns the object as a type of its service, such as `files.File` for a `type` that begins with `file.`, with the fields
        of the event: only `id` if `is_truncated`.
        """
        types: typing.Dict[str, type] = vars(sys.modules[kind.__module__])
        return typing.cast(_R, decode(types, kind.__name__, self.data))


class Headers(typing.Protocol):
    """A dict, or the headers of http.server, Flask, Django or Starlette."""

    def items(self) -> typing.Iterable[typing.Tuple[str, str]]: ...


def verify_webhook(
    body: typing.Union[str, bytes, bytearray, memoryview],
    headers: "Headers",
    secrets: typing.Union[str, typing.Sequence[str]],
    *,
    tolerance: float = 300.0,
) -> Event:
    """
    Returns the event of a request after verifying its signature and time. The body must be raw, not parsed JSON. Header names
    match in any case. Pass several secrets during a rotation, or if one URL serves several webhooks. `tolerance` is the allowed
    difference between the clocks in seconds. Raises WebhookVerificationError.
    """
    if not isinstance(body, str) and not is_binary(body):
        raise TypeError("The body must be the bytes or the text of the request, not what a parser made of them")
    keys = [_key_of(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("Give the secret of the webhook")
    named = {name.lower(): value for name, value in headers.items()}
    id = _header_of(named, "webhook-id")
    timestamp = _header_of(named, "webhook-timestamp")
    signatures = _signatures_of(_header_of(named, "webhook-signature"))
    _check_time(timestamp, tolerance)
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{id}.{timestamp}.".encode() + content
    expected = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    # Compares all with all, so that timing reveals nothing.
    matches = [hmac.compare_digest(one, other) for one in expected for other in signatures]
    if not any(matches):
        raise WebhookVerificationError("WRONG_SIGNATURE", "No signature fits the body and a secret")
    return _event_of(content)


def _key_of(secret: str) -> bytes:
    key = _bytes_of(secret[len(_PREFIX) :] if secret.startswith(_PREFIX) else secret)
    if key is None or len(key) < _LEAST_KEY_BYTES:
        raise ValueError("A secret must be as create_webhook returned it: whsec_ and base64")
    return key


def _header_of(headers: typing.Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise WebhookVerificationError("MISSING_HEADER", f"The request has no header {name}")
    return value


def _check_time(timestamp: str, tolerance: float) -> None:
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("MALFORMED_HEADER", "The header webhook-timestamp is not a number of seconds")
    age = math.floor(time.time()) - int(timestamp)
    if age > tolerance:
        raise WebhookVerificationError("TOO_OLD", f"The request is {age} s old")
    if -age > tolerance:
        raise WebhookVerificationError("TOO_NEW", f"The request is from {-age} s in the future: compare the clocks")


def _signatures_of(header: str) -> typing.List[bytes]:
    """Returns the signatures of the known version. A header can have others, separated by spaces."""
    known = [_bytes_of(one[len("v1,") :]) for one in header.split(" ") if one.startswith("v1,")]
    return [one for one in known if one is not None]


def _bytes_of(text: str) -> typing.Optional[bytes]:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _event_of(content: bytes) -> Event:
    try:
        event: typing.Any = json.loads(content.decode())
    except (ValueError, RecursionError):
        event = None
    if not is_object(event) or not isinstance(event.get("type"), str) or not isinstance(event.get("id"), str):
        raise WebhookVerificationError("NOT_AN_EVENT", "The body is signed, but it is no event in JSON")
    data: typing.Any = event.get("data")
    return Event(
        id=event["id"],
        source=str(event.get("source", "")),
        type=event["type"],
        time=time_of(str(event.get("time", ""))),
        subject=str(event.get("subject", "")),
        data=data if is_object(data) else {},
        is_truncated=event.get("datatruncated") is True,
    )
