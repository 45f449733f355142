package platform

import (
	"errors"
	"fmt"
	"net/http"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/platform-services/platform-services/clients/go/email"
	"github.com/platform-services/platform-services/clients/go/files"
	"github.com/platform-services/platform-services/clients/go/push"
	"github.com/platform-services/platform-services/clients/go/rendering"
)

var ofAll = []string{"FILE_DONE", "FILE_FAILED", "MESSAGE_DELIVERED", "RECIPIENT_BOUNCED", "LOG_CREATED", "TEMPLATE_CREATED"}

func servicesOf(webhooks []ReceiverWebhook) string {
	var names []string
	for _, one := range webhooks {
		names = append(names, one.Service)
	}
	sort.Strings(names)
	return strings.Join(names, " ")
}

func TestAReceiverHasOneWebhookInEachServiceWithOneSecretAndFollowsItsEvents(t *testing.T) {
	const address = "http://127.0.0.1:9/receiver-go"
	created := Must(client.Webhooks.Create(ctx, ReceiverInput{URL: address, Events: ofAll}))
	same(t, "services", servicesOf(created.Webhooks), "document-log document-rendering email file-management websockets-manager")
	if !strings.HasPrefix(created.Secret, "whsec_") {
		t.Fatal("no secret")
	}
	again := Must(client.Webhooks.Create(ctx, ReceiverInput{URL: address, Events: ofAll}))
	same(t, "webhooks", fmt.Sprint(again.Webhooks), fmt.Sprint(created.Webhooks))
	same(t, "secret", again.Secret, "")
	fewer := Must(client.Webhooks.Create(ctx, ReceiverInput{URL: address, Events: []string{"LOG_CREATED", "LOG_CREATED"}}))
	same(t, "services", servicesOf(fewer.Webhooks), "document-log")
	var listed []string
	for _, one := range Must(client.Webhooks.List(ctx)) {
		if one.URL == address {
			listed = append(listed, servicesOf(one.Webhooks), one.Webhooks[0].Events[0])
		}
	}
	same(t, "list", strings.Join(listed, " "), "document-log LOG_CREATED")
	same(t, "deleted", Must(client.Webhooks.Delete(ctx, address)), 1)
	same(t, "deleted", Must(client.Webhooks.Delete(ctx, address)), 0)
}

func TestAFailureOfSomeServicesIsReportedAndTheNextCallCompletesTheRest(t *testing.T) {
	const address = "http://127.0.0.1:9/partial-go"
	given := Must(newSecret())
	refuse := func(data []byte) []byte {
		if strings.Contains(string(data), "POST /email/graphql") && strings.Contains(string(data), "createWebhook") {
			return []byte("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
		}
		return nil
	}
	proxy.disturb(t, func() { proxy.answer = refuse })
	_, err := client.Webhooks.Create(ctx, ReceiverInput{URL: address, Events: ofAll, Secret: given})
	var partial *WebhooksError
	if !errors.As(err, &partial) || !errors.Is(err, Forbidden) || errors.Is(err, Conflict) {
		t.Fatal(err)
	}
	same(t, "done", len(partial.Receiver.Webhooks), 4)
	same(t, "failures", len(partial.Failures), 1)
	proxy.disturb(t, func() { proxy.answer = nil })
	whole := Must(client.Webhooks.Create(ctx, ReceiverInput{URL: address, Events: ofAll, Secret: given}))
	same(t, "webhooks", len(whole.Webhooks), 5)
	same(t, "secret", whole.Secret, given)
	Must(client.Webhooks.Delete(ctx, address))
}

func TestAReceiverIsRefusedForUnknownEventsNoEventsAndPoll(t *testing.T) {
	for _, input := range []ReceiverInput{
		{URL: "http://127.0.0.1:9/", Events: []string{"NOTHING"}},
		{URL: "http://127.0.0.1:9/"},
		{URL: "poll:", Events: ofAll},
	} {
		if _, err := client.Webhooks.Create(ctx, input); err == nil {
			t.Fatal(input)
		}
	}
}

type counting struct {
	http.RoundTripper
	requests int
}

func (c *counting) RoundTrip(request *http.Request) (*http.Response, error) {
	c.requests++
	return c.RoundTripper.RoundTrip(request)
}

func TestAnHTTPClientOfTheCallerSendsAllRequests(t *testing.T) {
	own := &counting{RoundTripper: &http.Transport{}}
	given := &http.Client{Transport: own}
	through := Must(New(proxy.url(), key, Options{HTTPClient: given}))
	file := Must(through.Files.Upload(ctx, strings.NewReader("hello"), UploadOptions{}))
	download := Must(through.Files.Download(ctx, file.ID))
	content := make([]byte, 10)
	count, _ := download.Read(content)
	same(t, "content", string(content[:count]), "hello")
	_ = download.Close()
	through.Close()
	if own.requests < 4 {
		t.Fatal(own.requests)
	}
	if given.CheckRedirect != nil {
		t.Fatal("the client of the caller was changed")
	}
}

func TestTimesAreTimesAndJSONInputsAcceptValues(t *testing.T) {
	file := Must(client.Files.CreateFile(ctx, files.CreateFileInput{ExpiresIn: Ptr(3600)}))
	left := file.ExpiresAt.Sub(*file.CreatedAt)
	if left < 3590*time.Second || left > 3610*time.Second || time.Since(*file.CreatedAt) > time.Minute {
		t.Fatal(file.CreatedAt, file.ExpiresAt)
	}
	template := rendering.PreviewTemplateInput{
		Type: rendering.TemplateTypeDocument, ContentType: rendering.ContentTypePlain, Body: "{{ a.b }} {{ c[0] }}",
	}
	text := `{"a":{"b":"ä"},"c":[1]}`
	type inner struct {
		B string `json:"b"`
	}
	for _, params := range []any{text, &text, map[string]any{"a": inner{"ä"}, "c": []int{1}}} {
		preview := Must(client.Rendering.Preview(ctx, rendering.PreviewInput{Template: template, Params: params}))
		same(t, "body", *preview.Body, "ä 1")
	}
	wish := push.MessageInput{Recipients: []string{"json-go"}, Message: map[string]int{"a": 1}, ExpiresAt: Ptr(inSeconds(600))}
	same(t, "message", *Must(client.Push.PushMessage(ctx, wish)).Item.Message, `{"a":1}`)
	if _, err := client.Push.PushMessage(ctx, push.MessageInput{Recipients: []string{"a"}, Message: make(chan int)}); err == nil {
		t.Fatal("it was sent")
	}
	image := email.InlineAttachmentInput{Content: []byte("GIF89a")}
	same(t, "content", strings.Contains(string(Must(image.MarshalJSON())), `"R0lGODlh"`), true)
}
