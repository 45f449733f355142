"""Retries with growing random pauses."""

from __future__ import annotations

import random
import typing

from .errors import ConnectionBrokenError, PlatformError, RateLimitedError, ServiceUnavailableError, TimedOutError

_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 20.0
# Maximum wait before a retry. If the server requests more, its error is raised.
_LONGEST_WAIT = 90.0

T = typing.TypeVar("T")


def pause(failures: int, longest: float = _LONGEST_PAUSE) -> float:
    """Randomizes half of the pause, so that clients that failed together do not return together."""
    whole = min(longest, _FIRST_PAUSE * 2.0 ** min(failures, 20))
    return whole / 2 + random.random() * whole / 2


def is_passing(error: BaseException) -> bool:
    """Returns whether the same request may succeed later."""
    if isinstance(error, RateLimitedError):
        return error.retry_after is not None
    if isinstance(error, (ServiceUnavailableError, ConnectionBrokenError, TimedOutError)):
        return True
    return isinstance(error, PlatformError) and error.status == 408


async def retrying(
    attempt: typing.Callable[[int], typing.Awaitable[T]],
    retries: int,
    sleep: typing.Callable[[float], typing.Awaitable[None]],
    may_repeat: typing.Callable[[PlatformError, int], bool] = lambda error, failures: is_passing(error),
) -> T:
    """
    Retries until success, pausing longer after each failure and at least as long as the server asks. Raises the last failure.
    """
    failures = 0
    while True:
        try:
            return await attempt(failures)
        except PlatformError as error:
            asked = error.retry_after or 0.0
            if failures >= retries or asked > _LONGEST_WAIT or not may_repeat(error, failures):
                raise
            wait = max(pause(failures), asked)
        await sleep(wait)
        failures += 1
