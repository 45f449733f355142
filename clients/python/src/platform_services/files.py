"""The service of files, with file transfers, in both faces."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import typing
from dataclasses import dataclass
from urllib.parse import quote

from .errors import (
    ConnectionBrokenError,
    ContentMismatchError,
    ForbiddenError,
    NotFoundError,
    PlatformError,
    error_of_answer,
)
from .types.files import (
    AbortMultipartUploadInput,
    CompleteMultipartUploadInput,
    CreateFileInput,
    File,
    AsyncFilesOperations,
    FilesOperations,
    GeneratePartUploadUrlInput,
    InitiateMultipartUploadInput,
    PartETag,
)
from .operations import UNSET, Send
from .parts import PART_BYTES, part_size, upload_parts
from .retry import is_passing, retrying
from .runtime import Answer, OnSent, Runtime, run
from .source import AsyncSource, Content, Piece, Source, chunks_of, content_of, pieces_of, pieces_of_stream

_Sleep = typing.Callable[[float], typing.Awaitable[None]]
# Called with the number of bytes transferred and the total, None while unknown.
Progress = typing.Callable[[int, typing.Optional[int]], None]

# Time for a failed upload to remove its file: the connection may be dead.
_REMOVAL_SECONDS = 5.0
# Size above which content is sent in parts.
_PARTS_FROM = 256 * 1024 * 1024
_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+)")


@dataclass(frozen=True)
class UploadHandle:
    """A resumable upload in parts. Store it until the upload ends."""

    file_id: str
    upload_id: str
    part_bytes: int


@dataclass
class _Upload:
    input: CreateFileInput
    # Type of the content, for a file with `accept`; other files have their type as a field.
    content_type: typing.Optional[str]
    on_progress: typing.Optional[Progress]
    parts_from: int
    part_bytes: int
    parallel: int
    on_start: typing.Optional[typing.Callable[[UploadHandle], None]]
    resume: typing.Optional[UploadHandle]


class Transfers:
    """The transfers of both faces."""

    def __init__(self, runtime: Runtime, send: Send, send_within: typing.Callable[[float], Send], retries: int) -> None:
        self.runtime = runtime
        self.retries = retries
        self._operations = AsyncFilesOperations(send)
        self._send_within = send_within

    async def upload(self, source: AsyncSource, upload: _Upload) -> File:
        given = upload.input
        content = await self.runtime.local(lambda: content_of(source))
        if content is None:
            return await self._upload_stream(source, upload)
        if given.name is UNSET and content.name is not None:
            given.name = content.name
        if not upload.resume and content.size <= upload.parts_from:
            return await self._upload_whole(content, upload)
        if given.checksum_sha256 is UNSET:
            given.checksum_sha256 = await self.runtime.local(content.sha256)
        size = upload.part_bytes if upload.resume else part_size(upload.part_bytes, content.size)
        file = await self._upload_in_parts(pieces_of(content, size), size, content.size, upload)
        if file.checksum_sha256 and file.checksum_sha256 != given.checksum_sha256:
            raise ContentMismatchError(f"Parts of file {file.id} had arrived from other content than this")
        return file

    async def download(self, id: str, begin: int) -> "Reading":
        checksum = (await self.locate(id)).checksum_sha256
        return await Reading.open(self, id, begin, checksum if begin == 0 else None)

    async def download_to(
        self, id: str, path: typing.Union[str, "os.PathLike[str]"], on_progress: typing.Optional[Progress]
    ) -> None:
        path = os.fspath(path)
        part = f"{path}.part"
        local = self.runtime.local
        found = await self.locate(id)
        digest = hashlib.sha256()
        # Received bytes are trustworthy only after verification of the whole content.
        there = os.path.getsize(part) if found.checksum_sha256 and os.path.isfile(part) else 0
        begin = there if there <= (found.content_length or 0) else 0
        if begin > 0:
            async for chunk in chunks_of(self.runtime, typing.cast(Content, content_of(part)).read(0, begin)):
                digest.update(chunk)
        reading = await Reading.open(self, id, begin, None)
        try:
            with open(part, "ab" if begin > 0 else "wb") as file:
                while True:
                    received = await reading.next()
                    if received is None:
                        break
                    digest.update(received)
                    await local(functools.partial(file.write, received))
                    if on_progress:
                        on_progress(reading.position, reading.size)
                file.flush()
                await local(lambda: os.fsync(file.fileno()))
        finally:
            reading.close()
        if found.checksum_sha256 and digest.hexdigest() != found.checksum_sha256:
            os.remove(part)
            raise ContentMismatchError(f"File {id} came with other bytes than it has, or {part} was of another; call again")
        os.replace(part, path)

    async def _upload_stream(self, source: AsyncSource, upload: _Upload) -> File:
        pieces = pieces_of_stream(self.runtime, source, upload.part_bytes)
        first = await pieces.__anext__()
        if first.size < upload.part_bytes and not upload.resume:
            return await self._upload_whole(Content(first.size, None, lambda begin, end: first.read()), upload)

        async def all_pieces() -> typing.AsyncIterator[Piece]:
            yield first
            async for piece in pieces:
                yield piece

        return await self._upload_in_parts(all_pieces(), upload.part_bytes, None, upload)

    async def _upload_whole(self, content: Content, upload: _Upload) -> File:
        created = await self._operations.create_file(upload.input, select="id uploadUrl")
        file_id = created.id
        digest = hashlib.sha256()

        headers = {"Content-Disposition": _disposition(upload.input.name)} if upload.input.name else {}
        if upload.content_type:
            headers["Content-Type"] = upload.content_type

        async def hashed() -> typing.AsyncIterator[bytes]:
            async for chunk in chunks_of(self.runtime, content.read(0, content.size)):
                digest.update(chunk)
                yield chunk

        async def attempt(failures: int) -> str:
            nonlocal digest
            digest = hashlib.sha256()
            on_progress = upload.on_progress

            def on_sent(sent: int) -> None:
                if on_progress:
                    on_progress(sent, content.size)

            # The first URL is valid for 30 s, so later attempts request another.
            found = created if failures == 0 else await self._operations.file(file_id, select="uploadUrl")
            if found is None or not found.upload_url:
                raise NotFoundError("NOT_FOUND", f"File {file_id} was deleted while its content was sent")
            return await self.runtime.put(
                found.upload_url, hashed(), content.size, headers, on_sent if on_progress else None
            )

        try:
            await retrying(attempt, self.retries, self.runtime.sleep)
            file = await self._operations.file(file_id)
            if file is None or file.checksum_sha256 != digest.hexdigest():
                raise ContentMismatchError(f"The server has other bytes than were sent to file {file_id}")
            return file
        except BaseException:
            await self._remove(file_id)
            raise

    async def _upload_in_parts(
        self, pieces: typing.AsyncIterator[Piece], part_bytes: int, total: typing.Optional[int], upload: _Upload
    ) -> File:
        handle = upload.resume or await self._start_parts(part_bytes, upload.input)
        try:
            if not upload.resume and upload.on_start:
                upload.on_start(handle)
            arrived = await self._operations.multipart_upload(file_id=handle.file_id, upload_id=handle.upload_id)
            if arrived is None:
                raise NotFoundError("NOT_FOUND", f"Upload {handle.upload_id} does not exist")
            there = {part.part_number: (part.etag, part.size) for part in arrived.parts}

            async def send(piece: Piece, on_sent: OnSent, sleep: _Sleep) -> str:
                return await self._send_part(handle, piece, on_sent, sleep)

            etags = await upload_parts(
                self.runtime, pieces, there, send, upload.parallel, total, upload.on_progress
            )
            parts = [PartETag(part_number=number, etag=etag) for number, etag in sorted(etags.items())]
            return await self._operations.complete_multipart_upload(
                CompleteMultipartUploadInput(
                    file_id=handle.file_id,
                    upload_id=handle.upload_id,
                    etags=parts,
                    content_type=UNSET if upload.content_type is None else upload.content_type,
                )
            )
        except BaseException as error:
            if upload.resume and isinstance(error, NotFoundError):
                file = await self._operations.file(handle.file_id)
                if file and file.uploaded and (total is None or file.content_length == total):
                    return file  # the response to its completion was lost
            if not upload.resume and not upload.on_start:
                await self._remove_parts(handle)
            raise

    async def _start_parts(self, part_bytes: int, input: CreateFileInput) -> UploadHandle:
        file_id = (await self._operations.create_file(input, select="id")).id
        wish = InitiateMultipartUploadInput(file_id=file_id)
        try:
            upload = await self._operations.initiate_multipart_upload(wish, select="uploadId")
        except BaseException:
            await self._remove(file_id)
            raise
        return UploadHandle(file_id, upload.upload_id, part_bytes)

    async def _send_part(self, handle: UploadHandle, piece: Piece, on_sent: OnSent, sleep: _Sleep) -> str:
        wish = GeneratePartUploadUrlInput(file_id=handle.file_id, upload_id=handle.upload_id, part_number=piece.number)

        async def attempt(_: int) -> str:
            on_sent(0)
            url = await self._operations.generate_part_upload_url(wish)
            return await self.runtime.put(url, chunks_of(self.runtime, piece.read()), piece.size, {}, on_sent)

        # Retries a first 403 too: the URL may have expired while the part waited, and the next attempt has a new one.
        etag = await retrying(attempt, self.retries, sleep, passes_with_new_address)
        if not etag:
            raise ContentMismatchError(f"Part {piece.number} has no ETag")
        return etag

    async def _remove_parts(self, handle: UploadHandle) -> None:
        wish = AbortMultipartUploadInput(file_id=handle.file_id, upload_id=handle.upload_id)
        with contextlib.suppress(PlatformError):
            await AsyncFilesOperations(self._send_within(_REMOVAL_SECONDS)).abort_multipart_upload(wish, select="id")
        await self._remove(handle.file_id)

    async def _remove(self, file_id: str) -> None:
        with contextlib.suppress(PlatformError):
            await AsyncFilesOperations(self._send_within(_REMOVAL_SECONDS)).delete_file(file_id, select="id")

    async def locate(self, id: str) -> File:
        file = await self._operations.file(id, select="downloadUrl checksumSha256 contentLength")
        if file is None or not file.download_url:
            raise NotFoundError("NOT_FOUND", f"File {id} does not exist or has no content")
        return file


class Reading:
    """A running download of either face."""

    def __init__(self, transfers: Transfers, id: str, begin: int, checksum: typing.Optional[str]) -> None:
        self._transfers = transfers
        self._id = id
        self._checksum = checksum
        self._digest = hashlib.sha256()
        self._first: typing.Optional[typing.Tuple[int, typing.Optional[str]]] = None
        self._answer: typing.Optional[Answer] = None
        self._failures = 0
        self.position = begin

    @classmethod
    async def open(cls, transfers: Transfers, id: str, begin: int, checksum: typing.Optional[str]) -> "Reading":
        reading = cls(transfers, id, begin, checksum)
        reading._answer = await reading._open()
        return reading

    @property
    def size(self) -> int:
        return self._first[0] if self._first else 0

    @property
    def etag(self) -> typing.Optional[str]:
        return self._first[1] if self._first else None

    @property
    def content_type(self) -> typing.Optional[str]:
        return self._answer.head.headers.get("content-type") if self._answer else None

    async def next(self) -> typing.Optional[bytes]:
        """Returns the next chunk, and None at the end."""
        while self.position < self.size:
            try:
                chunk = await self._read()
            except PlatformError as error:
                if not is_passing(error) or self._failures >= self._transfers.retries:
                    raise
                self._failures += 1
                self.close()
                self._answer = await self._open()
                continue
            self._failures = 0
            self.position += len(chunk)
            self._digest.update(chunk)
            return chunk
        if self._checksum and self._digest.hexdigest() != self._checksum:
            raise ContentMismatchError(f"File {self._id} came with other bytes than it has")
        return None

    async def _read(self) -> bytes:
        chunk = await self._answer.read() if self._answer else b""
        if not chunk:
            raise ConnectionBrokenError("The connection ended before the content did")
        if self.position + len(chunk) > self.size:
            raise ContentMismatchError("More bytes came than there are")
        return chunk

    def close(self) -> None:
        if self._answer:
            self._answer.close()

    async def _open(self) -> Answer:
        async def attempt(_: int) -> Answer:
            url = typing.cast(str, (await self._transfers.locate(self._id)).download_url)
            answer = await self._transfers.runtime.get(url, self.position)
            try:
                await self._check(answer)
            except BaseException:
                answer.close()
                raise
            return answer

        return await retrying(attempt, self._transfers.retries, self._transfers.runtime.sleep, passes_with_new_address)

    async def _check(self, answer: Answer) -> None:
        """Requires that every response is of the same content as the first."""
        status, headers = answer.head
        found = _RANGE.match(headers.get("content-range", ""))
        begin, whole = found.groups() if found else (None, None)
        is_at_end = status == 416 and whole is not None and int(whole) == self.position
        is_shorter = status == 416 and self._first is not None
        if status not in (200, 206) and not is_at_end and not is_shorter:
            raise error_of_answer(answer.head, await answer.refusal())
        length: str = whole or headers.get("content-length") or ""
        seen = (int(length), headers.get("etag")) if length.isdigit() else None
        goes_on = self.position == 0 or is_at_end or (status == 206 and begin is not None and int(begin) == self.position)
        is_other = self._first is not None and self._first != seen
        if seen is None or not goes_on or is_other:
            raise ContentMismatchError("The content was replaced while it was read, or a proxy changed it")
        self._first = seen


def passes_with_new_address(error: PlatformError, failures: int) -> bool:
    return is_passing(error) or (isinstance(error, ForbiddenError) and failures == 0)


def _disposition(name: str) -> str:
    return f"attachment; filename*=UTF-8''{quote(name, safe='')}"


def _upload_of(
    input: typing.Optional[CreateFileInput],
    on_progress: typing.Optional[Progress],
    parts_from: int,
    part_bytes: int,
    parallel: int,
    on_start: typing.Optional[typing.Callable[[UploadHandle], None]],
    resume: typing.Optional[UploadHandle],
) -> _Upload:
    if not 1 <= parallel <= 16:
        raise ValueError("parallel must be from 1 to 16")
    part_bytes = resume.part_bytes if resume else part_size(part_bytes)
    given = CreateFileInput(**vars(input)) if input else CreateFileInput()
    content_type = None
    if given.accept:
        # The server reads the type of such a file from the upload.
        content_type, given.content_type = given.content_type or None, UNSET
    return _Upload(given, content_type, on_progress, parts_from, part_bytes, parallel, on_start, resume)


class Files(FilesOperations):
    """The operations of file-management, and file transfers."""

    def __init__(self, send: Send, transfers: Transfers) -> None:
        super().__init__(send)
        self._transfers = transfers

    def upload(
        self,
        source: Source,
        input: typing.Optional[CreateFileInput] = None,
        *,
        on_progress: typing.Optional[Progress] = None,
        parts_from: int = _PARTS_FROM,
        part_bytes: int = PART_BYTES,
        parallel: int = 4,
        on_start: typing.Optional[typing.Callable[[UploadHandle], None]] = None,
        resume: typing.Optional[UploadHandle] = None,
    ) -> File:
        """
        Creates a file and sends its content: the path of a file, bytes, an open file, or an iterable of bytes. Above `parts_from`
        bytes it is sent in parts of `part_bytes` (5 MiB to 5 GiB), `parallel` concurrently, and so is a stream that exceeds one
        part. Its SHA-256 is verified; for parts of a stream only if `checksum_sha256` is given. A failed upload removes its file,
        unless `on_start` was called before its first byte: pass its argument as `resume`, with the same source, to send only
        missing parts. With `accept`, `content_type` is the type of the content.
        """
        upload = _upload_of(input, on_progress, parts_from, part_bytes, parallel, on_start, resume)
        return run(self._transfers.upload(source, upload))

    def download(self, id: str, *, begin: int = 0) -> "Download":
        """
        Opens the content of a file: iterate to read it. Its SHA-256 is verified if the file has one and `begin` is 0. A broken
        connection is resumed.
        """
        return Download(run(self._transfers.download(id, begin)))

    def download_to(
        self, id: str, path: typing.Union[str, "os.PathLike[str]"], *, on_progress: typing.Optional[Progress] = None
    ) -> None:
        """Writes the content to a file, which appears once it is complete. `PATH.part` has the received part, with which a later call resumes."""
        run(self._transfers.download_to(id, path, on_progress))


class AsyncFiles(AsyncFilesOperations):
    """The operations of file-management, and file transfers."""

    def __init__(self, send: Send, transfers: Transfers) -> None:
        super().__init__(send)
        self._transfers = transfers

    async def upload(
        self,
        source: AsyncSource,
        input: typing.Optional[CreateFileInput] = None,
        *,
        on_progress: typing.Optional[Progress] = None,
        parts_from: int = _PARTS_FROM,
        part_bytes: int = PART_BYTES,
        parallel: int = 4,
        on_start: typing.Optional[typing.Callable[[UploadHandle], None]] = None,
        resume: typing.Optional[UploadHandle] = None,
    ) -> File:
        """
        Same as `Files.upload`. A source can also be an asynchronous iterable of bytes, or have an asynchronous `read`. If the task
        is cancelled, the file is removed like that of a failed upload.
        """
        upload = _upload_of(input, on_progress, parts_from, part_bytes, parallel, on_start, resume)
        return await self._transfers.upload(source, upload)

    async def download(self, id: str, *, begin: int = 0) -> "AsyncDownload":
        """Same as `Files.download`."""
        return AsyncDownload(await self._transfers.download(id, begin))

    async def download_to(
        self, id: str, path: typing.Union[str, "os.PathLike[str]"], *, on_progress: typing.Optional[Progress] = None
    ) -> None:
        """Same as `Files.download_to`."""
        await self._transfers.download_to(id, path, on_progress)


class _Progressing:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.size, self.etag, self.content_type = reading.size, reading.etag, reading.content_type

    @property
    def position(self) -> int:
        """Progress in bytes."""
        return self._reading.position

    def close(self) -> None:
        self._reading.close()


class Download(_Progressing):
    """A running download. Iterate over its chunks; close it, or use it in `with`, if you do not read it to the end."""

    def __iter__(self) -> typing.Iterator[bytes]:
        try:
            while True:
                chunk = run(self._reading.next())
                if chunk is None:
                    return
                yield chunk
        finally:
            self.close()

    def __enter__(self) -> "Download":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncDownload(_Progressing):
    """A running download. Iterate over its chunks; close it, or use it in `async with`, if you do not read it to the end."""

    async def __aiter__(self) -> typing.AsyncIterator[bytes]:
        try:
            while True:
                chunk = await self._reading.next()
                if chunk is None:
                    return
                yield chunk
        finally:
            self.close()

    async def __aenter__(self) -> "AsyncDownload":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
