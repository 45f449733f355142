from __future__ import annotations

import hashlib
import io
import os
import re
import tempfile
import threading
import time
import typing
import unittest
import urllib.request

from platform_services import BadUserInputError, ConnectionBrokenError, ContentMismatchError, NotFoundError, PayloadTooLargeError, UploadHandle
from platform_services.types import files
from support import UNKNOWN, PlatformTest

MIB = 1024 * 1024


class Transfers(PlatformTest):
    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name: str, content: bytes) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def names(self, prefix: str) -> typing.List[typing.Optional[str]]:
        return [one.name for one in self.client.files.all_files(filter=files.FilesFilter(name_prefix=prefix))]

    def content(self, id: str) -> bytes:
        return b"".join(self.client.files.download(id))

    def test_a_path_bytes_an_open_file_and_an_iterable_are_sent_in_one_request(self) -> None:
        content = os.urandom(700_000)
        path = self.path("käse 'n'.bin", content)
        seen: typing.List[typing.Tuple[int, typing.Optional[int]]] = []
        file = self.client.files.upload(path, on_progress=lambda done, total: seen.append((done, total)))
        self.assertEqual((file.name, file.content_length, file.status), ("käse 'n'.bin", 700_000, files.FileStatus.DONE))
        self.assertEqual((seen[0][1], seen[-1]), (700_000, (700_000, 700_000)))
        self.assertEqual(self.content(file.id), content)
        named = files.CreateFileInput(name="b.txt", comment="c")
        for source in (content, bytearray(content), memoryview(content), io.BytesIO(content), iter([content[:9], content[9:]])):
            made = self.client.files.upload(source, named)
            self.assertEqual((made.name, made.comment, made.content_length), ("b.txt", "c", 700_000))
        with open(path, "rb") as opened:
            self.assertEqual(self.client.files.upload(opened, named).checksum_sha256, hashlib.sha256(content).hexdigest())
        self.assertEqual(self.client.files.upload(b"").content_length, 0)
        self.assertEqual(named, files.CreateFileInput(name="b.txt", comment="c"))

    def test_a_file_with_rules_takes_its_type_from_the_upload(self) -> None:
        png = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"picture" * 20
        rules = files.CreateFileInput(name="portrait", accept=["image/png", "image/jpeg"], max_bytes=11 * MIB, content_type="image/png")
        self.assertEqual(self.client.files.upload(png, rules).content_type, "image/png")
        in_parts = self.client.files.upload(png + b"picture" * MIB, rules, parts_from=1, part_bytes=5 * MIB)
        self.assertEqual((in_parts.content_type, in_parts.content_length), ("image/png", len(png) + 7 * MIB))
        self.assertEqual(rules.content_type, "image/png")
        for content, type in ((b"text", "image/png"), (png, "text/plain"), (png, None)):
            rules.content_type = type
            with self.assertRaises(BadUserInputError):
                self.client.files.upload(content, rules)
        rules.content_type = "image/png"
        with self.assertRaises(PayloadTooLargeError):
            self.client.files.upload(png + b"picture" * 2 * MIB, rules)
        self.assertEqual(len(self.names("portrait")), 2)

    def test_an_unreadable_source_is_refused_before_a_file_is_created(self) -> None:
        before = len(list(self.client.files.all_files(select="id")))
        for source, error in ((os.path.join(self.folder, "none"), FileNotFoundError), (self.folder, ValueError), (7, TypeError)):
            with self.assertRaises(error):
                self.client.files.upload(source)  # type: ignore[arg-type]
        with self.assertRaises(ValueError):
            self.client.files.upload(b"", part_bytes=1)
        with self.assertRaises(TypeError):
            self.client.files.upload(io.StringIO("text"))  # type: ignore[arg-type]
        self.assertEqual(len(list(self.client.files.all_files(select="id"))), before)

    def test_a_broken_upload_is_resent_and_a_failed_one_leaves_no_file(self) -> None:
        content = os.urandom(3 * MIB)
        cuts: typing.List[int] = []

        def cut(data: bytes) -> bool:
            if len(data) > 20_000 and not cuts:
                cuts.append(1)
                return True
            return False

        self.proxy.cuts_request = cut
        file = self.client.files.upload(content, files.CreateFileInput(name="again.bin"))
        self.assertEqual((len(cuts), self.content(file.id) == content), (1, True))
        wrong = files.CreateFileInput(name="wrong.bin", checksum_sha256="0" * 64)
        with self.assertRaises(BadUserInputError):
            self.client.files.upload(content, wrong)
        self.assertEqual(self.names("wrong"), [])

    def test_a_failed_upload_does_not_wait_long_for_its_removal(self) -> None:
        over = threading.Event()
        self.addCleanup(over.set)

        def silence(data: bytes) -> None:
            if re.search(b"deleteFile|abortMultipartUpload", data):
                over.wait(120)

        self.proxy.answer = silence
        wrong = files.CreateFileInput(name="removed.bin", checksum_sha256="0" * 64)
        for parts_from in (20 * MIB, 1):
            began = time.monotonic()
            with self.assertRaises(BadUserInputError):
                self.client.files.upload(bytes(11 * MIB), wrong, parts_from=parts_from, part_bytes=5 * MIB)
            self.assertLess(time.monotonic() - began, 35)  # an operation without an answer ends after 40 s

    def test_a_refusal_is_read_while_bytes_are_sent(self) -> None:
        sent: typing.List[int] = []

        def endless() -> typing.Iterator[bytes]:
            while True:
                yield bytes(MIB)

        with self.assertRaises(PayloadTooLargeError):
            self.client.files.upload(endless(), files.CreateFileInput(name="endless"), on_progress=lambda done, _: sent.append(done))
        self.assertLess(sent[-1], 200 * MIB)
        self.assertEqual(self.names("endless"), [])
        whole = os.path.join(self.folder, "large")
        with open(whole, "wb") as file:
            file.truncate(400 * MIB)
        with self.assertRaises(PayloadTooLargeError):
            self.client.files.upload(whole, parts_from=1 << 40)
        self.assertEqual(self.names("large"), [])

    def test_large_content_is_sent_in_parts(self) -> None:
        content = os.urandom(12 * MIB + 5)
        path = self.path("parts.bin", content)
        seen: typing.List[int] = []
        file = self.client.files.upload(path, parts_from=MIB, part_bytes=5 * MIB, on_progress=lambda done, _: seen.append(done))
        self.assertEqual((file.name, file.content_length, seen[-1]), ("parts.bin", len(content), len(content)))
        self.assertEqual(self.content(file.id), content)
        stream = self.client.files.upload(io.BytesIO(content), part_bytes=5 * MIB, parallel=2)
        self.assertEqual(self.content(stream.id), content)

    def test_a_broken_part_is_resent(self) -> None:
        content = os.urandom(11 * MIB)
        cuts: typing.List[int] = []

        def cut(data: bytes) -> bool:
            if len(data) > 20_000 and len(cuts) < 2:
                cuts.append(1)
                return True
            return False

        self.proxy.cuts_request = cut
        file = self.client.files.upload(content, part_bytes=5 * MIB, parts_from=MIB)
        self.assertEqual((len(cuts), self.content(file.id) == content), (2, True))

    def test_an_upload_in_parts_resumes_with_missing_parts_only(self) -> None:
        content = os.urandom(16 * MIB)
        path = self.path("resume.bin", content)
        handles: typing.List[UploadHandle] = []

        def stop(done: int, _: typing.Optional[int]) -> None:
            if done > 11 * MIB:
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.client.files.upload(path, parts_from=1, part_bytes=5 * MIB, parallel=1, on_start=handles.append, on_progress=stop)
        handle = handles[0]
        upload = self.client.files.multipart_upload(file_id=handle.file_id, upload_id=handle.upload_id)
        assert upload is not None
        self.assertEqual([one.part_number for one in upload.parts], [1, 2])
        # Counts request headers: bytes of the cut part may still be in transit.
        sent: typing.List[bytes] = []
        self.proxy.cuts_request = lambda data: bool(sent.extend(re.findall(rb"^PUT [^? ]*/(\d+)[? ]", data)))  # type: ignore[func-returns-value]
        file = self.client.files.upload(path, resume=handle)
        self.assertEqual(file.id, handle.file_id)
        self.assertEqual(sorted(sent), [b"3", b"4"])
        self.assertEqual(self.content(file.id), content)
        # The response to the completion could have been lost: repeating the call returns the outcome.
        self.assertEqual(self.client.files.upload(path, resume=handle).id, file.id)

    def test_an_upload_in_parts_that_fails_leaves_no_file(self) -> None:
        def broken() -> typing.Iterator[bytes]:
            yield bytes(11 * MIB)
            raise RuntimeError("the source broke")

        with self.assertRaisesRegex(RuntimeError, "the source broke"):
            self.client.files.upload(broken(), files.CreateFileInput(name="broken"), part_bytes=5 * MIB)
        self.assertEqual(self.names("broken"), [])

    def test_a_broken_download_is_resumed_and_verified(self) -> None:
        content = os.urandom(5 * MIB)
        file = self.client.files.upload(content)
        passed = [0]
        cuts: typing.List[int] = []

        def cut(data: bytes) -> bool:
            passed[0] += len(data)
            if passed[0] > MIB * (1 + len(cuts) * 2) and len(cuts) < 2:
                cuts.append(1)
                return True
            return False

        self.proxy.cuts_answer = cut
        with self.client.files.download(file.id) as download:
            self.assertEqual((download.size, download.content_type), (len(content), "application/octet-stream"))
            self.assertEqual(b"".join(download), content)
        self.assertEqual(len(cuts), 2)
        self.assertEqual(b"".join(self.client.files.download(file.id, begin=MIB)), content[MIB:])
        self.assertEqual(b"".join(self.client.files.download(file.id, begin=len(content))), b"")

    def test_a_download_of_replaced_content_fails(self) -> None:
        file = self.client.files.upload(os.urandom(6 * MIB))
        with self.client.files.download(file.id) as download:
            chunks = iter(download)
            next(chunks)
            address = self.client.files.file(file.id, select="uploadUrl")
            assert address is not None and address.upload_url is not None
            request = urllib.request.Request(address.upload_url, b"other", {"Content-Type": "application/octet-stream"}, method="PUT")
            urllib.request.urlopen(request).close()
            self.proxy.cut()
            with self.assertRaises(ContentMismatchError):
                b"".join(chunks)

    def test_a_download_to_a_path_resumes_an_earlier_one_and_leaves_only_complete_files(self) -> None:
        content = os.urandom(3 * MIB)
        file = self.client.files.upload(content)
        path = os.path.join(self.folder, "copy.bin")
        with open(f"{path}.part", "wb") as part:
            part.write(content[:MIB])
        seen: typing.List[typing.Tuple[int, typing.Optional[int]]] = []
        self.client.files.download_to(file.id, path, on_progress=lambda done, total: seen.append((done, total)))
        self.assertTrue(seen[0][0] > MIB and seen[-1] == (len(content), len(content)))
        with open(path, "rb") as copied:
            self.assertEqual(copied.read(), content)
        other = os.path.join(self.folder, "other.bin")
        with open(f"{other}.part", "wb") as part:
            part.write(bytes(MIB))
        with self.assertRaises(ContentMismatchError):
            self.client.files.download_to(file.id, other)
        self.client.files.download_to(file.id, other)
        self.assertEqual(sorted(os.listdir(self.folder)), ["copy.bin", "other.bin"])

    def test_a_file_without_content_is_not_found(self) -> None:
        empty = self.client.files.create_file()
        for id in (UNKNOWN, empty.id):
            with self.assertRaises(NotFoundError):
                self.client.files.download(id)

    def test_an_upload_to_a_dead_server_reports_it(self) -> None:
        from platform_services import Client
        from support import KEY

        with self.assertRaises(ConnectionBrokenError):
            Client("http://127.0.0.1:9", KEY, retries=0).files.upload(b"a")


if __name__ == "__main__":
    unittest.main()
