"""One receiver for all services, with both faces."""

from __future__ import annotations

import typing
import unittest

from platform_services import AsyncClient, ForbiddenError, WebhookReceiver, WebhooksError
from platform_services.types import email, files, log, push, rendering
from support import KEY, PlatformTest

EVENTS = [
    files.WebhookEvent.FILE_DONE,
    files.WebhookEvent.FILE_FAILED,
    push.WebhookEvent.MESSAGE_DELIVERED,
    email.WebhookEvent.RECIPIENT_BOUNCED,
    log.WebhookEvent.LOG_CREATED,
    rendering.WebhookEvent.TEMPLATE_CREATED,
]
SERVICES = ["document-log", "document-rendering", "email", "file-management", "websockets-manager"]
SECRET = "whsec_" + "A" * 32


def services(receiver: WebhookReceiver) -> typing.List[str]:
    return sorted(one.service for one in receiver.webhooks)


class Receivers(PlatformTest, unittest.IsolatedAsyncioTestCase):
    def test_a_receiver_has_one_webhook_in_each_service_and_follows_its_events(self) -> None:
        url = "http://127.0.0.1:9/receiver-py"
        webhooks = self.client.webhooks
        created = webhooks.create(url, EVENTS)
        self.assertEqual(services(created), SERVICES)
        self.assertRegex(created.secret or "", "^whsec_")
        again = webhooks.create(url, EVENTS)
        self.assertEqual((again.webhooks, again.secret), (created.webhooks, None))
        fewer = webhooks.create(url, ["LOG_CREATED", "LOG_CREATED"], secret=SECRET)
        self.assertEqual((services(fewer), fewer.events, fewer.secret), (["document-log"], ["LOG_CREATED"], SECRET))
        listed = [one for one in webhooks.list() if one.url == url]
        self.assertEqual([(services(one), one.events) for one in listed], [(["document-log"], ["LOG_CREATED"])])
        self.assertEqual((webhooks.delete(url), webhooks.delete(url)), (1, 0))

    def test_a_failure_of_some_services_is_reported_and_the_next_call_completes_the_rest(self) -> None:
        url = "http://127.0.0.1:9/partial-py"
        refusal = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"
        # The request line and the body can arrive apart.
        self.client.close()
        is_email = [False]

        def answer(data: bytes) -> typing.Optional[bytes]:
            if data.startswith(b"POST"):
                is_email[0] = data.startswith(b"POST /email/")
            return refusal if is_email[0] and b"createWebhook" in data else None

        self.proxy.answer = answer
        with self.assertRaises(WebhooksError) as caught:
            self.client.webhooks.create(url, EVENTS, secret=SECRET)
        error = caught.exception
        self.assertEqual(services(error.receiver), [one for one in SERVICES if one != "email"])
        self.assertEqual([(service, type(one)) for service, one in error.failures.items()], [("email", ForbiddenError)])
        self.assertRegex(str(error), "^email: .* Call again to complete the rest$")
        self.proxy.reset()
        self.assertEqual(services(self.client.webhooks.create(url, EVENTS, secret=SECRET)), SERVICES)
        self.client.webhooks.delete(url)

    async def test_the_asynchronous_face_does_the_same(self) -> None:
        url = "http://127.0.0.1:9/receiver-async"
        async with AsyncClient(self.url, KEY) as client:
            created = await client.webhooks.create(url, EVENTS, description="from a test")
            self.assertEqual(services(created), SERVICES)
            self.assertIn(url, [one.url for one in await client.webhooks.list()])
            self.assertEqual(await client.webhooks.delete(url), 5)

    def test_unknown_events_no_events_and_poll_are_refused(self) -> None:
        for url, events in (("http://127.0.0.1:9", ["NOTHING"]), ("http://127.0.0.1:9", []), ("poll:", EVENTS)):
            with self.assertRaises(ValueError):
                self.client.webhooks.create(url, events)
        with self.assertRaises(TypeError):
            self.client.webhooks.create("http://127.0.0.1:9", "FILE_DONE")


if __name__ == "__main__":
    unittest.main()
