package platform_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	platform "github.com/platform-services/platform-services/clients/go"
	"github.com/platform-services/platform-services/clients/go/email"
	"github.com/platform-services/platform-services/clients/go/events"
)

func TestEveryDocumentedEventHasAStructWithAllItsMembers(t *testing.T) {
	page := string(platform.Must(os.ReadFile("../../docs/event-examples.md")))
	source := string(platform.Must(os.ReadFile("events/events.go")))
	found := map[string]bool{}
	section := regexp.MustCompile("(?ms)^## (\\w+)\n\n```json\n(.*?)^```$(?:\n\nSame members: ([^\n]*))?")
	for _, match := range section.FindAllStringSubmatch(page, -1) {
		for _, name := range regexp.MustCompile(`[A-Z_]+`).FindAllString(match[1]+" "+match[3], -1) {
			var event platform.Event
			if err := json.Unmarshal([]byte(match[2]), &event); err != nil {
				t.Fatal(err)
			}
			event.Type = strings.Replace(strings.ToLower(name), "_", ".", 1)
			typed, err := events.Of(&event)
			if err != nil {
				t.Fatal(event.Type, err)
			}
			read := reflect.ValueOf(typed).Elem()
			object := read.FieldByName("Object")
			if !object.IsValid() {
				t.Fatal("no struct of ", event.Source, event.Type)
			}
			found[read.Type().Name()] = true
			decoder := json.NewDecoder(bytes.NewReader(event.Data))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(reflect.New(object.Type()).Interface()); err != nil {
				t.Error(event.Type, err)
			}
			if bounced, isBounced := typed.(*events.MailBounced); isBounced && *bounced.Object.Recipient.Bounce.Kind != email.EmailBounceKindHard {
				t.Error(bounced.Object.Recipient)
			}
		}
	}
	if declared := len(regexp.MustCompile(`(?m)^type \w+ struct`).FindAllString(source, -1)); len(found) != declared {
		t.Fatalf("%d of %d structs have an example", len(found), declared)
	}
}

func TestAPingAndAnUnknownEventStayUntyped(t *testing.T) {
	for _, given := range []platform.Event{{Source: "/email", Type: "ping"}, {Source: "/email", Type: "file.done"}} {
		event := given
		if typed, err := events.Of(&event); err != nil || typed != any(&event) {
			t.Fatal(typed, err)
		}
	}
	if _, err := events.Of(&platform.Event{Source: "/email", Type: "message.sent", Data: json.RawMessage("[]")}); err == nil {
		t.Fatal("a list was accepted as a mail")
	}
}
