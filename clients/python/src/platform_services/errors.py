"""Errors: refusals by the services, and failures to get a response."""

from __future__ import annotations

import json
import typing

from .kinds import is_object


class PlatformError(Exception):
    """A refusal. `code` is from a closed list, and each code has a class."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: typing.Optional[str] = None,
        status: typing.Optional[int] = None,
        request_id: typing.Optional[str] = None,
        retry_after: typing.Optional[float] = None,
        may_have_happened: bool = True,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        # Path of the invalid input, such as input.expiresIn.
        self.field = field
        # HTTP status; 200 for most GraphQL errors.
        self.status = status
        # Id of the request in the log of the server.
        self.request_id = request_id
        # Seconds to wait, as requested by the server.
        self.retry_after = retry_after
        # False if the server certainly did nothing.
        self.may_have_happened = may_have_happened


class BadRequestError(PlatformError):
    pass


class ParseFailedError(PlatformError):
    pass


class ValidationFailedError(PlatformError):
    pass


class BadUserInputError(PlatformError):
    pass


class UnauthenticatedError(PlatformError):
    pass


class ForbiddenError(PlatformError):
    pass


class NotFoundError(PlatformError):
    pass


class ConflictError(PlatformError):
    pass


class FailedPreconditionError(PlatformError):
    pass


class PayloadTooLargeError(PlatformError):
    pass


class RateLimitedError(PlatformError):
    pass


class ServiceUnavailableError(PlatformError):
    pass


class InternalServerError(PlatformError):
    pass


class ConnectionBrokenError(PlatformError):
    """The connection could not be opened, or broke before the response."""

    def __init__(self, message: str, *, may_have_happened: bool = True) -> None:
        super().__init__("CONNECTION_BROKEN", message, may_have_happened=may_have_happened)


class TimedOutError(PlatformError):
    """No response, or no byte, arrived in time."""

    def __init__(self, message: str, *, may_have_happened: bool = True) -> None:
        super().__init__("TIMED_OUT", message, may_have_happened=may_have_happened)


class ContentMismatchError(PlatformError):
    """Content differs from what was sent or read before."""

    def __init__(self, message: str) -> None:
        super().__init__("CONTENT_MISMATCH", message)


# Class of each code of the server.
CLASSES: typing.Dict[str, typing.Type[PlatformError]] = {
    "BAD_REQUEST": BadRequestError,
    "GRAPHQL_PARSE_FAILED": ParseFailedError,
    "GRAPHQL_VALIDATION_FAILED": ValidationFailedError,
    "BAD_USER_INPUT": BadUserInputError,
    "UNAUTHENTICATED": UnauthenticatedError,
    "FORBIDDEN": ForbiddenError,
    "NOT_FOUND": NotFoundError,
    "CONFLICT": ConflictError,
    "FAILED_PRECONDITION": FailedPreconditionError,
    "PAYLOAD_TOO_LARGE": PayloadTooLargeError,
    "RATE_LIMITED": RateLimitedError,
    "SERVICE_UNAVAILABLE": ServiceUnavailableError,
    "INTERNAL_SERVER_ERROR": InternalServerError,
}

# Codes of an operation that changed nothing.
REFUSALS = frozenset(
    (
        "BAD_REQUEST",
        "GRAPHQL_PARSE_FAILED",
        "GRAPHQL_VALIDATION_FAILED",
        "BAD_USER_INPUT",
        "UNAUTHENTICATED",
        "FORBIDDEN",
        "NOT_FOUND",
        "CONFLICT",
        "FAILED_PRECONDITION",
        "RATE_LIMITED",
    )
)

# Codes of responses sent by a proxy in front of the services.
_BY_STATUS = {
    401: "UNAUTHENTICATED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    409: "CONFLICT",
    410: "NOT_FOUND",
    412: "FAILED_PRECONDITION",
    413: "PAYLOAD_TOO_LARGE",
    429: "RATE_LIMITED",
    502: "SERVICE_UNAVAILABLE",
    503: "SERVICE_UNAVAILABLE",
    504: "SERVICE_UNAVAILABLE",
}


class Head(typing.NamedTuple):
    """Parts of a response that errors are made from. Header names are in lower case."""

    status: int
    headers: typing.Dict[str, str]

    @property
    def retry_after(self) -> typing.Optional[float]:
        value = self.headers.get("retry-after", "").strip()
        return float(value) if value.isascii() and value.isdigit() else None

    @property
    def may_have_happened(self) -> bool:
        """A refused request, or one without a server, never started."""
        return self.status < 400 or (self.status >= 500 and self.status != 503)


def error_of(
    code: str, message: str, head: Head, *, field: typing.Optional[str] = None, may_have_happened: bool = True
) -> PlatformError:
    return CLASSES.get(code, PlatformError)(
        code,
        message,
        field=field,
        status=head.status,
        request_id=head.headers.get("x-request-id"),
        retry_after=head.retry_after,
        may_have_happened=may_have_happened,
    )


def error_of_answer(head: Head, body: bytes) -> PlatformError:
    """Returns the error of a route outside GraphQL, whose body is {"code", "message"} unless a proxy answered."""
    content = parse(body)
    if isinstance(content.get("code"), str) and isinstance(content.get("message"), str):
        return error_of(content["code"], content["message"], head, may_have_happened=head.may_have_happened)
    code = _BY_STATUS.get(head.status) or ("INTERNAL_SERVER_ERROR" if head.status >= 500 else "BAD_REQUEST")
    return error_of(code, f"The server answered with status {head.status}", head, may_have_happened=head.may_have_happened)


def parse(body: bytes) -> typing.Dict[str, typing.Any]:
    """Returns the fields of an object in JSON; none for anything else."""
    try:
        content: typing.Any = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return content if is_object(content) else {}
