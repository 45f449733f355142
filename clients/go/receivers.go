package platform

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/platform-services/platform-services/clients/go/internal/wire"
)

// Webhooks has one receiver for all services.
type Webhooks struct{ caller wire.Caller }

// Receiver is a URL, with the webhooks of all services that send to it.
type Receiver struct {
	URL      string
	Webhooks []ReceiverWebhook
	// Secret of all webhooks, from Create: the given or a new one. Empty if none was needed: the webhooks keep theirs.
	Secret string
}

// ReceiverWebhook is the webhook of one service.
type ReceiverWebhook struct {
	// Service such as file-management.
	Service string
	ID      string
	Events  []string
	Active  bool
}

// ReceiverInput is a receiver to create.
type ReceiverInput struct {
	// URL of the receiver, with https; see CreateWebhook.
	URL string
	// Events of any services, such as FILE_DONE.
	Events []string
	// Secret of all webhooks: whsec_ and the base64 of 24 to 64 bytes. Without one, a new one when a service gets its first webhook.
	Secret string
	// Description of up to 256 characters.
	Description string
}

// WebhooksError says that some services failed. The others are done, and calling again completes the rest.
type WebhooksError struct {
	// Receiver is what was done.
	Receiver *Receiver
	// Failures has the error of each service that failed.
	Failures map[string]error
}

func (e *WebhooksError) Error() string {
	var texts []string
	for service, err := range e.Failures {
		texts = append(texts, service+": "+err.Error())
	}
	sort.Strings(texts)
	return strings.Join(texts, "; ") + ". Call again to complete the rest"
}

// Is reports whether a service failed with an error that matches, such as Forbidden.
func (e *WebhooksError) Is(target error) bool {
	for _, err := range e.Failures {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// pollURL is fetched instead of received, so it is the URL of no receiver.
const pollURL = "poll:"

const (
	webhookFields  = "id url events active"
	listWebhooks   = "query { webhooks { items { " + webhookFields + " } } }"
	createWebhook  = "mutation($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { " + webhookFields + " } } }"
	updateWebhook  = "mutation($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { " + webhookFields + " } }"
	deleteWebhook  = "mutation($id: ID!) { deleteWebhook(id: $id) { id } }"
	newSecretBytes = 24
)

type foundWebhook struct {
	ID     string   `json:"id"`
	URL    string   `json:"url"`
	Events []string `json:"events"`
	Active bool     `json:"active"`
}

// Create creates the webhooks of a receiver, one in each service that has some of the events. Calling again with the same URL updates them:
// services without events lose their webhook, and inactive ones are active again. The error is a *WebhooksError if some services failed.
func (w *Webhooks) Create(ctx context.Context, input ReceiverInput) (*Receiver, error) {
	wanted, err := eventsByService(input)
	if err != nil {
		return nil, err
	}
	failures := map[string]error{}
	before := map[string][]foundWebhook{}
	isNew := false
	for _, service := range eventServices() {
		found, err := w.found(ctx, service)
		if err != nil && (wanted[service] != nil || !errors.Is(err, Forbidden)) {
			failures[service] = err
			continue
		}
		own := []foundWebhook{} // a service that the key cannot access has none of its webhooks
		for _, one := range found {
			if one.URL == input.URL {
				own = append(own, one)
			}
		}
		sort.Slice(own, func(i, j int) bool { return own[i].ID < own[j].ID })
		before[service] = own
		isNew = isNew || (wanted[service] != nil && len(own) == 0)
	}
	if input.Secret == "" && isNew {
		if input.Secret, err = newSecret(); err != nil {
			return nil, err
		}
	}
	receiver := &Receiver{URL: input.URL, Secret: input.Secret}
	for _, service := range eventServices() {
		own, isKnown := before[service]
		if !isKnown {
			continue
		}
		webhook, err := w.keep(ctx, service, own, wanted[service], input)
		if err != nil {
			failures[service] = err
		} else if webhook != nil {
			receiver.Webhooks = append(receiver.Webhooks, *webhook)
		}
	}
	return receiver, partialFailure(receiver, failures)
}

// List returns the receivers of all services that the key may access.
func (w *Webhooks) List(ctx context.Context) ([]Receiver, error) {
	var receivers []Receiver
	places := map[string]int{}
	var refused error
	hasAnswer := false
	for _, service := range eventServices() {
		found, err := w.found(ctx, service)
		if errors.Is(err, Forbidden) {
			refused = err
			continue
		}
		if err != nil {
			return nil, err
		}
		hasAnswer = true
		for _, one := range found {
			place, isKnown := places[one.URL]
			if !isKnown {
				place = len(receivers)
				places[one.URL] = place
				receivers = append(receivers, Receiver{URL: one.URL})
			}
			receivers[place].Webhooks = append(receivers[place].Webhooks, ReceiverWebhook{service, one.ID, one.Events, one.Active})
		}
	}
	if !hasAnswer {
		return nil, refused
	}
	return receivers, nil
}

// Delete deletes the webhooks of a URL in all services, with their queued events, and returns their number. The error is a *WebhooksError if
// some services failed.
func (w *Webhooks) Delete(ctx context.Context, url string) (int, error) {
	receivers, err := w.List(ctx)
	if err != nil {
		return 0, err
	}
	gone := &Receiver{URL: url}
	failures := map[string]error{}
	for _, receiver := range receivers {
		if receiver.URL != url {
			continue
		}
		for _, one := range receiver.Webhooks {
			if err := w.remove(ctx, one.Service, one.ID); err != nil {
				failures[one.Service] = err
				continue
			}
			gone.Webhooks = append(gone.Webhooks, one)
		}
	}
	return len(gone.Webhooks), partialFailure(gone, failures)
}

// keep leaves one webhook with the events in a service, or none.
func (w *Webhooks) keep(ctx context.Context, service string, own []foundWebhook, events []string, input ReceiverInput) (*ReceiverWebhook, error) {
	for place, one := range own {
		if events != nil && place == 0 {
			continue
		}
		if err := w.remove(ctx, service, one.ID); err != nil {
			return nil, err
		}
	}
	if events == nil {
		return nil, nil
	}
	fields := map[string]any{"events": events}
	for name, value := range map[string]string{"secret": input.Secret, "description": input.Description} {
		if value != "" {
			fields[name] = value
		}
	}
	var answer foundWebhook
	if len(own) > 0 {
		fields["active"] = true
		data, err := w.caller.Call(ctx, service, updateWebhook, map[string]any{"id": own[0].ID, "input": fields}, true)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data["updateWebhook"], &answer); err != nil {
			return nil, err
		}
	} else {
		fields["url"] = input.URL
		data, err := w.caller.Call(ctx, service, createWebhook, map[string]any{"input": fields}, false)
		if err != nil {
			return nil, err
		}
		created := struct{ Webhook *foundWebhook }{&answer}
		if err := json.Unmarshal(data["createWebhook"], &created); err != nil {
			return nil, err
		}
	}
	return &ReceiverWebhook{service, answer.ID, events, answer.Active}, nil
}

func (w *Webhooks) found(ctx context.Context, service string) ([]foundWebhook, error) {
	data, err := w.caller.Call(ctx, service, listWebhooks, nil, true)
	if err != nil {
		return nil, err
	}
	var page struct{ Items []foundWebhook }
	if err := json.Unmarshal(data["webhooks"], &page); err != nil {
		return nil, err
	}
	var found []foundWebhook
	for _, one := range page.Items {
		if one.URL != pollURL {
			found = append(found, one)
		}
	}
	return found, nil
}

func (w *Webhooks) remove(ctx context.Context, service, id string) error {
	_, err := w.caller.Call(ctx, service, deleteWebhook, map[string]any{"id": id}, true)
	if errors.Is(err, NotFound) {
		return nil
	}
	return err
}

func eventsByService(input ReceiverInput) (map[string][]string, error) {
	if input.URL == pollURL {
		return nil, errors.New("poll: has no receiver: use CreateWebhook of the service")
	}
	wanted := map[string][]string{}
	seen := map[string]bool{}
	for _, event := range input.Events {
		service, isKnown := wire.EventServices[event]
		if !isKnown {
			return nil, fmt.Errorf("%s is no event: use names such as FILE_DONE", event)
		}
		if !seen[event] {
			wanted[service] = append(wanted[service], event)
		}
		seen[event] = true
	}
	if len(wanted) == 0 {
		return nil, errors.New("give at least one event, or delete the webhooks of the URL")
	}
	return wanted, nil
}

func eventServices() []string {
	var services []string
	seen := map[string]bool{}
	for _, service := range wire.EventServices {
		if !seen[service] {
			services = append(services, service)
		}
		seen[service] = true
	}
	sort.Strings(services)
	return services
}

func partialFailure(receiver *Receiver, failures map[string]error) error {
	if len(failures) == 0 {
		return nil
	}
	return &WebhooksError{receiver, failures}
}

func newSecret() (string, error) {
	key := make([]byte, newSecretBytes)
	if _, err := rand.Read(key); err != nil {
		return "", err
	}
	return "whsec_" + base64.StdEncoding.EncodeToString(key), nil
}
