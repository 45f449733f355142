from __future__ import annotations

import json
import os
import typing
import unittest
import urllib.request

from platform_services import BadUserInputError, Client, NotFoundError, UnsupportedError
from platform_services.older_server import fields_of
from platform_services.types import files, push
from support import KEY, UNKNOWN, PlatformTest

OLDER = os.environ["PLATFORM_OLDER_SERVER"]


def asked() -> int:
    """How many operations came to the older server since the last time."""
    with urllib.request.urlopen(f"{OLDER}/asked") as answer:
        return len(json.load(answer))


class Older(PlatformTest):
    older: typing.ClassVar[Client]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.older = Client(OLDER, KEY)
        cls.addClassCleanup(cls.older.close)

    def test_a_client_asks_for_what_the_server_has_and_looks_that_up_once(self) -> None:
        asked()
        client = Client(OLDER, KEY)
        self.addCleanup(client.close)
        wish = files.CreateFileInput(name="older.txt", author=files.AuthorInput(id="1", name="Ann"))
        file = client.files.create_file(wish)
        assert file.author
        self.assertEqual((file.name, file.status, file.author.id), ("older.txt", files.FileStatus.UPLOADING, "1"))
        for object, name in ((file, "expires_at"), (file, "attributes"), (file.author, "name")):
            with self.assertRaisesRegex(AttributeError, "or the server does not have it"):
                getattr(object, name)
        self.assertEqual(asked(), 3)
        found = client.files.all_files(filter=files.FilesFilter(name_prefix="older.txt"))
        self.assertEqual([one.name for one in found], ["older.txt"])
        self.assertEqual(asked(), 1)

    def test_a_key_of_the_client_that_the_server_does_not_take_is_left_out_but_none_of_the_caller(self) -> None:
        hello = push.MessageInput(recipients="older-py", message="hello")
        self.assertEqual(len(self.older.push.push_message(hello).results), 1)
        asked()
        self.older.push.push_message(hello)
        self.assertEqual(asked(), 1)
        with self.assertRaises(UnsupportedError) as caught:
            self.older.push.push_message(push.MessageInput(recipients="a", message="b", idempotency_key="a key"))
        self.assertEqual(caught.exception.field, "input.idempotencyKey")

    def test_what_the_caller_asks_for_is_named_with_the_version_of_the_server(self) -> None:
        of = self.older.files
        version = self.client.files.version()
        cases: typing.List[typing.Tuple[str, str, typing.Callable[[], object]]] = [
            ("input.accept", "createFile", lambda: of.create_file(files.CreateFileInput(name="a", accept=["image/*"]))),
            ("filter.folder", "files", lambda: of.files(filter=files.FilesFilter(folder="a/"), select="items { id }")),
            ("limit", "files", lambda: of.files(limit=3)),
            ("items.expiresAt", "files", lambda: of.files(select="items { expiresAt downloadUrl(expiresIn: 5) }")),
            ("items.author.name", "files", lambda: list(of.all_files(select="id author { called: name }"))),
            ("fileFolders", "fileFolders", lambda: of.file_folders()),
        ]
        for field, name, call in cases:
            with self.subTest(field), self.assertRaises(UnsupportedError) as caught:
                call()
            error = caught.exception
            code = "BAD_USER_INPUT" if field.startswith(("input", "filter")) else "GRAPHQL_VALIDATION_FAILED"
            self.assertEqual((error.code, error.field, error.server_version, error.may_have_happened), (code, field, version, False))
            what = f"{field}: update the server" if field == name else f"{field} of {name}: update the server, or leave it out"
            self.assertEqual(error.message, f"The server, version {version}, has no {what}")

    def test_other_refusals_stay_as_they_are(self) -> None:
        with self.assertRaises(BadUserInputError):
            self.older.files.create_file(files.CreateFileInput(name="a", expires_in="soon"))  # type: ignore[arg-type]
        with self.assertRaises(NotFoundError):
            self.older.files.delete_file(UNKNOWN)

    def test_selections_are_read_as_far_as_they_are_fields_and_arguments(self) -> None:
        text = 'id, own: uploadUrl(expiresIn: 5, with: {a: [1], b: "}) {"}) author { id }'
        self.assertEqual([(one.name, one.arguments, len(one.inner)) for one in fields_of(text)], [("id", [], 0), ("uploadUrl", ["expiresIn", "with"], 0), ("author", [], 1)])
        for wrong in ("... on File { id }", "id }", "a {", "a(", "a(b", "a @include(if: true)", "a:"):
            with self.subTest(wrong), self.assertRaises((ValueError, IndexError)):
                fields_of(wrong)


if __name__ == "__main__":
    unittest.main()
