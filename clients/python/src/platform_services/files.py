"""The service of files, with file transfers."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import ssl
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
    FilesOperations,
    GeneratePartUploadUrlInput,
    InitiateMultipartUploadInput,
    PartETag,
)
from .http import Opened, put
from .operations import UNSET, Send
from .parts import PART_BYTES, part_size, upload_parts
from .retry import is_passing, retrying
from .source import Content, Piece, Source, content_of, pieces_of, pieces_of_stream

# Called with the number of bytes transferred and the total, None while unknown.
Progress = typing.Callable[[int, typing.Optional[int]], None]

OnSent = typing.Callable[[int], None]

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
    parallel: int
    on_start: typing.Optional[typing.Callable[[UploadHandle], None]]
    resume: typing.Optional[UploadHandle]


class Files(FilesOperations):
    """The operations of file-management, and file transfers."""

    def __init__(
        self,
        send: Send,
        send_within: typing.Callable[[float], Send],
        retries: int,
        context: typing.Optional[ssl.SSLContext],
    ) -> None:
        super().__init__(send)
        self._send_within = send_within
        self._retries = retries
        self._context = context

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
        if not 1 <= parallel <= 16:
            raise ValueError("parallel must be from 1 to 16")
        part_bytes = resume.part_bytes if resume else part_size(part_bytes)
        given = CreateFileInput(**vars(input)) if input else CreateFileInput()
        content_type = None
        if given.accept:
            # The server reads the type of such a file from the upload.
            content_type, given.content_type = given.content_type or None, UNSET
        upload = _Upload(given, content_type, on_progress, parallel, on_start, resume)
        content = content_of(source)
        if content is None:
            return self._upload_stream(source, part_bytes, upload)
        if given.name is UNSET and content.name is not None:
            given.name = content.name
        if not resume and content.size <= parts_from:
            return self._upload_whole(content, upload)
        if given.checksum_sha256 is UNSET:
            given.checksum_sha256 = content.sha256()
        size = part_bytes if resume else part_size(part_bytes, content.size)
        file = self._upload_in_parts(pieces_of(content, size), size, content.size, upload)
        if file.checksum_sha256 and file.checksum_sha256 != given.checksum_sha256:
            raise ContentMismatchError(f"Parts of file {file.id} had arrived from other content than this")
        return file

    def download(self, id: str, *, begin: int = 0) -> "Download":
        """
        Opens the content of a file: iterate to read it. Its SHA-256 is verified if the file has one and `begin` is 0. A broken
        connection is resumed.
        """
        checksum = self._locate(id).checksum_sha256
        return Download(self, id, begin, checksum if begin == 0 else None)

    def download_to(self, id: str, path: typing.Union[str, "os.PathLike[str]"], *, on_progress: typing.Optional[Progress] = None) -> None:
        """Writes the content to a file, which appears once it is complete. `PATH.part` has the received part, with which a later call resumes."""
        path = os.fspath(path)
        part = f"{path}.part"
        found = self._locate(id)
        digest = hashlib.sha256()
        # Received bytes are trustworthy only after verification of the whole content.
        there = os.path.getsize(part) if found.checksum_sha256 and os.path.isfile(part) else 0
        begin = there if there <= (found.content_length or 0) else 0
        if begin > 0:
            for chunk in typing.cast(Content, content_of(part)).read(0, begin):
                digest.update(chunk)
        with Download(self, id, begin, None) as download, open(part, "ab" if begin > 0 else "wb") as file:
            for chunk in download:
                digest.update(chunk)
                file.write(chunk)
                if on_progress:
                    on_progress(download.position, download.size)
            file.flush()
            os.fsync(file.fileno())
        if found.checksum_sha256 and digest.hexdigest() != found.checksum_sha256:
            os.remove(part)
            raise ContentMismatchError(f"File {id} came with other bytes than it has, or {part} was of another; call again")
        os.replace(part, path)

    def _upload_stream(self, source: Source, part_bytes: int, upload: _Upload) -> File:
        pieces = pieces_of_stream(source, part_bytes)
        first = next(pieces)
        if first.size < part_bytes and not upload.resume:
            return self._upload_whole(Content(first.size, None, lambda begin, end: first.read()), upload)

        def all_pieces() -> typing.Iterator[Piece]:
            yield first
            yield from pieces

        return self._upload_in_parts(all_pieces(), part_bytes, None, upload)

    def _upload_whole(self, content: Content, upload: _Upload) -> File:
        created = self.create_file(upload.input, select="id uploadUrl")
        file_id = created.id
        digest = hashlib.sha256()

        headers = {"Content-Disposition": _disposition(upload.input.name)} if upload.input.name else {}
        if upload.content_type:
            headers["Content-Type"] = upload.content_type

        def hashed() -> typing.Iterator[bytes]:
            for chunk in content.read(0, content.size):
                digest.update(chunk)
                yield chunk

        def attempt(failures: int) -> str:
            nonlocal digest
            digest = hashlib.sha256()
            on_progress = upload.on_progress

            def on_sent(sent: int) -> None:
                if on_progress:
                    on_progress(sent, content.size)

            # The first URL is valid for 30 s, so later attempts request another.
            found = created if failures == 0 else self.file(file_id, select="uploadUrl")
            if found is None or not found.upload_url:
                raise NotFoundError("NOT_FOUND", f"File {file_id} was deleted while its content was sent")
            return put(
                found.upload_url,
                hashed(),
                content.size,
                context=self._context,
                headers=headers,
                on_sent=on_sent if on_progress else None,
            )

        try:
            retrying(attempt, self._retries)
            file = self.file(file_id)
            if file is None or file.checksum_sha256 != digest.hexdigest():
                raise ContentMismatchError(f"The server has other bytes than were sent to file {file_id}")
            return file
        except BaseException:
            with contextlib.suppress(PlatformError):
                self._removal().delete_file(file_id, select="id")
            raise

    def _upload_in_parts(
        self, pieces: typing.Iterator[Piece], part_bytes: int, total: typing.Optional[int], upload: _Upload
    ) -> File:
        handle = upload.resume or self._start_parts(part_bytes, upload.input)
        try:
            if not upload.resume and upload.on_start:
                upload.on_start(handle)
            arrived = self.multipart_upload(file_id=handle.file_id, upload_id=handle.upload_id)
            if arrived is None:
                raise NotFoundError("NOT_FOUND", f"Upload {handle.upload_id} does not exist")
            there = {part.part_number: (part.etag, part.size) for part in arrived.parts}

            def send(piece: Piece, on_sent: OnSent, sleep: typing.Callable[[float], typing.Any]) -> str:
                return self._send_part(handle, piece, on_sent, sleep)

            etags = upload_parts(pieces, there, send, upload.parallel, total, upload.on_progress)
            parts = [PartETag(part_number=number, etag=etag) for number, etag in sorted(etags.items())]
            return self.complete_multipart_upload(
                CompleteMultipartUploadInput(
                    file_id=handle.file_id,
                    upload_id=handle.upload_id,
                    etags=parts,
                    content_type=UNSET if upload.content_type is None else upload.content_type,
                )
            )
        except BaseException as error:
            if upload.resume and isinstance(error, NotFoundError):
                file = self.file(handle.file_id)
                if file and file.uploaded and (total is None or file.content_length == total):
                    return file  # the response to its completion was lost
            if not upload.resume and not upload.on_start:
                self._remove_parts(handle)
            raise

    def _start_parts(self, part_bytes: int, input: CreateFileInput) -> UploadHandle:
        file_id = self.create_file(input, select="id").id
        upload = self.initiate_multipart_upload(InitiateMultipartUploadInput(file_id=file_id), select="uploadId")
        return UploadHandle(file_id, upload.upload_id, part_bytes)

    def _send_part(
        self, handle: UploadHandle, piece: Piece, on_sent: OnSent, sleep: typing.Callable[[float], typing.Any]
    ) -> str:
        wish = GeneratePartUploadUrlInput(file_id=handle.file_id, upload_id=handle.upload_id, part_number=piece.number)

        def attempt(_: int) -> str:
            on_sent(0)
            return put(self.generate_part_upload_url(wish), piece.read(), piece.size, context=self._context, on_sent=on_sent)

        # Retries a first 403 too: the URL may have expired while the part waited, and the next attempt has a new one.
        etag = retrying(attempt, self._retries, _passes_with_new_address, sleep)
        if not etag:
            raise ContentMismatchError(f"Part {piece.number} has no ETag")
        return etag

    def _remove_parts(self, handle: UploadHandle) -> None:
        removal = self._removal()
        with contextlib.suppress(PlatformError):
            removal.abort_multipart_upload(
                AbortMultipartUploadInput(file_id=handle.file_id, upload_id=handle.upload_id), select="id"
            )
        with contextlib.suppress(PlatformError):
            removal.delete_file(handle.file_id, select="id")

    def _removal(self) -> FilesOperations:
        return FilesOperations(self._send_within(_REMOVAL_SECONDS))

    def _locate(self, id: str) -> File:
        file = self.file(id, select="downloadUrl checksumSha256 contentLength")
        if file is None or not file.download_url:
            raise NotFoundError("NOT_FOUND", f"File {id} does not exist or has no content")
        return file


class Download:
    """A running download. Iterate over its chunks; close it, or use it in `with`, if you do not read it to the end."""

    def __init__(self, files: Files, id: str, begin: int, checksum: typing.Optional[str]) -> None:
        self._files = files
        self._id = id
        self._checksum = checksum
        self._first: typing.Optional[typing.Tuple[int, typing.Optional[str]]] = None
        # Progress in bytes.
        self.position = begin
        self._answer = self._open()
        self.size, self.etag = typing.cast("typing.Tuple[int, typing.Optional[str]]", self._first)
        self.content_type = self._answer.head.headers.get("content-type")

    def __iter__(self) -> typing.Iterator[bytes]:
        digest = hashlib.sha256()
        failures = 0
        try:
            while self.position < self.size:
                try:
                    chunk = self._read()
                except PlatformError as error:
                    if not is_passing(error) or failures >= self._files._retries:
                        raise
                    failures += 1
                    self._answer.close()
                    self._answer = self._open()
                    continue
                failures = 0
                self.position += len(chunk)
                digest.update(chunk)
                yield chunk
        finally:
            self.close()
        if self._checksum and digest.hexdigest() != self._checksum:
            raise ContentMismatchError(f"File {self._id} came with other bytes than it has")

    def _read(self) -> bytes:
        chunk = self._answer.read()
        if not chunk:
            raise ConnectionBrokenError("The connection ended before the content did")
        if self.position + len(chunk) > self.size:
            raise ContentMismatchError("More bytes came than there are")
        return chunk

    def close(self) -> None:
        self._answer.close()

    def __enter__(self) -> "Download":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> Opened:
        def attempt(_: int) -> Opened:
            url = typing.cast(str, self._files._locate(self._id).download_url)
            answer = Opened(url, self.position, self._files._context)
            try:
                self._check(answer)
            except BaseException:
                answer.close()
                raise
            return answer

        return retrying(attempt, self._files._retries, _passes_with_new_address)

    def _check(self, answer: Opened) -> None:
        """Requires that every response is of the same content as the first."""
        status, headers = answer.head
        found = _RANGE.match(headers.get("content-range", ""))
        begin, whole = found.groups() if found else (None, None)
        is_at_end = status == 416 and whole is not None and int(whole) == self.position
        is_shorter = status == 416 and self._first is not None
        if status not in (200, 206) and not is_at_end and not is_shorter:
            raise error_of_answer(answer.head, answer.refusal())
        length: str = whole or headers.get("content-length") or ""
        seen = (int(length), headers.get("etag")) if length.isdigit() else None
        goes_on = self.position == 0 or is_at_end or (status == 206 and begin is not None and int(begin) == self.position)
        is_other = self._first is not None and self._first != seen
        if seen is None or not goes_on or is_other:
            raise ContentMismatchError("The content was replaced while it was read, or a proxy changed it")
        self._first = seen


def _passes_with_new_address(error: PlatformError, failures: int) -> bool:
    return is_passing(error) or (isinstance(error, ForbiddenError) and failures == 0)


def _disposition(name: str) -> str:
    return f"attachment; filename*=UTF-8''{quote(name, safe='')}"
