from __future__ import annotations

import base64
import dataclasses
import hashlib
import hmac
import http.server
import pathlib
import re
import threading
import time
import typing
import unittest

from platform_services import Event, WebhookVerificationError, verify_webhook
from platform_services.operations import Record
from platform_services.types import files
from platform_services.types.events import OBJECTS
from support import PlatformTest, until

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
OTHER = "whsec_" + base64.b64encode(bytes(32)).decode()
BODY = b'{"id":"1","type":"file.done","source":"/file-management","subject":"2","time":"t","data":{"id":"2"}}'


def signed(body: bytes = BODY, at: typing.Optional[int] = None, secret: str = SECRET) -> typing.Dict[str, str]:
    timestamp = str(int(time.time()) if at is None else at)
    key = base64.b64decode(secret[6:])
    signature = base64.b64encode(hmac.new(key, b"1." + timestamp.encode() + b"." + body, hashlib.sha256).digest()).decode()
    return {"webhook-id": "1", "Webhook-Timestamp": timestamp, "webhook-signature": f"v2,xx v1,{signature}"}


EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "docs" / "event-examples.md"


def names_of(value: object) -> object:
    """The names of an object and of those in it."""
    if isinstance(value, list):
        return [names_of(one) for one in value]
    return {name: names_of(one) for name, one in value.items()} if isinstance(value, dict) else None


def wire_names_of(value: object) -> object:
    if isinstance(value, list):
        return [wire_names_of(one) for one in value]
    if not isinstance(value, Record):
        return names_of(value)
    wires = {own: wire for wire, (own, _) in value.WIRE.items()}
    return {wires[name]: wire_names_of(one) for name, one in vars(value).items()}


class Objects(unittest.TestCase):
    def test_every_documented_event_has_an_object_with_all_its_members(self) -> None:
        pattern = r"^## (\w+)\n\n```json\n(.*?)^```$(?:\n\nSame members: ([^\n]*))?"
        sections = re.findall(pattern, EXAMPLES.read_text("utf-8"), re.M | re.S)
        documented = 0
        for first, body, others in sections:
            for name in re.findall("[A-Z_]+", f"{first} {others}"):
                kind = name.lower().replace("_", ".", 1)
                event = dataclasses.replace(verify_webhook(body, signed(body.encode()), SECRET), type=kind)
                documented += 1
                with self.subTest(kind):
                    self.assertIs(type(event.object), OBJECTS[f"{event.source} {kind}"])
                    self.assertEqual(wire_names_of(event.object), names_of(event.data))
        self.assertEqual(documented, len(OBJECTS))

    def test_the_type_of_an_event_determines_the_type_of_its_object(self) -> None:
        event = verify_webhook(BODY, signed(), SECRET)
        assert isinstance(event.object, files.File)
        self.assertEqual(event.object.id, "2")
        for source, kind in (("/file-management", "ping"), ("/file-management", "file.moved"), ("/email", "file.done")):
            self.assertIsNone(dataclasses.replace(event, source=source, type=kind).object)


class Verification(unittest.TestCase):
    def reason(self, body: bytes, headers: typing.Dict[str, str], secrets: typing.Union[str, typing.List[str]] = SECRET) -> str:
        with self.assertRaises(WebhookVerificationError) as caught:
            verify_webhook(body, headers, secrets)
        return caught.exception.reason

    def test_a_signed_request_is_its_event(self) -> None:
        for body in (BODY, BODY.decode(), bytearray(BODY), memoryview(BODY)):
            event = verify_webhook(body, signed(), [OTHER, SECRET])
            self.assertEqual((event.id, event.type, event.data, event.is_truncated), ("1", "file.done", {"id": "2"}, False))
        old = int(time.time()) - 4000
        self.assertEqual(verify_webhook(BODY, signed(at=old), SECRET, tolerance=float("inf")).subject, "2")

    def test_every_other_request_is_refused_with_its_reason(self) -> None:
        now = int(time.time())
        self.assertEqual(self.reason(BODY + b" ", signed()), "WRONG_SIGNATURE")
        self.assertEqual(self.reason(BODY, signed(), OTHER), "WRONG_SIGNATURE")
        self.assertEqual(self.reason(BODY, {**signed(), "webhook-signature": "v1,äöü v1"}), "WRONG_SIGNATURE")
        self.assertEqual(self.reason(BODY, signed(at=now - 400)), "TOO_OLD")
        self.assertEqual(self.reason(BODY, signed(at=now + 400)), "TOO_NEW")
        self.assertEqual(self.reason(BODY, {**signed(), "Webhook-Timestamp": "1e3"}), "MALFORMED_HEADER")
        self.assertEqual(self.reason(BODY, {}), "MISSING_HEADER")
        for body in (b"[]", b"\xff", b"{}"):
            self.assertEqual(self.reason(body, signed(body)), "NOT_AN_EVENT")

    def test_invalid_secrets_and_bodies_raise_value_and_type_errors(self) -> None:
        for secret in typing.cast("typing.List[typing.Union[str, typing.List[str]]]", ["", "whsec_c2hvcnQ=", []]):
            with self.assertRaises(ValueError):
                verify_webhook(BODY, signed(), secret)
        with self.assertRaises(TypeError):
            verify_webhook({"id": "1"}, signed(), SECRET)  # type: ignore[arg-type]


class Deliveries(PlatformTest):
    def test_a_request_signed_by_the_server_is_verified(self) -> None:
        events: typing.List[Event] = []

        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                events.append(verify_webhook(body, self.headers, secret))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        wish = files.CreateWebhookInput(url=f"http://127.0.0.1:{server.server_port}/hooks", events=files.WebhookEvent.FILE_DONE)
        created = self.client.files.create_webhook(wish)
        secret = created.secret
        self.assertEqual(self.client.files.test_webhook(created.webhook.id).status, files.WebhookDeliveryStatus.DELIVERED)
        made = self.client.files.upload(b"content", files.CreateFileInput(name="a.txt"))
        until(lambda: [event.type for event in events] == ["ping", "file.done"])
        file = events[1].read(files.File)
        self.assertEqual((file.id, file.name, file.status, file.author), (made.id, "a.txt", files.FileStatus.DONE, None))
        with self.assertRaises(AttributeError):
            file.upload_url  # noqa: B018 - an event has no signed addresses
        self.client.files.delete_webhook(created.webhook.id)


if __name__ == "__main__":
    unittest.main()
