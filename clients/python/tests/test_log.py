from __future__ import annotations

import dataclasses
import datetime
import decimal
import threading
import typing
import unittest
import uuid

from platform_services import AuditSubject, BadUserInputError, Client, ConnectionBrokenError, RateLimitedError, audit
from platform_services.types import log
from support import KEY, PlatformTest


def record(document_id: str, document_type: str = "order", **more: typing.Any) -> log.CreateLogInput:
    given: typing.Dict[str, typing.Any] = {"date_time": "2026-01-01T00:00:00Z", **more}
    return log.CreateLogInput(document_id=document_id, document_type=document_type, **given)


class Writing(PlatformTest):
    def ids_of(self, document_type: str) -> typing.List[str]:
        found = self.client.log.all_logs(filter=log.LogsFilter(document_type=document_type), select="id")
        return sorted(one.id for one in found)

    def count_requests(self) -> typing.List[bytes]:
        """Returns a list of the requests to the log that come from now on."""
        requests: typing.List[bytes] = []

        def look(data: bytes) -> None:
            if data.startswith(b"POST /document-log"):
                requests.append(data)

        self.proxy.answer = look
        return requests

    def test_records_are_grouped_into_few_requests_and_each_gets_its_id(self) -> None:
        requests = self.count_requests()
        with self.client.log.writer() as writer:
            stored = [writer.write(record(f"many-{number}", "many-py")) for number in range(300)]
        ids = [one.result(0) for one in stored]
        self.assertEqual(len(set(ids)), 300)
        self.assertLess(len(requests), 10)
        self.assertEqual(self.ids_of("many-py"), sorted(ids))
        with self.assertRaisesRegex(RuntimeError, "The writer is closed"):
            writer.write(record("late")).result(0)

    def test_a_full_batch_does_not_wait_and_a_large_one_is_sent_in_several_requests(self) -> None:
        requests = self.count_requests()
        writer = self.client.log.writer(gather=60, batch_records=60)
        value = log.ValueInput(raw="x" * 65_536, display="y" * 65_536)
        stored = [writer.write(record(str(number), "large-py", attribute_new_value=value)) for number in range(60)]
        self.assertEqual(len({one.result(60) for one in stored}), 60)
        self.assertEqual(len(requests), 2)

    def test_several_threads_share_a_writer(self) -> None:
        with self.client.log.writer(batch_records=7) as writer:
            threads = [
                threading.Thread(target=lambda: [writer.write(record("1", "threads-py")) for _ in range(50)]) for _ in range(4)
            ]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
            writer.flush()
            self.assertEqual(len(self.ids_of("threads-py")), 200)

    def test_a_batch_whose_response_was_cut_is_resent_and_stored_once(self) -> None:
        cuts = self.proxy.cut_once(rb"HTTP/1.1 200")
        with self.client.log.writer(gather=0.001) as writer:
            stored = [writer.write(record(id, "cut-py")) for id in ("a", "b")]
        self.assertEqual(len(cuts), 1)
        self.assertEqual(self.ids_of("cut-py"), sorted(one.result(0) for one in stored))

    def test_only_invalid_records_are_refused_even_if_one_fails_the_whole_batch(self) -> None:
        refused: typing.List[str] = []
        with self.client.log.writer(on_error=lambda _, one: refused.append(one.document_id)) as writer:
            stored = [
                writer.write(record(id, "mixed-py", **({"date_time": "yesterday"} if id == "bad time" else {})))
                for id in ("", "good", "bad time", "better", "best")
            ]
        errors = [one.exception(0) for one in stored]
        self.assertEqual([type(one) for one in errors if one], [BadUserInputError, BadUserInputError])
        self.assertEqual(refused, ["", "bad time"])
        self.assertEqual(len(self.ids_of("mixed-py")), 3)

    def test_a_record_that_cannot_be_written_is_refused_alone(self) -> None:
        with self.client.log.writer() as writer:
            naive = writer.write(record("1", "naive-py", date_time=datetime.datetime(2026, 1, 1)))
            good = writer.write(record("2", "naive-py"))
        self.assertIsInstance(naive.exception(0), ValueError)
        self.assertEqual(self.ids_of("naive-py"), [good.result(0)])

    def test_the_queue_of_records_is_limited(self) -> None:
        writer = self.client.log.writer(max_waiting=2, gather=60)
        waiting = [writer.write(record(id)) for id in ("1", "2")]
        self.assertFalse(waiting[0].cancel())
        error = writer.write(record("3")).exception(0)
        assert isinstance(error, RateLimitedError)
        self.assertFalse(error.may_have_happened)
        writer.close()
        self.assertEqual(len({one.result(0) for one in waiting}), 2)
        with self.assertRaises(ValueError):
            self.client.log.writer(batch_records=2_001)

    def test_a_writer_survives_errors_in_on_error_and_a_dead_server(self) -> None:
        self.proxy.close()
        self.addCleanup(self.proxy.open)
        told: typing.List[BaseException] = []

        def fail(error: BaseException, _: log.CreateLogInput) -> None:
            told.append(error)
            writer.close()  # would wait for itself

        writer = Client(self.url, KEY, retries=0).log.writer(on_error=fail)
        with self.assertLogs("concurrent.futures", "ERROR"):
            gone = [writer.write(record(id)) for id in ("1", "2")]
            writer.flush()
        self.assertEqual([one.exception(0) for one in gone], told)
        self.assertIsInstance(told[0], ConnectionBrokenError)


@dataclasses.dataclass
class Address:
    city: str
    zip: typing.Optional[str]


class Order:
    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)
        self._session = object()


class Auditing(PlatformTest):
    subject = AuditSubject("invoice", "7-py", author=log.AuthorInput(id="ann"), ignore=["password"])
    before = Order(
        status="open", total=12.5, address=Address("Ulm", "89073"), tags=[{"b": 1, "a": 2.0}], password="x", at=datetime.date(2026, 1, 1)
    )

    def test_a_change_is_stored_so_that_the_state_can_be_read_back(self) -> None:
        after = {
            "status": "paid",
            "total": 12.5,
            "address": {"city": "Bonn", "zip": None},
            "tags": [{"a": 2, "b": 1}],
            "password": "y",
            "at": datetime.date(2026, 1, 1),
            "note": "n",
        }
        records = audit(self.before, after, self.subject)
        changes = [(one.attribute.id, *[value and value.raw for value in (one.attribute_old_value, one.attribute_new_value)]) for one in records]  # type: ignore[union-attr]
        self.assertEqual(
            changes,
            [("status", "open", "paid"), ("address.city", "Ulm", "Bonn"), ("address.zip", "89073", None), ("note", None, "n")],
        )
        self.assertEqual({one.action for one in records}, {"update"})
        with self.client.log.writer() as writer:
            for one in records:
                writer.write(one)
        state = self.client.log.document_state(document_id="7-py", document_type="invoice")
        self.assertIn(("address.city", "Bonn"), [(one.attribute_id, one.value and one.value.raw) for one in state])

    def test_a_document_can_be_created_and_deleted_and_values_are_written_as_their_texts(self) -> None:
        day = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        values = {"a": 1, "at": day, "big": 2**70, "price": decimal.Decimal("1.50"), "set": {"b", "a"}, "no": None, "yes": True}
        created = audit(None, {**values, "id": uuid.UUID(int=1), "ä": {"ö": {}}, "list": []}, self.subject)
        texts = [one.attribute_new_value and one.attribute_new_value.raw for one in created]
        zero = "00000000-0000-0000-0000-000000000001"
        self.assertEqual(texts, ["1", "1970-01-01T00:00:00+00:00", str(2**70), "1.50", '["a","b"]', "true", zero, "[]"])
        self.assertEqual({one.action for one in created}, {"create"})
        deleted = audit({"a": 1}, None, dataclasses.replace(self.subject, author=None))
        self.assertEqual([(one.action, one.attribute_new_value) for one in deleted], [("delete", None)])
        self.assertEqual(audit(self.before, self.before, self.subject), [])
        with self.assertRaises(TypeError):
            audit("a", "b", self.subject)

    def test_a_response_object_is_compared_by_its_selected_fields(self) -> None:
        stored = self.client.log.create_log(record("answer-py"), select="item { documentId documentType comment }")
        changed = self.client.log.create_log(record("answer-2-py"), select="item { documentId documentType comment }")
        self.assertEqual([one.attribute.id for one in audit(stored.item, changed.item, self.subject)], ["document_id"])  # type: ignore[union-attr]


if __name__ == "__main__":
    unittest.main()
