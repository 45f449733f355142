"""
Files, document rendering, pushes, the document log and email of platform-services.

`Client` calls the services, and `AsyncClient` does so for asyncio. The modules `files`, `rendering`, `push`, `log`, `email` and `admin` have the types of each.
"""

from .audit import AuditSubject, audit
from .client import AsyncClient, Client
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
from .files import AsyncDownload, Download, UploadHandle
from .log import AsyncLog, AsyncLogWriter, Log, LogWriter
from .operations import UNSET
from .push import AsyncConnection, Connection, Presence, PushedMessage, State, connect, connect_async
from .receivers import AsyncWebhooks, ReceiverWebhook, WebhookReceiver, Webhooks, WebhooksError
from .tokens import AsyncTokens, Tokens
from .webhooks import Event, WebhookVerificationError, verify_webhook
from . import types

__all__ = [
    "AsyncClient",
    "AsyncConnection",
    "AsyncDownload",
    "AsyncLog",
    "AsyncLogWriter",
    "AsyncTokens",
    "AsyncWebhooks",
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
    "Presence",
    "PushedMessage",
    "RateLimitedError",
    "ReceiverWebhook",
    "ServiceUnavailableError",
    "State",
    "TimedOutError",
    "Tokens",
    "UNSET",
    "UnauthenticatedError",
    "UploadHandle",
    "ValidationFailedError",
    "WebhookReceiver",
    "WebhookVerificationError",
    "Webhooks",
    "WebhooksError",
    "audit",
    "connect",
    "connect_async",
    "types",
    "verify_webhook",
]
