"""The service of the log, and a writer for many records."""

from __future__ import annotations

import asyncio
import functools
import json
import typing
import uuid
from concurrent.futures import Future

from .errors import BadUserInputError, RateLimitedError
from .operations import Send, encode
from .runtime import Running, Runtime, run
from .types.log import AsyncLogOperations, CreateLogInput, LogOperations

_MOST_BATCH_RECORDS = 2_000
# Maximum bytes of a batch. A request may have 16 MiB.
_BATCH_BYTES = 4 * 1024 * 1024

OnError = typing.Callable[[BaseException, CreateLogInput], typing.Any]


class _Waiting(typing.NamedTuple):
    record: typing.Dict[str, typing.Any]
    size: int
    # A future of concurrent.futures, or of asyncio.
    stored: typing.Any


class _Writer:
    """The writer of both faces."""

    def __init__(self, runtime: Runtime, log: AsyncLogOperations, options: typing.Dict[str, typing.Any]) -> None:
        self._batch_records: int = options["batch_records"]
        if not 1 <= self._batch_records <= _MOST_BATCH_RECORDS:
            raise ValueError("batch_records must be from 1 to 2,000")
        self._runtime = runtime
        self._log = log
        self._gather: float = options["gather"]
        self._max_waiting: int = options["max_waiting"]
        self._on_error: typing.Optional[OnError] = options["on_error"]
        self._waiting: typing.List[_Waiting] = []
        self._taken = 0
        self._settled = 0
        self._is_flushing = False
        self._is_closed = False
        # It runs only while records are queued, so a fork at another time loses nothing.
        self._sender: typing.Optional[Running] = None
        self._changed = runtime.changes()

    def _write(self, record: CreateLogInput, stored: typing.Any) -> None:
        if self._on_error:
            stored.add_done_callback(functools.partial(self._tell, record))
        try:
            keyed = typing.cast(typing.Dict[str, typing.Any], encode(record))
            if keyed.get("idempotencyKey") is None:
                keyed["idempotencyKey"] = str(uuid.uuid4())
            self._take(_Waiting(keyed, len(json.dumps(keyed)), stored))
        except Exception as error:
            stored.set_exception(error)

    async def _flush(self) -> None:
        if self._sender is not None and self._sender.is_current():
            raise RuntimeError("on_error runs in the thread that sends: it cannot wait for it")
        with self._changed:
            taken = self._taken
            self._is_flushing = self._sender is not None
            self._changed.notify()
            await self._changed.wait_for(lambda: self._settled >= taken)

    async def _close(self) -> None:
        with self._changed:
            self._is_closed = True
        await self._flush()

    def _take(self, one: _Waiting) -> None:
        with self._changed:
            if self._is_closed:
                raise RuntimeError("The writer is closed")
            count = self._taken - self._settled
            if count >= self._max_waiting:
                raise RateLimitedError("RATE_LIMITED", f"{count} records wait to be stored already", may_have_happened=False)
            self._waiting.append(one)
            self._taken += 1
            if self._sender is None:
                self._sender = self._runtime.start(self._send, "platform-services log")
            elif len(self._waiting) >= self._batch_records:
                self._changed.notify()

    async def _send(self) -> None:
        with self._changed:
            await self._changed.wait_for(lambda: self._is_flushing or len(self._waiting) >= self._batch_records, self._gather)
        while True:
            with self._changed:
                if not self._waiting:
                    self._sender = None
                    self._is_flushing = False
                    return
                batch = self._take_batch()
            await self._store(batch)
            with self._changed:
                self._settled += len(batch)
                self._changed.notify()

    def _take_batch(self) -> typing.List[_Waiting]:
        count, size = 0, 0
        for one in self._waiting[: self._batch_records]:
            size += one.size
            if count > 0 and size > _BATCH_BYTES:
                break
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch

    async def _store(self, batch: typing.List[_Waiting]) -> None:
        """Sets the result of each record of a batch; never fails."""
        records = typing.cast(typing.List[CreateLogInput], [one.record for one in batch])
        try:
            answer = await self._log.create_log_batch(records, select="results { itemId error { message } }")
            results = answer.results
        except Exception as error:
            if not isinstance(error, BadUserInputError) or len(batch) == 1:
                for one in batch:
                    _settle(one, error)
                return
            # A value of a wrong type refuses the whole batch. Halving finds its record.
            middle = len(batch) // 2
            await self._store(batch[:middle])
            await self._store(batch[middle:])
            return
        for at, one in enumerate(batch):
            result = results[at] if at < len(results) else None
            if result and result.item_id is not None:
                _settle(one, result.item_id)
            else:
                message = result.error.message if result and result.error else None
                refusal = BadUserInputError("BAD_USER_INPUT", message or "The record was not stored", may_have_happened=False)
                _settle(one, refusal)

    def _tell(self, record: CreateLogInput, done: typing.Any) -> None:
        error = None if done.cancelled() else done.exception()
        if error is not None and self._on_error:
            self._on_error(error, record)


def _settle(one: _Waiting, outcome: typing.Union[str, BaseException]) -> None:
    if one.stored.done():
        return  # its caller was cancelled
    if isinstance(outcome, BaseException):
        one.stored.set_exception(outcome)
    else:
        one.stored.set_result(outcome)


class LogWriter(_Writer):
    """
    Collects records and stores them in batches, one after another. Records have idempotency keys, so a batch whose response was
    lost is resent and stored once. Call `close` before the process ends, or use `with`, or queued records are lost. Threads can
    share it.
    """

    def write(self, record: CreateLogInput) -> "Future[str]":
        """
        Returns at once. The result is the id of the record once it is stored; its exception is a BadUserInputError for this
        record, the error of its batch, or why the record was not accepted.
        """
        stored: "Future[str]" = Future()
        stored.set_running_or_notify_cancel()  # a record being sent cannot be cancelled
        self._write(record, stored)
        return stored

    def flush(self) -> None:
        """Returns once all earlier records are stored or refused."""
        run(self._flush())

    def close(self) -> None:
        """Stores queued records, and accepts no more."""
        run(self._close())

    def __enter__(self) -> "LogWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncLogWriter(_Writer):
    """Same as `LogWriter`, for one event loop. Use it in `async with`, or await `close` before the loop ends."""

    def write(self, record: CreateLogInput) -> "asyncio.Future[str]":
        """Same as `LogWriter.write`: awaiting the result waits until the record is stored, and need not be awaited with `on_error`."""
        stored: "asyncio.Future[str]" = asyncio.get_running_loop().create_future()
        self._write(record, stored)
        return stored

    async def flush(self) -> None:
        """Returns once all earlier records are stored or refused."""
        await self._flush()

    async def close(self) -> None:
        """Stores queued records, and accepts no more."""
        await self._close()

    async def __aenter__(self) -> "AsyncLogWriter":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class Log(LogOperations):
    """The operations of the log, and a writer for many records."""

    def __init__(self, send: Send, runtime: Runtime) -> None:
        super().__init__(send)
        self._runtime = runtime

    def writer(
        self,
        *,
        gather: float = 0.02,
        batch_records: int = 500,
        max_waiting: int = 10_000,
        on_error: typing.Optional[OnError] = None,
    ) -> LogWriter:
        """
        Creates a writer that sends records in batches. `gather`: seconds to collect records for a batch, unless it fills first.
        `batch_records`: 1 to 2,000. `max_waiting`: limit of queued records, including those being sent; `write` refuses more.
        `on_error` receives records that were not stored, in the thread that sends them. Without it, check the result of each
        `write`.
        """
        options = {"gather": gather, "batch_records": batch_records, "max_waiting": max_waiting, "on_error": on_error}
        return LogWriter(self._runtime, AsyncLogOperations(self._send), options)


class AsyncLog(AsyncLogOperations):
    """The operations of the log, and a writer for many records."""

    def __init__(self, send: Send, runtime: Runtime) -> None:
        super().__init__(send)
        self._runtime = runtime

    def writer(
        self,
        *,
        gather: float = 0.02,
        batch_records: int = 500,
        max_waiting: int = 10_000,
        on_error: typing.Optional[OnError] = None,
    ) -> AsyncLogWriter:
        """Same as `Log.writer`. `on_error` is called in the event loop."""
        options = {"gather": gather, "batch_records": batch_records, "max_waiting": max_waiting, "on_error": on_error}
        return AsyncLogWriter(self._runtime, self, options)
