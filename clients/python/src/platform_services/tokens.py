"""Access tokens for pages and devices."""

from __future__ import annotations

import typing

from .errors import ForbiddenError
from .operations import UNSET
from .types.files import AccessDenial, AccessToken, AccessTokenInput, DenyAccessInput


class _Manager:
    """The operations of both faces, by the name of the service: every service has them."""

    def __init__(self, services: typing.Mapping[str, typing.Any]) -> None:
        self._services = services

    def _of(self, scope: typing.Sequence[str]) -> typing.List[typing.Any]:
        """Returns the services of a scope, of which the first that the key may use creates the token."""
        own = [one for name, one in self._services.items() if any(entry.startswith(f"{name}-api:") for entry in scope)]
        return own or self._all

    @property
    def _all(self) -> typing.List[typing.Any]:
        return list(self._services.values())


class Tokens(_Manager):
    """Access tokens for pages and devices."""

    def create(
        self,
        scope: typing.Sequence[str],
        expires_in: int,
        *,
        recipient: typing.Optional[str] = UNSET,
        file_prefix: typing.Optional[str] = UNSET,
        origins: typing.Optional[typing.Sequence[str]] = UNSET,
    ) -> AccessToken:
        """
        Creates a token with a part of the rights of the key, for `expires_in` seconds. The key needs `mutation:createAccessToken` of a
        service in the scope.
        """
        given = AccessTokenInput(
            scope=scope, expires_in=expires_in, recipient=recipient, file_prefix=file_prefix, origins=origins
        )
        return _first(self._of(scope), lambda service: service.create_access_token(given))

    def deny(self, *, key_id: typing.Optional[str] = UNSET, recipient: typing.Optional[str] = UNSET) -> AccessDenial:
        """Ends all tokens of a key or for a recipient, within 5 s. The key needs `mutation:denyAccess` of any service."""
        given = DenyAccessInput(key_id=key_id, recipient=recipient)
        return _first(self._all, lambda service: service.deny_access(given))


class AsyncTokens(_Manager):
    """Same as `Tokens`."""

    async def create(
        self,
        scope: typing.Sequence[str],
        expires_in: int,
        *,
        recipient: typing.Optional[str] = UNSET,
        file_prefix: typing.Optional[str] = UNSET,
        origins: typing.Optional[typing.Sequence[str]] = UNSET,
    ) -> AccessToken:
        """Same as `Tokens.create`."""
        given = AccessTokenInput(
            scope=scope, expires_in=expires_in, recipient=recipient, file_prefix=file_prefix, origins=origins
        )
        return await _first_async(self._of(scope), lambda service: service.create_access_token(given))

    async def deny(self, *, key_id: typing.Optional[str] = UNSET, recipient: typing.Optional[str] = UNSET) -> AccessDenial:
        """Same as `Tokens.deny`."""
        given = DenyAccessInput(key_id=key_id, recipient=recipient)
        return await _first_async(self._all, lambda service: service.deny_access(given))


def _first(services: typing.Sequence[typing.Any], call: typing.Callable[[typing.Any], typing.Any]) -> typing.Any:
    for service in services[:-1]:
        try:
            return call(service)
        except ForbiddenError:
            continue
    return call(services[-1])


async def _first_async(services: typing.Sequence[typing.Any], call: typing.Callable[[typing.Any], typing.Any]) -> typing.Any:
    for service in services[:-1]:
        try:
            return await call(service)
        except ForbiddenError:
            continue
    return await call(services[-1])
