"""The asynchronous face. What both share is tested by the other modules, with the synchronous one."""

from __future__ import annotations

import asyncio
import datetime
import gc
import hashlib
import os
import re
import tempfile
import threading
import typing
import unittest
import warnings

from platform_services import (
    AsyncClient,
    BadUserInputError,
    Client,
    ConnectionBrokenError,
    NotFoundError,
    PayloadTooLargeError,
    Presence,
    PushedMessage,
    RateLimitedError,
    State,
    TimedOutError,
    UploadHandle,
)
from platform_services.types import files, log, push, rendering
from support import KEY, UNKNOWN, PlatformTest, in_seconds

MIB = 1024 * 1024
T = typing.TypeVar("T")


async def until(look: typing.Callable[[], T], seconds: float = 60) -> T:
    """Returns what is found, once it is true."""

    async def poll() -> T:
        while not look():
            await asyncio.sleep(0.02)
        return look()

    return await asyncio.wait_for(poll(), seconds)


class Asynchronous(PlatformTest, unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.own = AsyncClient(self.url, KEY)
        self.addAsyncCleanup(self.own.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def names(self, prefix: str) -> typing.List[typing.Optional[str]]:
        return [one.name for one in self.client.files.all_files(filter=files.FilesFilter(name_prefix=prefix), select="name")]

    async def content(self, id: str) -> bytes:
        async with await self.own.files.download(id) as download:
            return b"".join([chunk async for chunk in download])


class Operations(Asynchronous):
    async def test_operations_pages_times_and_errors_are_those_of_the_client(self) -> None:
        before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=60)
        wish = files.CreateFileInput(name="async-0", expires_in=3600)
        created = await self.own.files.create_file(wish)
        assert created.created_at and created.expires_at
        self.assertTrue(before < created.created_at < created.expires_at)
        self.assertEqual(created.created_at.utcoffset(), datetime.timedelta(0))
        await asyncio.gather(*[self.own.files.create_file(files.CreateFileInput(name=f"async-{at}")) for at in range(1, 6)])
        pages = self.own.files.all_files(filter=files.FilesFilter(name_prefix="async-"), limit=4, select="name")
        self.assertEqual(sorted([one.name or "" async for one in pages]), [f"async-{at}" for at in range(6)])
        with self.assertRaises(BadUserInputError) as caught:
            await self.own.files.create_file(files.CreateFileInput(expires_in=0))
        self.assertEqual((caught.exception.field, caught.exception.status), ("input.expiresIn", 200))
        self.assertIsNone(await self.own.files.file(UNKNOWN))
        data = await self.own.request("file-management", "query($id: ID!) { file(ID: $id) { id } }", {"id": UNKNOWN})
        self.assertEqual(data, {"file": None})
        for url, key in (("", KEY), (self.url, "a b")):
            with self.assertRaises(ValueError):
                AsyncClient(url, key)

    async def test_a_repeatable_operation_survives_lost_answers_and_others_do_not(self) -> None:
        cuts = self.proxy.cut_once(b"HTTP/1.1 200")
        self.assertRegex(await self.own.files.version() or "", r"\d")
        self.assertEqual(len(cuts), 1)
        refused = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n"
        self.proxy.cuts_answer = lambda data: False
        self.proxy.cut()
        seen = self.proxy.answer_once(refused)
        self.assertRegex(await self.own.files.version() or "", r"\d")
        self.assertEqual(len(seen), 1)
        self.proxy.reset()
        await self.own.close()
        cuts = self.proxy.cut_once(b"HTTP/1.1 200")
        with self.assertRaises(ConnectionBrokenError) as broken:
            await self.own.files.create_file(files.CreateFileInput(name="lost-async"))
        self.assertTrue(broken.exception.may_have_happened)
        self.assertEqual(len(cuts), 1)

    async def test_answers_of_proxies_are_read_whichever_way_their_end_is_marked(self) -> None:
        body = b'{"data":{"version":"1.2.3"}}'
        chunked = b"".join(b"%x;a=b\r\n%s\r\n" % (len(part), part) for part in (body[:5], body[5:])) + b"0\r\nx: y\r\n\r\n"
        for answer in (
            b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body),
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + chunked,
            b"HTTP/1.0 200 OK\r\nconnection: close\r\n\r\n" + body,
        ):
            self.proxy.reset()
            await self.own.close()
            self.proxy.answer_once(answer)
            self.assertEqual(await self.own.files.version(), "1.2.3")
        for bad in (b"SSH-2.0\r\n\r\n", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno\r\n", b"x" * 100_000, b""):
            await self.own.close()
            self.proxy.answer_once(bad)
            with self.assertRaises(ConnectionBrokenError):
                await AsyncClient(self.url, KEY, retries=0).files.version()

    async def test_a_silent_server_ends_the_call_in_time(self) -> None:
        self.proxy.answer = lambda data: None
        self.proxy.cuts_answer = lambda data: bool(threading.Event().wait(2))
        with self.assertRaisesRegex(TimedOutError, "within 0.2 s"):
            await AsyncClient(self.url, KEY, retries=0, timeout=0.2).files.version()

    async def test_a_dead_server_is_reported_as_one_that_did_nothing(self) -> None:
        with self.assertRaises(ConnectionBrokenError) as caught:
            await AsyncClient("http://127.0.0.1:9", KEY, retries=0).files.version()
        self.assertFalse(caught.exception.may_have_happened)

    def test_event_loops_can_use_a_client_one_after_another(self) -> None:
        client = AsyncClient(self.url, KEY)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # the first loop ends with an open connection
            for _ in range(2):
                self.assertRegex(asyncio.run(client.files.version()) or "", r"\d")
            asyncio.run(client.close())
            gc.collect()

    async def test_params_and_messages_can_be_values_or_texts(self) -> None:
        preview = rendering.PreviewTemplateInput(
            type=rendering.TemplateType.DOCUMENT, content_type=rendering.ContentType.PLAIN, body="{{ a.b }} {{ c[0] }}"
        )
        for params in ({"a": {"b": "ä"}, "c": [1]}, '{"a":{"b":"ä"},"c":[1]}'):
            shown = await self.own.rendering.preview(rendering.PreviewInput(template=preview, params=params))
            self.assertEqual(shown.body, "ä 1")
        for message, text in (("plain", "plain"), ({"a": 1}, '{"a": 1}'), ([1, None], "[1, null]")):
            wish = push.MessageInput(recipients="json-async", message=message, expires_at=in_seconds(600))
            sent = await self.own.push.push_message(wish)
            assert sent.item is not None
            self.assertEqual(sent.item.message, text)
        with self.assertRaises(ValueError):
            self.client.push.push_message(push.MessageInput(recipients="json-async", message={"a": float("nan")}))


class Transfers(Asynchronous):
    async def test_sources_of_all_kinds_are_uploaded_and_verified(self) -> None:
        content = os.urandom(700_000)
        path = os.path.join(self.folder, "a.bin")
        with open(path, "wb") as file:
            file.write(content)

        async def chunks() -> typing.AsyncIterator[bytes]:
            yield content[:10]
            yield content[10:]

        class Upload:
            """A file like that of FastAPI."""

            def __init__(self) -> None:
                self._left = content

            async def read(self, size: int = -1, /) -> bytes:
                taken, self._left = self._left[:size], self._left[size:]
                return taken

        with open(path, "rb") as opened:
            for source in (path, content, opened, [content[:1], content[1:]], chunks(), Upload()):
                seen: typing.List[typing.Tuple[int, typing.Optional[int]]] = []
                file = await self.own.files.upload(source, on_progress=lambda done, total: seen.append((done, total)))
                self.assertEqual(file.checksum_sha256, hashlib.sha256(content).hexdigest())
                self.assertEqual((seen[-1], file.content_length), ((len(content), len(content)), len(content)))
                self.assertEqual(await self.content(file.id), content)
        copy = os.path.join(self.folder, "copy.bin")
        await self.own.files.download_to(file.id, copy)
        with open(copy, "rb") as copied:
            self.assertEqual(copied.read(), content)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.bin", "copy.bin"])

    async def test_an_upload_and_a_download_survive_broken_connections(self) -> None:
        content = os.urandom(5 * MIB)
        passed = [0]
        cuts: typing.List[int] = []

        def cut(data: bytes) -> bool:
            passed[0] += len(data)
            if passed[0] > MIB * (1 + len(cuts) * 2) and len(cuts) < 2:
                cuts.append(1)
                return True
            return False

        self.proxy.cuts_request = cut
        file = await self.own.files.upload(content)
        self.assertEqual(len(cuts), 2)
        self.proxy.reset()
        passed[0] = 0
        cuts.clear()
        self.proxy.cuts_answer = cut
        self.assertEqual(await self.content(file.id), content)
        self.assertEqual(len(cuts), 2)

    async def test_parts_are_sent_concurrently_and_resume_with_missing_ones(self) -> None:
        content = os.urandom(16 * MIB)
        handles: typing.List[UploadHandle] = []

        def stop(done: int, _: typing.Optional[int]) -> None:
            if done > 11 * MIB:
                raise RuntimeError("stopped")

        wish = {"parts_from": 1, "part_bytes": 5 * MIB, "on_start": handles.append}
        with self.assertRaisesRegex(RuntimeError, "stopped"):
            await self.own.files.upload(content, on_progress=stop, parallel=1, **wish)  # type: ignore[arg-type]
        sent: typing.List[bytes] = []
        self.proxy.cuts_request = lambda data: bool(sent.extend(re.findall(rb"^PUT [^? ]*/(\d+)[? ]", data)))  # type: ignore[func-returns-value]
        file = await self.own.files.upload(content, resume=handles[0])
        self.assertEqual((file.id, sorted(sent)), (handles[0].file_id, [b"3", b"4"]))
        self.assertEqual(await self.content(file.id), content)
        streamed = await self.own.files.upload([content[:9 * MIB], content[9 * MIB :]], part_bytes=5 * MIB)
        self.assertEqual(streamed.content_length, len(content))

    async def test_a_cancelled_or_refused_upload_leaves_no_file(self) -> None:
        stalled = asyncio.Event()

        async def stalling() -> typing.AsyncIterator[bytes]:
            yield bytes(12 * MIB)
            stalled.set()
            await asyncio.Event().wait()

        parts = self.own.files.upload(stalling(), files.CreateFileInput(name="cancelled-parts-async"), part_bytes=5 * MIB)
        task = asyncio.get_running_loop().create_task(parts)
        await stalled.wait()
        self.assertEqual(self.names("cancelled"), ["cancelled-parts-async"])
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        whole = self.own.files.upload(
            bytes(20 * MIB), files.CreateFileInput(name="cancelled-async"), on_progress=lambda done, total: other.cancel()
        )
        other = asyncio.get_running_loop().create_task(whole)
        with self.assertRaises(asyncio.CancelledError):
            await other
        self.assertEqual(self.names("cancelled"), [])
        with self.assertRaises(PayloadTooLargeError):
            await self.own.files.upload(bytes(129 * MIB), files.CreateFileInput(name="refused-async"))
        self.assertEqual(self.names("refused-async"), [])
        for id in (UNKNOWN, (await self.own.files.create_file()).id):
            with self.assertRaises(NotFoundError):
                await self.own.files.download(id)


class Connections(Asynchronous):
    async def push(self, recipient: str, text: str) -> None:
        await self.own.push.push_message(push.MessageInput(recipients=recipient, message=text, expires_at=in_seconds(600)))

    async def test_pushes_are_iterated_across_a_cut_and_each_arrives_once(self) -> None:
        states: typing.List[State] = []
        async with self.own.push.connect("ann-async", on_state=states.append) as connection:
            messages = connection.__aiter__()
            await self.push("ann-async", "one")
            first = await messages.__anext__()
            self.assertEqual(first.message, "one")
            self.assertIsInstance(first.created_at, datetime.datetime)
            self.proxy.close()
            await until(lambda: connection.state.name == "waiting")
            self.proxy.open()
            await self.push("ann-async", "two")
            self.assertEqual((await messages.__anext__()).message, "two")
        self.assertEqual(connection.state, State("closed", "close() was called"))
        self.assertEqual([one async for one in connection], [])
        self.assertEqual([one.name for one in states][:3], ["connecting", "open", "waiting"])

    async def test_where_websockets_are_refused_an_event_stream_is_iterated_across_a_cut_and_closed(self) -> None:
        self.proxy.refuse_websockets()
        async with self.own.push.connect("fay-async") as connection:
            messages = connection.__aiter__()
            for text in ("one", "two"):
                await self.push("fay-async", text)
                self.assertEqual((await messages.__anext__()).message, text)
                self.assertEqual(connection.state, State("open", transport="events"))
                if text == "one":
                    self.proxy.cut()
                    await until(lambda: connection.state.name == "waiting")
                    await until(lambda: connection.state.name == "open")
        self.assertEqual(connection.state, State("closed", "close() was called"))

    async def test_a_message_whose_coroutine_failed_arrives_again(self) -> None:
        handled: typing.List[str] = []
        failures = [1]

        async def handle(message: PushedMessage) -> None:
            await asyncio.sleep(0)
            if failures:
                failures.pop()
                raise RuntimeError("not now")
            handled.append(message.message)

        wish = push.RegisterRecipientInput(recipient="fay-async", acknowledge=True)
        with self.assertLogs("platform_services", "ERROR"):
            async with self.own.push.connect(wish, on_message=handle) as connection:
                await self.push("fay-async", "bad")
                await until(lambda: handled)
        self.assertEqual(handled, ["bad"])
        with self.assertRaises(TypeError):
            connection.__aiter__()

    async def test_who_joins_a_topic_goes_to_a_coroutine_and_stored_messages_are_marked_as_replayed(self) -> None:
        present: typing.List[Presence] = []
        heard: typing.List[PushedMessage] = []

        async def note(presence: Presence) -> None:
            await asyncio.sleep(0)
            present.append(presence)

        await self.own.push.push_global_message(push.GlobalMessageInput(message="stored", topic="rewind-async"))
        last = push.RewindInput(messages=100, seconds=3_600)
        wish = push.RegisterRecipientInput(recipient="watch-async", topics=["rewind-async"], presence=True, rewind=last)
        async with self.own.push.connect(wish, on_message=heard.append, on_presence=note):
            await until(lambda: heard)
            joining = push.RegisterRecipientInput(recipient="ann-async", topics=["rewind-async"])
            async with self.own.push.connect(joining) as connection:
                await until(lambda: connection.state.name == "open")
                await until(lambda: present)
            await until(lambda: len(present) == 2)
            await self.own.push.push_message(push.MessageInput(recipients="watch-async", message="live"))
            await until(lambda: len(heard) == 2)
        self.assertEqual([(one.message, one.replayed) for one in heard], [("stored", True), ("live", False)])
        self.assertEqual([(one.presence, one.recipient) for one in present], [("join", "ann-async"), ("leave", "ann-async")])

    async def test_a_connection_ends_when_its_recipient_is_disconnected(self) -> None:
        async with self.own.push.connect("dora-async") as connection:
            await until(lambda: connection.state.name == "open")
            await self.own.push.disconnect_recipient("dora-async")
            self.assertEqual([one async for one in connection], [])
            self.assertEqual(connection.state.code, 4403)


class Writing(Asynchronous):
    def record(self, id: str, **more: typing.Any) -> log.CreateLogInput:
        return log.CreateLogInput(document_id=id, document_type="async", date_time=in_seconds(0), **more)

    async def test_records_are_grouped_and_each_gets_its_id_or_its_refusal(self) -> None:
        requests: typing.List[bytes] = []

        def look(data: bytes) -> None:
            if data.startswith(b"POST /document-log"):
                requests.append(data)

        self.proxy.answer = look
        async with self.own.log.writer() as writer:
            stored = [writer.write(self.record(str(at))) for at in range(300)]
            wrong = writer.write(self.record("x" * 5_000))
        ids = await asyncio.gather(*stored)
        self.assertEqual(len(set(ids)), 300)
        self.assertLess(len(requests), 10)
        with self.assertRaises(BadUserInputError):
            await wrong
        with self.assertRaisesRegex(RuntimeError, "The writer is closed"):
            await writer.write(self.record("late"))

    async def test_a_full_queue_refuses_and_a_cancelled_caller_harms_no_other(self) -> None:
        writer = self.own.log.writer(max_waiting=2, gather=60)
        gone, kept = writer.write(self.record("1")), writer.write(self.record("2"))
        with self.assertRaises(RateLimitedError):
            await writer.write(self.record("3"))
        gone.cancel()
        await writer.close()
        self.assertRegex(await kept, "-")


class Faces(unittest.TestCase):
    def test_the_synchronous_client_refuses_a_coroutine_function(self) -> None:
        from platform_services.runtime import run

        async def suspends() -> None:
            await asyncio.sleep(0)

        with self.assertRaisesRegex(TypeError, "use AsyncClient"):
            run(suspends())

    def test_both_faces_have_the_same_operations(self) -> None:
        for name in ("files", "rendering", "push", "log", "email", "admin"):
            sync, own = (
                {one for one in dir(getattr(client("http://localhost", "k"), name)) if not one.startswith("_")}
                for client in (Client, AsyncClient)
            )
            self.assertEqual(sync, own)


if __name__ == "__main__":
    unittest.main()
