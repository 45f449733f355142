package platform

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// WebhookRefusal is the error for a request that a webhook did not just send: answer with 400, and do nothing else.
type WebhookRefusal struct {
	// Reason is MISSING_HEADER, MALFORMED_HEADER, TOO_OLD, TOO_NEW, WRONG_SIGNATURE or NOT_AN_EVENT.
	Reason  string
	Message string
}

func (r *WebhookRefusal) Error() string { return r.Reason + ": " + r.Message }

// Event as sent to a webhook. Ignore values of Type that you do not know: a newer server may have more.
type Event struct {
	// ID is the same in each attempt and for each webhook.
	ID string `json:"id"`
	// Source is the service, such as /file-management.
	Source string `json:"source"`
	// Type such as file.done.
	Type string `json:"type"`
	// Time at which it happened.
	Time time.Time `json:"time"`
	// Subject is the id of the object.
	Subject string `json:"subject"`
	// Data is the object as the API shows it, such as a files.File; over 256 KiB only its id.
	Data json.RawMessage `json:"data"`
	// IsTruncated reports whether the object was too large for the event.
	IsTruncated bool `json:"datatruncated"`
}

// Verifier of webhook requests, by their signature and time, as in Standard Webhooks.
type Verifier struct {
	// Secrets has several values during a rotation, or if one URL serves several webhooks.
	Secrets []string
	// Tolerance is the allowed difference between the clocks; 300 s by default.
	Tolerance time.Duration
}

const (
	usualTolerance = 300 * time.Second
	// leastKeyBytes: Standard Webhooks requires 24 to 64.
	leastKeyBytes = 24
)

var seconds = regexp.MustCompile(`^[0-9]{1,12}$`)

// VerifyWebhook returns the event of a request after verifying its signature and time. The body must be the raw bytes. It returns a
// *WebhookRefusal if the request is refused.
func VerifyWebhook(body []byte, header http.Header, secrets ...string) (*Event, error) {
	return Verifier{Secrets: secrets}.Verify(body, header)
}

// Verify returns the event of a request.
func (v Verifier) Verify(body []byte, header http.Header) (*Event, error) {
	if len(v.Secrets) == 0 {
		return nil, errors.New("give the secret of the webhook")
	}
	var keys [][]byte
	for _, secret := range v.Secrets {
		key, isRead := bytesOf(strings.TrimPrefix(secret, "whsec_"))
		if !isRead || len(key) < leastKeyBytes {
			return nil, errors.New("a secret must be as CreateWebhook returned it: whsec_ and base64")
		}
		keys = append(keys, key)
	}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		if header.Get(name) == "" {
			return nil, &WebhookRefusal{"MISSING_HEADER", "The request has no header " + name}
		}
	}
	timestamp := header.Get("webhook-timestamp")
	if err := v.checkTime(timestamp); err != nil {
		return nil, err
	}
	signed := append([]byte(header.Get("webhook-id")+"."+timestamp+"."), body...)
	if !isSigned(keys, signed, header.Get("webhook-signature")) {
		return nil, &WebhookRefusal{"WRONG_SIGNATURE", "No signature fits the body and a secret"}
	}
	var event Event
	if !utf8.Valid(body) || json.Unmarshal(body, &event) != nil || event.ID == "" || event.Type == "" {
		return nil, &WebhookRefusal{"NOT_AN_EVENT", "The body is signed, but it is no event in JSON"}
	}
	return &event, nil
}

func (v Verifier) checkTime(timestamp string) error {
	if !seconds.MatchString(timestamp) {
		return &WebhookRefusal{"MALFORMED_HEADER", "The header webhook-timestamp is not a number of seconds"}
	}
	tolerance := v.Tolerance
	if tolerance == 0 {
		tolerance = usualTolerance
	}
	at, _ := strconv.ParseInt(timestamp, 10, 64)
	age := time.Now().Unix() - at
	if age > int64(tolerance/time.Second) {
		return &WebhookRefusal{"TOO_OLD", fmt.Sprintf("The request is %d s old", age)}
	}
	if -age > int64(tolerance/time.Second) {
		return &WebhookRefusal{"TOO_NEW", fmt.Sprintf("The request is from %d s in the future: compare the clocks", -age)}
	}
	return nil
}

// isSigned compares all with all, so that timing reveals nothing. A header can have signatures of other versions.
func isSigned(keys [][]byte, signed []byte, header string) bool {
	isOne := false
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write(signed)
		expected := mac.Sum(nil)
		for _, one := range strings.Split(header, " ") {
			if !strings.HasPrefix(one, "v1,") {
				continue
			}
			signature, isRead := bytesOf(strings.TrimPrefix(one, "v1,"))
			if isRead && hmac.Equal(signature, expected) {
				isOne = true
			}
		}
	}
	return isOne
}

func bytesOf(text string) ([]byte, bool) {
	found, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	return found, err == nil
}
