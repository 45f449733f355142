"""One receiver for the events of all services."""

from __future__ import annotations

import base64
import secrets
import typing
from dataclasses import dataclass

from .errors import ForbiddenError, NotFoundError, PlatformError
from .operations import Send
from .runtime import run
from .types.events import SERVICES

_FIELDS = "id url events active"
_LIST = f"query {{ webhooks {{ items {{ {_FIELDS} }} }} }}"
_CREATE = f"mutation($input: CreateWebhookInput!) {{ createWebhook(input: $input) {{ webhook {{ {_FIELDS} }} }} }}"
_UPDATE = f"mutation($id: ID!, $input: UpdateWebhookInput!) {{ updateWebhook(id: $id, input: $input) {{ {_FIELDS} }} }}"
_DELETE = "mutation($id: ID!) { deleteWebhook(id: $id) { id } }"
# Fetched instead of received, so it is the URL of no receiver.
_POLL_URL = "poll:"
_ALL = tuple(dict.fromkeys(SERVICES.values()))

_Found = typing.Dict[str, typing.Any]


@dataclass(frozen=True)
class ReceiverWebhook:
    """Webhook of one service, of a receiver."""

    service: str
    """Name of the service, such as file-management."""
    id: str
    events: typing.List[str]
    active: bool


@dataclass(frozen=True)
class WebhookReceiver:
    """A URL, with the webhooks of all services that send to it."""

    url: str
    webhooks: typing.List[ReceiverWebhook]
    secret: typing.Optional[str] = None
    """Secret of all webhooks, from `create`: the given or a new one. None if none was needed: the webhooks keep theirs."""

    @property
    def events(self) -> typing.List[str]:
        """Events of all its webhooks."""
        return [event for one in self.webhooks for event in one.events]


class WebhooksError(Exception):
    """
    Some services failed. The others are done, and calling again completes the rest. `receiver` is what was done, and `failures` has
    the error of each service that failed.
    """

    def __init__(self, receiver: WebhookReceiver, failures: typing.Dict[str, PlatformError]) -> None:
        texts = "; ".join(f"{service}: {error}" for service, error in failures.items())
        super().__init__(f"{texts}. Call again to complete the rest")
        self.receiver = receiver
        self.failures = failures


class _Manager:
    """The webhooks of both faces."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def _create(
        self,
        url: str,
        events: typing.Sequence[str],
        secret: typing.Optional[str],
        description: typing.Optional[str],
    ) -> WebhookReceiver:
        if url == _POLL_URL:
            raise ValueError("poll: has no receiver: use create_webhook of the service")
        wanted = _by_service(events)
        failures: typing.Dict[str, PlatformError] = {}
        before: typing.Dict[str, typing.List[_Found]] = {}
        for service in _ALL:
            try:
                found = await self._found(service)
            except PlatformError as error:
                # A service that the key cannot access has none of its webhooks.
                if service in wanted or not isinstance(error, ForbiddenError):
                    failures[service] = error
                continue
            before[service] = sorted((one for one in found if one["url"] == url), key=lambda one: one["id"])
        if secret is None and any(service in wanted and not found for service, found in before.items()):
            secret = "whsec_" + base64.b64encode(secrets.token_bytes(24)).decode()
        given = {"secret": secret, "description": description}
        more = {name: value for name, value in given.items() if value is not None}
        webhooks: typing.List[ReceiverWebhook] = []
        for service, found in before.items():
            try:
                webhook = await self._keep(service, found, url, wanted.get(service), more)
            except PlatformError as error:
                failures[service] = error
                continue
            if webhook:
                webhooks.append(webhook)
        receiver = WebhookReceiver(url, webhooks, secret)
        if failures:
            raise WebhooksError(receiver, failures) from next(iter(failures.values()))
        return receiver

    async def _keep(
        self,
        service: str,
        found: typing.List[_Found],
        url: str,
        events: typing.Optional[typing.List[str]],
        more: typing.Dict[str, str],
    ) -> typing.Optional[ReceiverWebhook]:
        """Leaves one webhook with the events in a service, or none."""
        for one in found[1:] if events else found:
            await self._remove(service, one["id"])
        if not events:
            return None
        if found:
            input = {"events": events, "active": True, **more}
            answer = await self._send(service, _UPDATE, {"id": found[0]["id"], "input": input}, True)
            webhook = answer["updateWebhook"]
        else:
            answer = await self._send(service, _CREATE, {"input": {"events": events, "url": url, **more}}, False)
            webhook = answer["createWebhook"]["webhook"]
        return ReceiverWebhook(service, webhook["id"], events, webhook["active"])

    async def _list(self) -> typing.List[WebhookReceiver]:
        receivers: typing.Dict[str, WebhookReceiver] = {}
        refusals: typing.List[ForbiddenError] = []
        for service in _ALL:
            try:
                found = await self._found(service)
            except ForbiddenError as error:
                refusals.append(error)
                continue
            for one in found:
                receiver = receivers.setdefault(one["url"], WebhookReceiver(one["url"], []))
                receiver.webhooks.append(ReceiverWebhook(service, one["id"], one["events"], one["active"]))
        if len(refusals) == len(_ALL):
            raise refusals[0]
        return list(receivers.values())

    async def _delete(self, url: str) -> int:
        own = [one for receiver in await self._list() if receiver.url == url for one in receiver.webhooks]
        failures: typing.Dict[str, PlatformError] = {}
        gone: typing.List[ReceiverWebhook] = []
        for one in own:
            try:
                await self._remove(one.service, one.id)
                gone.append(one)
            except PlatformError as error:
                failures[one.service] = error
        if failures:
            raise WebhooksError(WebhookReceiver(url, gone), failures) from next(iter(failures.values()))
        return len(gone)

    async def _found(self, service: str) -> typing.List[_Found]:
        answer = await self._send(service, _LIST, {}, True)
        items: typing.List[_Found] = answer["webhooks"]["items"]
        return [one for one in items if one["url"] != _POLL_URL]

    async def _remove(self, service: str, id: str) -> None:
        try:
            await self._send(service, _DELETE, {"id": id}, True)
        except NotFoundError:
            pass


def _by_service(events: typing.Sequence[str]) -> typing.Dict[str, typing.List[str]]:
    if isinstance(events, str):
        raise TypeError("events is a list of names such as FILE_DONE")
    wanted: typing.Dict[str, typing.List[str]] = {}
    for event in dict.fromkeys(str(one) for one in events):
        if event not in SERVICES:
            raise ValueError(f"{event} is no event: use names such as FILE_DONE")
        wanted.setdefault(SERVICES[event], []).append(event)
    if not wanted:
        raise ValueError("Give at least one event, or delete the webhooks of the URL")
    return wanted


class Webhooks(_Manager):
    """One receiver for all services."""

    def create(
        self,
        url: str,
        events: typing.Sequence[str],
        *,
        secret: typing.Optional[str] = None,
        description: typing.Optional[str] = None,
    ) -> WebhookReceiver:
        """
        Creates the webhooks of a receiver, one in each service that has some of the events, such as `FILE_DONE`. Calling again with
        the same URL updates them: services without events lose their webhook, and inactive ones are active again. `secret`:
        that of all webhooks, `whsec_` and the base64 of 24 to 64 bytes; without one, a new one when a service gets its first webhook.
        Raises WebhooksError if some services failed.
        """
        return run(self._create(url, events, secret, description))

    def list(self) -> typing.List[WebhookReceiver]:
        """Returns the receivers of all services that the key may access."""
        return run(self._list())

    def delete(self, url: str) -> int:
        """Deletes the webhooks of a URL in all services, with their queued events, and returns their number. Raises WebhooksError."""
        return run(self._delete(url))


class AsyncWebhooks(_Manager):
    """Same as `Webhooks`."""

    async def create(
        self,
        url: str,
        events: typing.Sequence[str],
        *,
        secret: typing.Optional[str] = None,
        description: typing.Optional[str] = None,
    ) -> WebhookReceiver:
        """Same as `Webhooks.create`."""
        return await self._create(url, events, secret, description)

    async def list(self) -> typing.List[WebhookReceiver]:
        """Same as `Webhooks.list`."""
        return await self._list()

    async def delete(self, url: str) -> int:
        """Same as `Webhooks.delete`."""
        return await self._delete(url)
