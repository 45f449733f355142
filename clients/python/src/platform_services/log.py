"""The service of the log, and a writer for many records."""

from __future__ import annotations

import json
import threading
import typing
import uuid
from concurrent.futures import Future

from .errors import BadUserInputError, RateLimitedError
from .operations import encode
from .types.log import CreateLogInput, LogOperations

_MOST_BATCH_RECORDS = 2_000
# Maximum bytes of a batch. A request may have 16 MiB.
_BATCH_BYTES = 4 * 1024 * 1024

OnError = typing.Callable[[BaseException, CreateLogInput], typing.Any]


class Log(LogOperations):
    """The operations of the log, and a writer for many records."""

    def writer(
        self,
        *,
        gather: float = 0.02,
        batch_records: int = 500,
        max_waiting: int = 10_000,
        on_error: typing.Optional[OnError] = None,
    ) -> "LogWriter":
        """
        Creates a writer that sends records in batches. `gather`: seconds to collect records for a batch, unless it fills first.
        `batch_records`: 1 to 2,000. `max_waiting`: limit of queued records, including those being sent; `write` refuses more.
        `on_error` receives records that were not stored, in the thread that sends them. Without it, check the result of each
        `write`.
        """
        return LogWriter(self, gather=gather, batch_records=batch_records, max_waiting=max_waiting, on_error=on_error)


class _Waiting(typing.NamedTuple):
    record: typing.Dict[str, typing.Any]
    size: int
    stored: "Future[str]"


class LogWriter:
    """
    Collects records and stores them in batches, one after another. Records have idempotency keys, so a batch whose response was
    lost is resent and stored once. Call `close` before the process ends, or use `with`, or queued records are lost. Threads can
    share it.
    """

    def __init__(
        self,
        log: LogOperations,
        *,
        gather: float = 0.02,
        batch_records: int = 500,
        max_waiting: int = 10_000,
        on_error: typing.Optional[OnError] = None,
    ) -> None:
        if not 1 <= batch_records <= _MOST_BATCH_RECORDS:
            raise ValueError("batch_records must be from 1 to 2,000")
        self._log = log
        self._gather = gather
        self._batch_records = batch_records
        self._max_waiting = max_waiting
        self._on_error = on_error
        self._waiting: typing.List[_Waiting] = []
        self._taken = 0
        self._settled = 0
        self._is_flushing = False
        self._is_closed = False
        # The thread runs only while records are queued, so a fork at another time loses nothing.
        self._sender: typing.Optional[threading.Thread] = None
        self._changed = threading.Condition()

    def write(self, record: CreateLogInput) -> "Future[str]":
        """
        Returns at once. The result is the id of the record once it is stored; its exception is a BadUserInputError for this
        record, the error of its batch, or why the record was not accepted.
        """
        stored: "Future[str]" = Future()
        stored.set_running_or_notify_cancel()  # a record being sent cannot be cancelled
        if self._on_error:
            stored.add_done_callback(lambda done: self._tell(done, record))
        try:
            keyed = typing.cast(typing.Dict[str, typing.Any], encode(record))
            if keyed.get("idempotencyKey") is None:
                keyed["idempotencyKey"] = str(uuid.uuid4())
            self._take(_Waiting(keyed, len(json.dumps(keyed)), stored))
        except Exception as error:
            stored.set_exception(error)
        return stored

    def flush(self) -> None:
        """Returns once all earlier records are stored or refused."""
        if threading.current_thread() is self._sender:
            raise RuntimeError("on_error runs in the thread that sends: it cannot wait for it")
        with self._changed:
            taken = self._taken
            self._is_flushing = self._sender is not None
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._settled >= taken)

    def close(self) -> None:
        """Stores queued records, and accepts no more."""
        with self._changed:
            self._is_closed = True
        self.flush()

    def __enter__(self) -> "LogWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
                self._sender = threading.Thread(target=self._send, name="platform-services log", daemon=True)
                self._sender.start()
            elif len(self._waiting) >= self._batch_records:
                self._changed.notify_all()

    def _send(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._is_flushing or len(self._waiting) >= self._batch_records, self._gather)
        while True:
            with self._changed:
                if not self._waiting:
                    self._sender = None
                    self._is_flushing = False
                    return
                batch = self._take_batch()
            self._store(batch)
            with self._changed:
                self._settled += len(batch)
                self._changed.notify_all()

    def _take_batch(self) -> typing.List[_Waiting]:
        count, size = 0, 0
        for one in self._waiting[: self._batch_records]:
            size += one.size
            if count > 0 and size > _BATCH_BYTES:
                break
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch

    def _store(self, batch: typing.List[_Waiting]) -> None:
        """Sets the result of each record of a batch; never fails."""
        records = typing.cast(typing.List[CreateLogInput], [one.record for one in batch])
        try:
            results = self._log.create_log_batch(records, select="results { itemId error { message } }").results
        except Exception as error:
            if not isinstance(error, BadUserInputError) or len(batch) == 1:
                for one in batch:
                    one.stored.set_exception(error)
                return
            # A value of a wrong type refuses the whole batch. Halving finds its record.
            middle = len(batch) // 2
            self._store(batch[:middle])
            self._store(batch[middle:])
            return
        for at, one in enumerate(batch):
            result = results[at] if at < len(results) else None
            if result and result.item_id is not None:
                one.stored.set_result(result.item_id)
            else:
                message = result.error.message if result and result.error else None
                refusal = BadUserInputError("BAD_USER_INPUT", message or "The record was not stored", may_have_happened=False)
                one.stored.set_exception(refusal)

    def _tell(self, done: "Future[str]", record: CreateLogInput) -> None:
        error = done.exception()
        if error is not None and self._on_error:
            self._on_error(error, record)
