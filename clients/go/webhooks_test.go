package platform

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platform-services/platform-services/clients/go/files"
)

var (
	aSecret = "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("a", 32)))
	another = "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))
)

const aBody = `{"id":"1","type":"file.done","source":"/file-management","subject":"2","time":"2026-11-25T17:30:04.275Z","data":{"id":"2"}}`

func signed(body string, at time.Time) http.Header {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(strings.Repeat("a", 32)))
	fmt.Fprintf(mac, "1.%s.%s", timestamp, body)
	header := http.Header{}
	header.Set("webhook-id", "1")
	header.Set("webhook-timestamp", timestamp)
	header.Set("webhook-signature", "v2,xx v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return header
}

func TestASignedRequestIsItsEvent(t *testing.T) {
	event := done[*Event](t)(VerifyWebhook([]byte(aBody), signed(aBody, time.Now()), another, aSecret))
	same(t, "event", event.ID+event.Type+string(event.Data), `1file.done{"id":"2"}`)
	var file files.File
	if err := json.Unmarshal(event.Data, &file); err != nil || file.ID != "2" {
		t.Fatal("its object cannot be read", err)
	}
	old := signed(aBody, time.Now().Add(-time.Hour))
	done[*Event](t)(Verifier{Secrets: []string{aSecret}, Tolerance: 2 * time.Hour}.Verify([]byte(aBody), old))
}

func TestEveryOtherRequestIsRefusedWithItsReason(t *testing.T) {
	now := time.Now()
	change := func(name, value string) http.Header {
		header := signed(aBody, now)
		header.Set(name, value)
		return header
	}
	cases := []struct {
		body   string
		header http.Header
		secret string
		reason string
	}{
		{aBody + " ", signed(aBody, now), aSecret, "WRONG_SIGNATURE"},
		{aBody, signed(aBody, now), another, "WRONG_SIGNATURE"},
		{aBody, change("webhook-signature", "v1,äöü v1"), aSecret, "WRONG_SIGNATURE"},
		{aBody, signed(aBody, now.Add(-400*time.Second)), aSecret, "TOO_OLD"},
		{aBody, signed(aBody, now.Add(400*time.Second)), aSecret, "TOO_NEW"},
		{aBody, change("webhook-timestamp", "1e3"), aSecret, "MALFORMED_HEADER"},
		{aBody, http.Header{}, aSecret, "MISSING_HEADER"},
		{"[]", signed("[]", now), aSecret, "NOT_AN_EVENT"},
		{"\xff", signed("\xff", now), aSecret, "NOT_AN_EVENT"},
		{"{}", signed("{}", now), aSecret, "NOT_AN_EVENT"},
	}
	for _, one := range cases {
		_, err := VerifyWebhook([]byte(one.body), one.header, one.secret)
		var refused *WebhookRefusal
		if !errors.As(err, &refused) || refused.Reason != one.reason {
			t.Fatalf("expected %s, got %v", one.reason, err)
		}
	}
	for _, secret := range []string{"", "whsec_c2hvcnQ=", "whsec_???"} {
		var refused *WebhookRefusal
		if _, err := VerifyWebhook([]byte(aBody), signed(aBody, now), secret); err == nil || errors.As(err, &refused) {
			t.Fatal(err)
		}
	}
}

func TestARequestSignedByTheServerIsVerified(t *testing.T) {
	var mutex sync.Mutex
	var events []string
	secret := ""
	receiver := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		mutex.Lock()
		defer mutex.Unlock()
		event, err := VerifyWebhook(body, request.Header, secret)
		if err != nil {
			answer.WriteHeader(http.StatusBadRequest)
			return
		}
		events = append(events, event.Type)
		answer.WriteHeader(http.StatusNoContent)
	}))
	defer receiver.Close()
	mutex.Lock()
	wish := files.CreateWebhookInput{URL: receiver.URL, Events: []files.WebhookEvent{files.WebhookEventFileDone}}
	created := done[*files.WebhookSecret](t)(client.Files.CreateWebhook(ctx, wish))
	secret = created.Secret
	mutex.Unlock()
	tested := done[*files.WebhookDelivery](t)(client.Files.TestWebhook(ctx, files.TestWebhookArgs{ID: created.Webhook.ID}))
	same(t, "delivery", *tested.Status, files.WebhookDeliveryStatusDelivered)
	done[*files.File](t)(client.Files.Upload(ctx, strings.NewReader("content")))
	until(t, "events", func() bool {
		mutex.Lock()
		defer mutex.Unlock()
		return strings.Join(events, " ") == "ping file.done"
	})
	done[*files.Webhook](t)(client.Files.DeleteWebhook(ctx, created.Webhook.ID))
}
