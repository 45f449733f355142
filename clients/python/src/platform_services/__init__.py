"""
Files, document rendering, pushes, the document log and email of platform-services.

`Client` calls the services. The modules `files`, `rendering`, `push`, `log`, `email` and `admin` have the types of each.
"""

from .audit import AuditSubject, audit
from .client import Client
from .errors import (
    BadRequestError,
    BadUserInputError,
    ConflictError,
    ConnectionBrokenError,
    ContentMismatchError,
    FailedPreconditionError,
    ForbiddenError,
    InternalServerError,
    NotFoundError,
    ParseFailedError,
    PayloadTooLargeError,
    PlatformError,
    RateLimitedError,
    ServiceUnavailableError,
    TimedOutError,
    UnauthenticatedError,
    ValidationFailedError,
)
from .files import Download, UploadHandle
from .log import Log, LogWriter
from .operations import UNSET
from .push import Connection, Presence, PushedMessage, State, connect
from .webhooks import Event, WebhookVerificationError, verify_webhook
from . import types

__all__ = [
    "AuditSubject",
    "BadRequestError",
    "BadUserInputError",
    "Client",
    "ConflictError",
    "Connection",
    "ConnectionBrokenError",
    "ContentMismatchError",
    "Download",
    "Event",
    "FailedPreconditionError",
    "ForbiddenError",
    "InternalServerError",
    "Log",
    "LogWriter",
    "NotFoundError",
    "ParseFailedError",
    "PayloadTooLargeError",
    "PlatformError",
    "PushedMessage",
    "RateLimitedError",
    "ServiceUnavailableError",
    "State",
    "TimedOutError",
    "UNSET",
    "UnauthenticatedError",
    "UploadHandle",
    "ValidationFailedError",
    "WebhookVerificationError",
    "audit",
    "connect",
    "types",
    "verify_webhook",
]
