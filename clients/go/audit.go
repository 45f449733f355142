package platform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/platform-services/platform-services/clients/go/log"
)

// mostDepth is the maximum depth; deeper objects are logged as a whole, as JSON.
const mostDepth = 16

// AuditSubject has the values shared by all records of a change.
type AuditSubject struct {
	DocumentType, DocumentID string
	Author                   *log.AuthorInput
	// DateTime is the time of the change; now by default.
	DateTime time.Time
	// Action is create, update or delete by default, derived from the objects.
	Action        string
	EventSource   *log.EventSourceInput
	EventLocation *log.EventLocationInput
	// Ignore has fields to leave out, such as password or address.note.
	Ignore []string
}

// Audit returns a record for each field that differs; a nil before means created, a nil after deleted. Fields have the names and the
// order of their JSON, so maps are sorted by name. Fields of nested objects have names such as address.city; lists are compared and
// logged as JSON. A null or absent field has no value. It returns an error for a value that has no JSON, or is not an object.
func Audit(before, after any, subject AuditSubject) ([]log.CreateLogInput, error) {
	old, err := auditFields(before)
	if err != nil {
		return nil, err
	}
	now, err := auditFields(after)
	if err != nil {
		return nil, err
	}
	action := subject.Action
	if action == "" {
		action = happened(old, now)
	}
	at := subject.DateTime
	if at.IsZero() {
		at = time.Now()
	}
	var records []log.CreateLogInput
	for _, name := range namesOf(old, now) {
		if isSame(old.value(name), now.value(name)) || isIgnored(name, subject.Ignore) {
			continue
		}
		records = append(records, log.CreateLogInput{
			DocumentType:      subject.DocumentType,
			DocumentID:        subject.DocumentID,
			DateTime:          at,
			Action:            Ptr(action),
			Attribute:         &log.AttributeInput{ID: Ptr(name), Name: name},
			AttributeOldValue: valueOf(old.value(name)),
			AttributeNewValue: valueOf(now.value(name)),
			Author:            subject.Author,
			EventSource:       subject.EventSource,
			EventLocation:     subject.EventLocation,
		})
	}
	return records, nil
}

// audited returns the fields of an object that have a value, each as text; nil without an object.
type audited struct {
	names  []string
	values map[string]string
}

func (a *audited) value(name string) *string {
	if a == nil {
		return nil
	}
	if value, isThere := a.values[name]; isThere {
		return &value
	}
	return nil
}

func happened(old, now *audited) string {
	switch {
	case old == nil:
		return "create"
	case now == nil:
		return "delete"
	}
	return "update"
}

// namesOf returns the names of both, in the order of the first.
func namesOf(objects ...*audited) []string {
	var names []string
	isThere := map[string]bool{}
	for _, object := range objects {
		if object == nil {
			continue
		}
		for _, name := range object.names {
			if !isThere[name] {
				names, isThere[name] = append(names, name), true
			}
		}
	}
	return names
}

func isSame(one, other *string) bool {
	return one == other || (one != nil && other != nil && *one == *other)
}

func isIgnored(name string, ignore []string) bool {
	for _, one := range ignore {
		if name == one || strings.HasPrefix(name, one+".") {
			return true
		}
	}
	return false
}

func valueOf(raw *string) *log.ValueInput {
	if raw == nil {
		return nil
	}
	return &log.ValueInput{Raw: raw}
}

func auditFields(given any) (*audited, error) {
	written, err := json.Marshal(given)
	if err != nil {
		return nil, fmt.Errorf("what is audited has no JSON: %w", err)
	}
	if string(written) == "null" {
		return nil, nil
	}
	if written[0] != '{' {
		return nil, errors.New("Audit compares objects: structs and maps")
	}
	found := &audited{values: map[string]string{}}
	return found, found.collect(written, "", 0)
}

// collect reads an object field by field, since a map would lose their order.
func (a *audited) collect(object json.RawMessage, prefix string, depth int) error {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		name := fmt.Sprint(prefix, key)
		switch {
		case string(value) == "null":
		case value[0] == '{' && depth < mostDepth:
			err = a.collect(value, name+".", depth+1)
		default:
			err = a.add(name, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add writes texts unchanged, everything else as JSON with sorted names.
func (a *audited) add(name string, value json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber() // large numbers stay as they were
	var read any
	if err := decoder.Decode(&read); err != nil {
		return err
	}
	text, isText := read.(string)
	if !isText {
		var written strings.Builder
		encoder := json.NewEncoder(&written)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(read); err != nil {
			return err
		}
		text = strings.TrimSuffix(written.String(), "\n")
	}
	if _, isThere := a.values[name]; !isThere {
		a.names = append(a.names, name)
	}
	a.values[name] = text
	return nil
}
