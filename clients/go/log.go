package platform

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/platform-services/platform-services/clients/go/internal/wire"
	"github.com/platform-services/platform-services/clients/go/log"
)

const (
	usualGather       = 20 * time.Millisecond
	usualBatchRecords = 500
	usualMaxWaiting   = 10_000
	mostBatchRecords  = 2_000
	// batchBytes limits a batch. A request may have 16 MiB.
	batchBytes = 4 * 1024 * 1024
)

// ErrWriterClosed is the error of a record written after Close.
var ErrWriterClosed = errors.New("the writer is closed")

// Log has the operations of the log, and a writer for many records.
type Log struct {
	*log.Operations
}

// LogWriterOptions of a writer. The zero value has the defaults.
type LogWriterOptions struct {
	// Gather is the time to collect records for a batch, unless it fills first; 20 ms by default.
	Gather time.Duration
	// BatchRecords is the maximum number of records in a batch, 1 to 2,000; 500 by default.
	BatchRecords int
	// MaxWaiting limits the queued records, including those being sent; 10,000 by default. Write refuses more.
	MaxWaiting int
	// OnError receives records that were not stored, in the goroutine that sends them, and must not wait for it. Without it, check the
	// result of each Write.
	OnError func(err error, record log.CreateLogInput)
}

// LogWriter collects records and stores them in batches, one after another. Records have idempotency keys, so a batch whose response was
// lost is resent and stored once. Call Close before the process ends, or queued records are lost. Goroutines can share a writer.
type LogWriter struct {
	log     *log.Operations
	options LogWriterOptions
	// ctx ends with that of Close.
	ctx    context.Context
	cancel context.CancelFunc
	// urge ends the collection of records.
	urge chan struct{}

	mutex    sync.Mutex
	waiting  []*LogWrite
	last     *LogWrite
	count    int
	isClosed bool
	// The goroutine runs only while records are queued.
	isSending bool
}

// LogWrite is a record passed to a writer.
type LogWrite struct {
	record log.CreateLogInput
	size   int
	done   chan struct{}
	id     string
	err    error
}

// Writer creates a writer that sends records in batches. It panics if BatchRecords is over 2,000 or negative.
func (l *Log) Writer(options ...LogWriterOptions) *LogWriter {
	var given LogWriterOptions
	if len(options) > 0 {
		given = options[0]
	}
	if given.BatchRecords < 0 || given.BatchRecords > mostBatchRecords {
		panic("BatchRecords must be from 1 to 2,000")
	}
	if given.Gather == 0 {
		given.Gather = usualGather
	}
	if given.BatchRecords == 0 {
		given.BatchRecords = usualBatchRecords
	}
	if given.MaxWaiting == 0 {
		given.MaxWaiting = usualMaxWaiting
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &LogWriter{log: l.Operations, options: given, ctx: ctx, cancel: cancel, urge: make(chan struct{}, 1)}
}

// Write returns at once, with a handle for the result.
func (w *LogWriter) Write(record log.CreateLogInput) *LogWrite {
	own := &LogWrite{record: record, done: make(chan struct{})}
	if record.IdempotencyKey == nil {
		own.record.IdempotencyKey = Ptr(wire.NewKey())
	}
	text, err := json.Marshal(own.record)
	own.size = len(text)
	if err == nil {
		err = w.take(own)
	}
	if err != nil {
		w.settle(own, "", err)
	}
	return own
}

// Done is closed once the record is stored or refused.
func (r *LogWrite) Done() <-chan struct{} { return r.done }

// Wait returns the id of the record once it is stored, or its error: BadUserInput for this record, the error of its batch, or why it was
// not accepted. It ends with its context.
func (r *LogWrite) Wait(ctx context.Context) (string, error) {
	select {
	case <-r.done:
		return r.id, r.err
	default:
	}
	select {
	case <-r.done:
		return r.id, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Flush returns once all earlier records are stored or refused, or when its context ends.
func (w *LogWriter) Flush(ctx context.Context) error {
	w.mutex.Lock()
	last := w.last
	w.hurry()
	w.mutex.Unlock()
	if last == nil {
		return nil
	}
	// Records finish in the order of writing.
	select {
	case <-last.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close stores queued records, and accepts no more. When its context ends, the remaining records fail, and Close returns the error of the
// context.
func (w *LogWriter) Close(ctx context.Context) error {
	w.mutex.Lock()
	w.isClosed = true
	w.mutex.Unlock()
	err := w.Flush(ctx)
	w.cancel()
	_ = w.Flush(context.Background())
	return err
}

func (w *LogWriter) take(own *LogWrite) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.isClosed {
		return ErrWriterClosed
	}
	if w.count >= w.options.MaxWaiting {
		refusal := ownError(RateLimited, nil, "%d records wait to be stored already", w.count)
		refusal.MayHaveHappened = false
		return refusal
	}
	w.waiting, w.last = append(w.waiting, own), own
	w.count++
	if !w.isSending {
		w.isSending = true
		select {
		case <-w.urge: // it was for those before
		default:
		}
		go w.send()
	}
	if len(w.waiting) >= w.options.BatchRecords {
		w.hurry()
	}
	return nil
}

// hurry ends the collection of records.
func (w *LogWriter) hurry() {
	select {
	case w.urge <- struct{}{}:
	default:
	}
}

func (w *LogWriter) send() {
	gathering := time.NewTimer(w.options.Gather)
	select {
	case <-gathering.C:
	case <-w.urge:
		gathering.Stop()
	}
	for batch := w.takeBatch(); len(batch) > 0; batch = w.takeBatch() {
		w.store(batch)
		w.mutex.Lock()
		w.count -= len(batch)
		w.mutex.Unlock()
	}
}

// takeBatch returns none if nothing is queued, which ends the goroutine.
func (w *LogWriter) takeBatch() []*LogWrite {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	count, size := 0, 0
	for _, one := range w.waiting {
		size += one.size
		if count == w.options.BatchRecords || (count > 0 && size > batchBytes) {
			break
		}
		count++
	}
	batch := w.waiting[:count:count]
	w.waiting = w.waiting[count:]
	w.isSending = count > 0
	return batch
}

// store sets the result of each record of a batch.
func (w *LogWriter) store(batch []*LogWrite) {
	records := make([]log.CreateLogInput, len(batch))
	for at, one := range batch {
		records[at] = one.record
	}
	answer, err := w.log.CreateLogBatch(w.ctx, records, Select("results { itemId error { message } }"))
	if errors.Is(err, BadUserInput) && len(batch) > 1 {
		// A value of a wrong type refuses the whole batch. Halving finds its record.
		middle := len(batch) / 2
		w.store(batch[:middle])
		w.store(batch[middle:])
		return
	}
	for at, one := range batch {
		var result log.CreateLogBatch
		if err == nil && at < len(answer.Results) {
			result = answer.Results[at]
		}
		switch {
		case err != nil:
			w.settle(one, "", err)
		case result.ItemID != nil:
			w.settle(one, *result.ItemID, nil)
		default:
			w.settle(one, "", refusalOf(result.Error))
		}
	}
}

func refusalOf(given *log.ErrorInfo) *Error {
	message := "The record was not stored"
	if given != nil && given.Message != nil {
		message = *given.Message
	}
	own := ownError(BadUserInput, nil, "%s", message)
	own.MayHaveHappened = false
	return own
}

func (w *LogWriter) settle(own *LogWrite, id string, err error) {
	own.id, own.err = id, err
	if err != nil && w.options.OnError != nil {
		w.options.OnError(err, own.record)
	}
	close(own.done)
}
