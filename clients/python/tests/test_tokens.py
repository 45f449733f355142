from __future__ import annotations

import unittest

from platform_services import AsyncClient, Client, ForbiddenError
from platform_services.types.files import CreateFileInput

from support import KEY, PlatformTest

SCOPE = ["file-management-api:query:files", "file-management-api:mutation:createFile"]


class Tokens(PlatformTest, unittest.IsolatedAsyncioTestCase):
    def test_a_token_has_a_part_of_the_rights_of_its_key(self) -> None:
        created = self.client.tokens.create(SCOPE, 600, file_prefix="users/py/")
        self.assertEqual((created.scope, created.file_prefix, created.recipient), (SCOPE, "users/py/", None))
        with Client(self.url, str(created.token)) as page:
            file = page.files.create_file(CreateFileInput(name="users/py/a.txt"), select="id name")
            self.assertEqual(file.name, "users/py/a.txt")
            with self.assertRaises(ForbiddenError):
                page.files.create_file(CreateFileInput(name="users/b.txt"), select="id")
            with self.assertRaises(ForbiddenError):
                page.tokens.create(SCOPE, 600)
        self.assertEqual(self.client.tokens.deny(recipient="py").recipient, "py")

    async def test_the_asynchronous_face_does_the_same(self) -> None:
        async with AsyncClient(self.url, KEY) as client:
            created = await client.tokens.create(SCOPE, 600, origins=["https://shop.example"])
            self.assertEqual(created.origins, ["https://shop.example"])
            self.assertEqual((await client.tokens.deny(recipient="py")).recipient, "py")


if __name__ == "__main__":
    unittest.main()
