from __future__ import annotations

import concurrent.futures
import json
import os
import threading
import unittest

import platform_services
from platform_services import (
    BadUserInputError,
    Client,
    ConflictError,
    ConnectionBrokenError,
    ForbiddenError,
    NotFoundError,
    PlatformError,
    RateLimitedError,
    ServiceUnavailableError,
    TimedOutError,
    UnauthenticatedError,
    types,
)
from platform_services.errors import CLASSES
from platform_services.types import email, files, log, push, rendering
from support import KEY, UNKNOWN, PlatformTest, in_seconds, until


class Operations(PlatformTest):
    def test_services_return_the_selection_or_all_fields_without_arguments(self) -> None:
        client = self.client
        created = client.files.create_file(files.CreateFileInput(name="a.txt"), select="id uploadUrl(expiresIn: 60)")
        self.assertRegex(created.upload_url or "", "^http")
        whole = client.files.file(created.id)
        assert whole is not None
        self.assertEqual((whole.name, whole.status, whole.attributes), ("a.txt", files.FileStatus.UPLOADING, []))
        with self.assertRaisesRegex(AttributeError, "upload_url was not selected"):
            whole.upload_url
        with self.assertRaisesRegex(AttributeError, "has no nothing"):
            whole.nothing  # type: ignore[attr-defined]
        self.assertIsNone(client.files.file(UNKNOWN))
        client.rendering.create_template(
            rendering.CreateTemplateInput(
                name="hello", type=rendering.TemplateType.DOCUMENT, content_type=rendering.ContentType.PLAIN, body="Hello {{ name }}"
            )
        )
        rendered = client.rendering.render(rendering.RenderingInput(template_name="hello", params='{"name": "Ann"}'))
        self.assertEqual(rendered and rendered.body, "Hello Ann")
        registered = client.push.register_recipient(push.RegisterRecipientInput(recipient="somebody"))
        self.assertRegex(registered.connection_uri, "^ws")
        name = {"en": "Total", "de": "Summe"}
        stored = client.log.create_log(
            log.CreateLogInput(
                document_id="1", document_type="order", date_time=in_seconds(0), attribute=log.AttributeInput(name=name)
            )
        )
        items = client.log.logs(filter=log.LogsFilter(id=stored.item_id)).items
        self.assertEqual([(one.id, one.attribute and one.attribute.name, one.edits) for one in items], [(stored.item_id, name, [])])
        self.assertEqual(client.email.email_identities(), [])
        self.assertRegex(client.email.version() or "", r"^\d+\.\d+\.\d+$")

    def test_none_is_sent_and_unset_fields_are_not(self) -> None:
        made = self.client.files.create_file(files.CreateFileInput(name="null.txt", comment="a"))
        kept = self.client.files.update_file(files.UpdateFileInput(id=made.id, external_reference="b"))
        self.assertEqual((kept.comment, kept.external_reference), ("a", "b"))
        cleared = self.client.files.update_file(files.UpdateFileInput(id=made.id, comment=None))
        self.assertEqual((cleared.comment, cleared.external_reference), (None, "b"))

    def test_a_list_takes_one_value_and_a_time_needs_its_zone(self) -> None:
        mail = email.SendMessageInput(to=email.EmailAddressInput(address="ann@example.com"), subject="s", text_body="t")
        id = self.client.email.send_message(mail).id
        found = next(one for one in self.client.email.all_messages() if one.id == id)
        self.assertEqual([one.address for one in found.to or []], ["ann@example.com"])
        with self.assertRaisesRegex(ValueError, "time zone"):
            self.client.files.files(filter=files.FilesFilter(created_at=files.DateTimeFilter(to=in_seconds(0).replace(tzinfo=None))))

    def test_an_error_has_its_class_code_field_and_request(self) -> None:
        with self.assertRaises(BadUserInputError) as caught:
            self.client.files.create_file(files.CreateFileInput(name="a", expires_in=0))
        error = caught.exception
        self.assertEqual((error.code, error.field, error.status), ("BAD_USER_INPUT", "input.expiresIn", 200))
        self.assertTrue(error.request_id)
        self.assertIn("expiresIn", error.message)
        with self.assertRaises(NotFoundError):
            self.client.files.delete_file(UNKNOWN)
        template = rendering.CreateTemplateInput(
            name="twice", type=rendering.TemplateType.DOCUMENT, content_type=rendering.ContentType.PLAIN, body=""
        )
        self.client.rendering.create_template(template)
        with self.assertRaises(ConflictError):
            self.client.rendering.create_template(template)
        with self.assertRaises(UnauthenticatedError):
            Client(self.url, "wrong").files.version()
        with self.assertRaises(ForbiddenError):
            self.client.admin.version()
        for url, key in (("", KEY), ("ftp://host", KEY), (self.url, ""), (self.url, "a b")):
            with self.assertRaises(ValueError):
                Client(url, key)

    def test_error_codes_match_those_of_the_server(self) -> None:
        self.assertEqual(sorted(CLASSES), sorted(json.loads(os.environ["PLATFORM_CODES"])))
        self.assertEqual(len(set(CLASSES.values())), len(CLASSES))
        for made in CLASSES.values():
            self.assertIs(getattr(platform_services, made.__name__), made)

    def test_every_operation_of_every_schema_has_a_method(self) -> None:
        served = json.loads(os.environ["PLATFORM_OPERATIONS"])
        for service in types.__all__:
            methods = {one.name for one in vars(getattr(types, service)).values() if type(one).__name__ == "Operation"}
            self.assertEqual(sorted(methods), sorted(served[service]))

    def test_pages_are_iterated_and_each_item_is_returned_once(self) -> None:
        names = [f"page-{number}" for number in range(7)]
        for name in names:
            self.client.files.create_file(files.CreateFileInput(name=name), select="id")
        found = self.client.files.all_files(filter=files.FilesFilter(name_prefix="page-"), limit=3, select="name")
        self.assertEqual(sorted(one.name or "" for one in found), names)

    def test_a_document_of_the_caller_is_sent(self) -> None:
        data = self.client.request("file-management", "query($id: ID!) { file(ID: $id) { id } }", {"id": UNKNOWN})
        self.assertEqual(data, {"file": None})

    def test_several_threads_share_a_client(self) -> None:
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda _: self.client.files.version(), range(40)))
        self.assertEqual(len(set(found)), 1)


class Repeating(PlatformTest):
    def test_a_query_whose_connection_was_cut_is_repeated(self) -> None:
        cuts = self.proxy.cut_once(rb"HTTP/1.1 200")
        self.assertTrue(self.client.email.version())
        self.assertEqual(len(cuts), 1)

    def test_a_mutation_with_a_generated_key_happens_once(self) -> None:
        cuts = self.proxy.cut_once(rb"HTTP/1.1 200")
        item = self.client.push.push_message(
            push.MessageInput(recipients="bob-py", message="once", expires_at=in_seconds(600))
        ).item
        self.assertEqual(len(cuts), 1)
        stored = self.client.push.messages(filter=push.MessagesFilter(recipient="bob-py")).items
        self.assertEqual([one.id for one in stored], [item and item.id])

    def test_each_record_of_a_list_has_a_key(self) -> None:
        cuts = self.proxy.cut_once(rb"HTTP/1.1 200")
        records = [log.CreateLogInput(document_id="keys", document_type=kind, date_time="2026-01-01") for kind in ("a", "b")]
        self.client.log.create_log_batch(records)
        self.assertEqual(len(cuts), 1)
        self.assertEqual(len(self.client.log.logs(filter=log.LogsFilter(document_id="keys")).items), 2)

    def test_a_mutation_that_may_have_happened_is_not_repeated(self) -> None:
        cuts = self.proxy.cut_once(rb"HTTP/1.1 200")
        with self.assertRaises(ConnectionBrokenError) as caught:
            self.client.files.create_file(files.CreateFileInput(name="perhaps"))
        self.assertTrue(caught.exception.may_have_happened)
        self.assertEqual(len(cuts), 1)
        self.assertEqual(len(self.client.files.files(filter=files.FilesFilter(name_prefix="perhaps")).items), 1)

    def test_an_unaccepted_operation_is_repeated_until_the_server_is_back(self) -> None:
        self.proxy.close()
        with self.assertRaises(ConnectionBrokenError) as caught:
            Client(self.url, KEY, retries=0).files.version()
        self.assertFalse(caught.exception.may_have_happened)
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            creating = threads.submit(self.client.files.create_file, files.CreateFileInput(name="patient"))
            self.assertFalse(creating.done())
            self.proxy.open()
            self.assertEqual(creating.result().name, "patient")

    def test_a_refusal_with_retry_after_is_retried_after_it(self) -> None:
        body = b'{"errors":[{"message":"slow down","extensions":{"code":"RATE_LIMITED"}}]}'
        refusal = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        requests = self.proxy.answer_once(refusal)
        impatient = Client(self.url, KEY, retries=0)
        with self.assertRaises(RateLimitedError) as caught:
            impatient.files.version()
        self.assertEqual((caught.exception.retry_after, caught.exception.may_have_happened), (1.0, False))
        again = self.proxy.answer_once(refusal)
        self.assertEqual(self.client.files.create_file(files.CreateFileInput(name="waited")).name, "waited")
        self.assertEqual((len(requests), len(again)), (1, 1))

    def test_a_page_of_a_proxy_is_an_error_with_its_status(self) -> None:
        self.proxy.answer_once(b"HTTP/1.1 503 Unavailable\r\nContent-Length: 6\r\n\r\n<html>")
        with self.assertRaises(ServiceUnavailableError):
            Client(self.url, KEY, retries=0).files.version()
        self.proxy.answer_once(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
        with self.assertRaises(PlatformError) as caught:
            self.client.files.version()
        self.assertEqual(caught.exception.status, 302)

    def test_a_slow_response_ends_with_the_timeout_of_an_attempt(self) -> None:
        stop = threading.Event()
        self.addCleanup(stop.set)

        def hold(data: bytes) -> bool:
            stop.wait(30)
            return True

        self.proxy.cuts_answer = hold
        with self.assertRaises(TimedOutError):
            Client(self.url, KEY, retries=0, timeout=0.5).files.version()

    def test_a_connection_that_was_cut_while_it_waited_is_not_used(self) -> None:
        self.client.files.version()
        self.proxy.cut()
        until(lambda: all(not one.can_be_used() for one in self.client._runtime.pool._kept))
        self.assertEqual(self.client.files.create_file(files.CreateFileInput(name="fresh")).name, "fresh")


if __name__ == "__main__":
    unittest.main()
