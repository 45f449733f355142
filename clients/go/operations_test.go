package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/platform-services/platform-services/clients/go/email"
	"github.com/platform-services/platform-services/clients/go/files"
	"github.com/platform-services/platform-services/clients/go/log"
	"github.com/platform-services/platform-services/clients/go/push"
	"github.com/platform-services/platform-services/clients/go/rendering"
)

func TestServicesReturnTheSelectionOrAllFieldsWithoutArguments(t *testing.T) {
	file := done[*files.File](t)
	created := file(client.Files.CreateFile(ctx, files.CreateFileInput{Name: Ptr("a.txt")}, Select("id uploadUrl(expiresIn: 60)")))
	if !strings.HasPrefix(Value(created.UploadURL), "http") || created.Name != nil {
		t.Fatalf("not as selected: %+v", created)
	}
	whole := file(client.Files.File(ctx, created.ID))
	same(t, "status", *whole.Status, files.FileStatusUploading)
	same(t, "name", *whole.Name, "a.txt")
	same(t, "address", whole.UploadURL, nil)
	same(t, "unknown", file(client.Files.File(ctx, unknownID)), nil)
	template := rendering.CreateTemplateInput{Name: "hello", Type: rendering.TemplateTypeDocument, ContentType: rendering.ContentTypePlain, Body: "Hello {{ name }}"}
	done[*rendering.Template](t)(client.Rendering.CreateTemplate(ctx, template))
	wish := rendering.RenderingInput{TemplateName: "hello", Params: `{"name": "Ann"}`}
	same(t, "body", Value(done[*rendering.RenderingResult](t)(client.Rendering.Render(ctx, wish)).Body), "Hello Ann")
	registered := done[*push.RegisterRecipientResponse](t)(client.Push.RegisterRecipient(ctx, push.RegisterRecipientInput{Recipient: "somebody"}))
	if !strings.HasPrefix(registered.ConnectionURI, "ws") {
		t.Fatal(registered.ConnectionURI)
	}
	names := map[string]any{"en": "Total", "de": "Summe"}
	stored := done[*log.CreateLogResult](t)(client.Log.CreateLog(ctx, log.CreateLogInput{
		DocumentID: "1", DocumentType: "order", DateTime: inSeconds(0), Attribute: &log.AttributeInput{Name: names},
	}))
	logs := done[*log.LogsResult](t)(client.Log.Logs(ctx, log.LogsArgs{Filter: &log.LogsFilter{ID: &stored.ItemID}}))
	if len(logs.Items) != 1 || logs.Items[0].ID != stored.ItemID || !reflect.DeepEqual(logs.Items[0].Attribute.Name, any(names)) {
		t.Fatalf("%+v", logs.Items)
	}
	same(t, "identities", len(done[[]email.EmailIdentity](t)(client.Email.EmailIdentities(ctx))), 0)
	if version := done[string](t)(client.Email.Version(ctx)); !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) {
		t.Fatal(version)
	}
}

func TestNilIsOmittedEmptyIsSentAndNullFieldsAreNull(t *testing.T) {
	file := done[*files.File](t)
	made := file(client.Files.CreateFile(ctx, files.CreateFileInput{Name: Ptr("null.txt"), Comment: Ptr("a")}))
	kept := file(client.Files.UpdateFile(ctx, files.UpdateFileInput{ID: &made.ID, ExternalReference: Ptr("b")}))
	same(t, "kept", Value(kept.Comment)+Value(kept.ExternalReference), "ab")
	cleared := file(client.Files.UpdateFile(ctx, files.UpdateFileInput{ID: &made.ID, NullFields: []string{"comment"}}))
	same(t, "cleared", cleared.Comment, nil)
	same(t, "reference", Value(cleared.ExternalReference), "b")
	emptied := done[*files.FilesResult](t)(client.Files.Files(ctx, files.FilesArgs{Filter: &files.FilesFilter{IDs: []string{}}}))
	same(t, "an empty list matches nothing", len(emptied.Items), 0)
}

func TestAnErrorHasItsCodeFieldAndRequest(t *testing.T) {
	own := failed[*files.File](t, BadUserInput)(client.Files.CreateFile(ctx, files.CreateFileInput{ExpiresIn: Ptr(0)}))
	if own.Field != "input.expiresIn" || own.Status != 200 || own.RequestID == "" || !strings.Contains(own.Message, "expiresIn") {
		t.Fatalf("%+v", own)
	}
	failed[*files.File](t, NotFound)(client.Files.DeleteFile(ctx, unknownID))
	template := rendering.CreateTemplateInput{Name: "twice", Type: rendering.TemplateTypeDocument, ContentType: rendering.ContentTypePlain, Body: ""}
	done[*rendering.Template](t)(client.Rendering.CreateTemplate(ctx, template))
	failed[*rendering.Template](t, Conflict)(client.Rendering.CreateTemplate(ctx, template))
	failed[string](t, Unauthenticated)(Must(New(proxy.url(), "wrong")).Files.Version(ctx))
	failed[string](t, Forbidden)(client.Admin.Version(ctx))
	for _, given := range [][2]string{{"", key}, {"ftp://host", key}, {proxy.url(), ""}, {proxy.url(), "a b"}} {
		if _, err := New(given[0], given[1]); err == nil {
			t.Fatalf("%v was taken", given)
		}
	}
}

func TestErrorCodesMatchThoseOfTheServer(t *testing.T) {
	var served []string
	if err := json.Unmarshal([]byte(os.Getenv("PLATFORM_CODES")), &served); err != nil {
		t.Fatal(err)
	}
	source := string(Must(os.ReadFile("errors.go")))
	found := map[string]bool{}
	for _, match := range regexp.MustCompile(`Code = "([A-Z_]+)"`).FindAllStringSubmatch(source, -1) {
		found[match[1]] = true
	}
	for _, code := range append(served, "CONNECTION_BROKEN", "TIMED_OUT", "CONTENT_MISMATCH") {
		if !found[code] {
			t.Fatalf("no constant for %s", code)
		}
		delete(found, code)
	}
	same(t, "codes that the server does not have", len(found), 0)
}

func TestEveryOperationOfEverySchemaHasAMethod(t *testing.T) {
	var served map[string][]string
	if err := json.Unmarshal([]byte(os.Getenv("PLATFORM_OPERATIONS")), &served); err != nil {
		t.Fatal(err)
	}
	services := map[string]any{"files": client.Files, "rendering": client.Rendering, "push": client.Push, "log": client.Log, "email": client.Email, "admin": client.Admin}
	for service, names := range served {
		methods := map[string]bool{}
		made := reflect.TypeOf(services[service])
		for index := 0; index < made.NumMethod(); index++ {
			methods[strings.ToLower(made.Method(index).Name)] = true
		}
		for _, name := range names {
			if !methods[strings.ToLower(name)] {
				t.Errorf("%s has no %s", service, name)
			}
		}
	}
	same(t, "services", len(served), len(services))
}

func TestPagesAreIteratedAndEachItemIsReturnedOnce(t *testing.T) {
	var names []string
	for number := 0; number < 7; number++ {
		names = append(names, fmt.Sprintf("page-%d", number))
		done[*files.File](t)(client.Files.CreateFile(ctx, files.CreateFileInput{Name: &names[number]}))
	}
	args := files.FilesArgs{Filter: &files.FilesFilter{NamePrefix: Ptr("page-")}, Limit: Ptr(3)}
	found := all[files.File](t, client.Files.AllFiles(ctx, args, Select("name")), func(file files.File) string { return *file.Name })
	sort.Strings(found)
	same(t, "names", strings.Join(found, " "), strings.Join(names, " "))
	pages := Must(New(proxy.url(), "wrong")).Files.AllFiles(ctx, args)
	if pages.Next() || !errors.Is(pages.Err(), Unauthenticated) {
		t.Fatal(pages.Err())
	}
}

func TestADocumentOfTheCallerIsSent(t *testing.T) {
	data, err := client.Request(ctx, "file-management", "query($id: ID!) { file(ID: $id) { id } }", map[string]any{"id": unknownID}, true)
	if err != nil || string(data["file"]) != "null" {
		t.Fatal(string(data["file"]), err)
	}
}

func TestAQueryWhoseConnectionWasCutIsRepeated(t *testing.T) {
	cuts := proxy.cutOnce(t, "HTTP/1.1 200")
	done[string](t)(client.Email.Version(ctx))
	same(t, "cuts", cuts(), 1)
}

func TestAMutationWithAGeneratedKeyHappensOnce(t *testing.T) {
	cuts := proxy.cutOnce(t, "HTTP/1.1 200")
	wish := push.MessageInput{Recipients: []string{"bob-go"}, Message: "once", ExpiresAt: Ptr(inSeconds(600))}
	sent := done[*push.PushMessageResult](t)(client.Push.PushMessage(ctx, wish))
	same(t, "cuts", cuts(), 1)
	args := push.MessagesArgs{Filter: &push.MessagesFilter{Recipient: Ptr("bob-go")}}
	stored := all[push.Message](t, client.Push.AllMessages(ctx, args), func(one push.Message) string { return one.ID })
	same(t, "messages", strings.Join(stored, " "), sent.Item.ID)
}

func TestEachRecordOfAListHasAKey(t *testing.T) {
	cuts := proxy.cutOnce(t, "HTTP/1.1 200")
	records := []log.CreateLogInput{
		{DocumentID: "keys", DocumentType: "a", DateTime: newYear},
		{DocumentID: "keys", DocumentType: "b", DateTime: newYear},
	}
	done[*log.CreateLogBatchResult](t)(client.Log.CreateLogBatch(ctx, records))
	same(t, "cuts", cuts(), 1)
	stored := done[*log.LogsResult](t)(client.Log.Logs(ctx, log.LogsArgs{Filter: &log.LogsFilter{DocumentID: Ptr("keys")}}))
	same(t, "records", len(stored.Items), 2)
}

func TestAMutationThatMayHaveHappenedIsNotRepeated(t *testing.T) {
	cuts := proxy.cutOnce(t, "HTTP/1.1 200")
	own := failed[*files.File](t, ConnectionBroken)(client.Files.CreateFile(ctx, files.CreateFileInput{Name: Ptr("perhaps")}))
	same(t, "may have happened", own.MayHaveHappened, true)
	same(t, "cuts", cuts(), 1)
	args := files.FilesArgs{Filter: &files.FilesFilter{NamePrefix: Ptr("perhaps")}}
	same(t, "files", len(done[*files.FilesResult](t)(client.Files.Files(ctx, args)).Items), 1)
}

func TestAnUnacceptedOperationIsRepeatedUntilTheServerIsBack(t *testing.T) {
	proxy.close()
	impatient := Must(New(proxy.url(), key, Options{Retries: -1}))
	same(t, "may have happened", failed[string](t, ConnectionBroken)(impatient.Files.Version(ctx)).MayHaveHappened, false)
	answers := make(chan error)
	go func() {
		_, err := Must(New(proxy.url(), key)).Files.CreateFile(ctx, files.CreateFileInput{Name: Ptr("patient")})
		answers <- err
	}()
	failed[string](t, ConnectionBroken)(impatient.Files.Version(ctx))
	proxy.open()
	if err := <-answers; err != nil {
		t.Fatal(err)
	}
}

func TestARefusalWithRetryAfterIsRetriedAfterIt(t *testing.T) {
	body := `{"errors":[{"message":"slow down","extensions":{"code":"RATE_LIMITED"}}]}`
	answer := fmt.Sprintf("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	proxy.answerOnce(t, answer)
	own := failed[string](t, RateLimited)(Must(New(proxy.url(), key, Options{Retries: -1})).Files.Version(ctx))
	same(t, "wait", own.RetryAfter, time.Second)
	same(t, "may have happened", own.MayHaveHappened, false)
	proxy.answerOnce(t, answer)
	begun := time.Now()
	done[*files.File](t)(Must(New(proxy.url(), key)).Files.CreateFile(ctx, files.CreateFileInput{Name: Ptr("waited")}))
	if time.Since(begun) < time.Second {
		t.Fatal("it did not wait")
	}
}

func TestAPageOfAProxyIsAnErrorWithItsStatus(t *testing.T) {
	proxy.answerOnce(t, "HTTP/1.1 503 Unavailable\r\nContent-Length: 6\r\n\r\n<html>")
	failed[string](t, ServiceUnavailable)(Must(New(proxy.url(), key, Options{Retries: -1})).Files.Version(ctx))
	proxy.answerOnce(t, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
	same(t, "status", failed[string](t, BadRequest)(Must(New(proxy.url(), key)).Files.Version(ctx)).Status, 302)
}

func TestAnAttemptEndsWithItsTimeoutAndACallWithItsContext(t *testing.T) {
	isOver := make(chan struct{})
	hold := func([]byte) bool { proxy.mutex.Unlock(); <-isOver; proxy.mutex.Lock(); return true }
	proxy.disturb(t, func() { proxy.cutsAnswer = hold })
	defer close(isOver)
	slow := Must(New(proxy.url(), key, Options{Retries: -1, Timeout: 300 * time.Millisecond}))
	failed[string](t, TimedOut)(slow.Files.Version(ctx))
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if _, err := client.Files.Version(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}
