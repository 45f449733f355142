package platform

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platform-services/platform-services/clients/go/log"
)

func aRecord(documentID, documentType string) log.CreateLogInput {
	return log.CreateLogInput{DocumentID: documentID, DocumentType: documentType, DateTime: newYear}
}

func idsOfLog(t *testing.T, documentType string) string {
	t.Helper()
	args := log.LogsArgs{Filter: &log.LogsFilter{DocumentType: &documentType}}
	found := all[log.Log](t, client.Log.AllLogs(ctx, args, Select("id")), func(one log.Log) string { return one.ID })
	sort.Strings(found)
	return strings.Join(found, " ")
}

// stored returns the sorted ids of the written records.
func stored(t *testing.T, written ...*LogWrite) string {
	t.Helper()
	var ids []string
	for _, one := range written {
		ids = append(ids, done[string](t)(one.Wait(ctx)))
	}
	sort.Strings(ids)
	return strings.Join(ids, " ")
}

// countLogRequests returns a counter of requests to the log since the call.
func countLogRequests(t *testing.T) func() int {
	t.Helper()
	count := 0
	proxy.disturb(t, func() {
		proxy.answer = func(data []byte) []byte {
			if strings.HasPrefix(string(data), "POST /document-log") {
				count++
			}
			return nil
		}
	})
	return func() (found int) { proxy.set(func() { found = count }); return }
}

func TestRecordsAreGroupedIntoFewRequestsAndEachGetsItsID(t *testing.T) {
	requests := countLogRequests(t)
	writer := client.Log.Writer()
	var written []*LogWrite
	for number := 0; number < 300; number++ {
		written = append(written, writer.Write(aRecord(fmt.Sprint("many-", number), "many-go")))
	}
	if err := writer.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if count := requests(); count < 1 || count > 9 {
		t.Fatal(count)
	}
	same(t, "ids", idsOfLog(t, "many-go"), stored(t, written...))
	if _, err := writer.Write(aRecord("late", "many-go")).Wait(ctx); !errors.Is(err, ErrWriterClosed) {
		t.Fatal(err)
	}
}

func TestAFullBatchDoesNotWaitAndALargeOneIsSentInSeveralRequests(t *testing.T) {
	requests := countLogRequests(t)
	writer := client.Log.Writer(LogWriterOptions{Gather: time.Minute, BatchRecords: 60})
	record := aRecord("1", "large-go")
	long := strings.Repeat("x", 65_536)
	record.AttributeNewValue = &log.ValueInput{Raw: &long, Display: &long}
	var written []*LogWrite
	for number := 0; number < 60; number++ {
		written = append(written, writer.Write(record))
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Second)
	defer cancel()
	if err := writer.Flush(short); err != nil {
		t.Fatal(err)
	}
	same(t, "requests", requests(), 2)
	same(t, "ids", idsOfLog(t, "large-go"), stored(t, written...))
}

func TestGoroutinesShareAWriter(t *testing.T) {
	writer := client.Log.Writer(LogWriterOptions{BatchRecords: 7})
	var writing sync.WaitGroup
	for count := 0; count < 4; count++ {
		writing.Add(1)
		go func() {
			defer writing.Done()
			for number := 0; number < 50; number++ {
				writer.Write(aRecord("1", "goroutines-go"))
			}
		}()
	}
	writing.Wait()
	if err := writer.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	same(t, "records", len(strings.Split(idsOfLog(t, "goroutines-go"), " ")), 200)
}

func TestABatchWhoseResponseWasCutIsResentAndStoredOnce(t *testing.T) {
	cuts := proxy.cutOnce(t, "HTTP/1.1 200")
	writer := client.Log.Writer(LogWriterOptions{Gather: time.Millisecond})
	written := stored(t, writer.Write(aRecord("a", "cut-go")), writer.Write(aRecord("b", "cut-go")))
	same(t, "cuts", cuts(), 1)
	same(t, "ids", idsOfLog(t, "cut-go"), written)
}

func TestOnlyInvalidRecordsAreRefusedEvenIfOneFailsTheWholeBatch(t *testing.T) {
	var refused []string
	writer := client.Log.Writer(LogWriterOptions{OnError: func(err error, record log.CreateLogInput) {
		if !errors.Is(err, BadUserInput) {
			t.Error(err)
		}
		refused = append(refused, record.DocumentID)
	}})
	for _, id := range []string{"", "good", "bad name", "better", "best"} {
		record := aRecord(id, "mixed-go")
		if id == "bad name" {
			record.Attribute = &log.AttributeInput{Name: 5}
		}
		writer.Write(record)
	}
	if err := writer.Close(ctx); err != nil {
		t.Fatal(err)
	}
	same(t, "refused", strings.Join(refused, ","), ",bad name")
	same(t, "records", len(strings.Split(idsOfLog(t, "mixed-go"), " ")), 3)
}

func TestARecordWithoutJSONIsRefusedAlone(t *testing.T) {
	writer := client.Log.Writer()
	odd := aRecord("1", "odd-go")
	odd.Attribute = &log.AttributeInput{Name: make(chan int)}
	refused, good := writer.Write(odd), writer.Write(aRecord("2", "odd-go"))
	same(t, "ids", idsOfLog(t, "odd-go")+stored(t, good), stored(t, good))
	if _, err := refused.Wait(ctx); err == nil {
		t.Fatal("it was taken")
	}
}

func TestTheQueueOfRecordsIsLimited(t *testing.T) {
	writer := client.Log.Writer(LogWriterOptions{MaxWaiting: 2, Gather: time.Minute})
	first, second := writer.Write(aRecord("1", "full-go")), writer.Write(aRecord("2", "full-go"))
	third := writer.Write(aRecord("3", "full-go"))
	same(t, "may have happened", failed[string](t, RateLimited)(third.Wait(ctx)).MayHaveHappened, false)
	if err := writer.Close(ctx); err != nil {
		t.Fatal(err)
	}
	same(t, "ids", idsOfLog(t, "full-go"), stored(t, first, second))
}

func TestCloseEndsWithItsContextAndQueuedRecordsFail(t *testing.T) {
	isOver := make(chan struct{})
	hold := func([]byte) bool { proxy.mutex.Unlock(); <-isOver; proxy.mutex.Lock(); return true }
	proxy.disturb(t, func() { proxy.cutsAnswer = hold })
	defer close(isOver)
	writer := client.Log.Writer(LogWriterOptions{BatchRecords: 1})
	written := []*LogWrite{writer.Write(aRecord("1", "held-go")), writer.Write(aRecord("2", "held-go"))}
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if err := writer.Close(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	for _, one := range written {
		<-one.Done()
		if _, err := one.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

type auditedOrder struct {
	Status   string          `json:"status"`
	Total    float64         `json:"total"`
	Address  *auditedAddress `json:"address"`
	Tags     []any           `json:"tags"`
	Password string          `json:"password"`
	Note     *string         `json:"note,omitempty"`
	hidden   int
}

type auditedAddress struct {
	City string  `json:"city"`
	Zip  *string `json:"zip"`
}

func changesOf(records []log.CreateLogInput) []string {
	var found []string
	for _, one := range records {
		text := func(value *log.ValueInput) string {
			if value == nil {
				return "-"
			}
			return *value.Raw
		}
		found = append(found, fmt.Sprintf("%s %s: %s > %s", *one.Action, *one.Attribute.ID, text(one.AttributeOldValue), text(one.AttributeNewValue)))
	}
	return found
}

func sameTexts(t *testing.T, found []string, expected ...string) {
	t.Helper()
	if !reflect.DeepEqual(found, expected) && len(found)+len(expected) > 0 {
		t.Fatalf("expected %q, got %q", expected, found)
	}
}

func TestAChangedObjectIsStoredSoThatItsStateCanBeReadBack(t *testing.T) {
	before := auditedOrder{"open", 12.5, &auditedAddress{"Ulm", Ptr("89073")}, []any{map[string]any{"b": 1, "a": "<2>"}}, "x", nil, 1}
	after := map[string]any{
		"status": "paid", "total": 12.5, "address": map[string]any{"city": "Bonn", "zip": nil},
		"tags": []any{map[string]any{"a": "<2>", "b": 1}}, "password": "y", "note": "n",
	}
	subject := AuditSubject{DocumentType: "invoice", DocumentID: "7-go", Author: &log.AuthorInput{ID: Ptr("ann")}, Ignore: []string{"password"}}
	audit := done[[]log.CreateLogInput](t)
	records := audit(Audit(before, after, subject))
	sameTexts(t, changesOf(records),
		"update status: open > paid", "update address.city: Ulm > Bonn", "update address.zip: 89073 > -", "update note: - > n")
	writer := client.Log.Writer()
	for _, one := range records {
		writer.Write(one)
	}
	if err := writer.Close(ctx); err != nil {
		t.Fatal(err)
	}
	state := done[[]log.DocumentAttributeState](t)(client.Log.DocumentState(ctx, log.DocumentStateArgs{DocumentID: "7-go", DocumentType: "invoice"}))
	found := map[string]string{}
	for _, one := range state {
		if one.Value != nil {
			found[Value(one.AttributeID)] = Value(one.Value.Raw)
		}
	}
	same(t, "state", found["address.city"], "Bonn")
	sameTexts(t, changesOf(audit(Audit(nil, map[string]any{"a": 1, "at": time.Unix(0, 0).UTC(), "big": uint64(1 << 63), "list": []int{}}, subject))),
		"create a: - > 1", "create at: - > 1970-01-01T00:00:00Z", "create big: - > 9223372036854775808", "create list: - > []")
	var none *auditedOrder
	sameTexts(t, changesOf(audit(Audit(auditedAddress{City: "Ulm"}, none, subject))), "delete city: Ulm > -")
	sameTexts(t, changesOf(audit(Audit(before, &before, subject))))
	for _, wrong := range []any{1, "a", []int{1}, map[string]any{"a": make(chan int)}} {
		if _, err := Audit(wrong, nil, subject); err == nil {
			t.Fatal(wrong)
		}
	}
}
