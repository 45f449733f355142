// Package platform calls platform-services: files, document rendering, pushes, the document log and email. Its subpackages have the types
// of each service.
package platform

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/platform-services/platform-services/clients/go/admin"
	"github.com/platform-services/platform-services/clients/go/email"
	"github.com/platform-services/platform-services/clients/go/files"
	"github.com/platform-services/platform-services/clients/go/internal/wire"
	"github.com/platform-services/platform-services/clients/go/log"
	"github.com/platform-services/platform-services/clients/go/push"
	"github.com/platform-services/platform-services/clients/go/rendering"
)

// Client calls all services with the rights of one key. Goroutines can share it.
type Client struct {
	Files     *Files
	Rendering *rendering.Operations
	Push      *Push
	Log       *Log
	Email     *email.Operations
	Admin     *admin.Operations
	// Webhooks has one receiver for all services.
	Webhooks *Webhooks
	// Tokens are for pages and devices.
	Tokens    *Tokens
	transport *transport
}

// Options of a client. The zero value has the defaults.
type Options struct {
	// Retries is the number of retries of a repeatable operation; 5 by default, none if negative.
	Retries int
	// Timeout of one attempt; 40 s by default. The server stops an operation after 30 s.
	Timeout time.Duration
	// TLS replaces the settings of the system.
	TLS *tls.Config
	// HTTPClient sends the requests in place of the client's own, such as through a proxy or with traces. It needs no Timeout, which would
	// end transfers, and follows no redirect. WebSockets do not use it.
	HTTPClient *http.Client
}

// New creates a client. The url is that of the server; the key is sent in a header, and must stay on your server.
func New(address, key string, options ...Options) (*Client, error) {
	var given Options
	if len(options) > 0 {
		given = options[0]
	}
	if parsed, err := url.Parse(address); err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, errors.New("the address must be the http or https address of the server")
	}
	if !regexp.MustCompile(`^[\x21-\x7e]+$`).MatchString(key) {
		return nil, errors.New("the key must be a service access key")
	}
	t := newTransport(strings.TrimRight(address, "/"), key, given)
	return &Client{
		Files:     &Files{Operations: files.New(t), transport: t},
		Rendering: rendering.New(t),
		Push:      &Push{Operations: push.New(t), tls: given.TLS},
		Log:       &Log{log.New(t)},
		Email:     email.New(t),
		Admin:     admin.New(t),
		Webhooks:  &Webhooks{t},
		Tokens:    &Tokens{t},
		transport: t,
	}, nil
}

// Request sends a document of your own to a service, such as file-management. It is retried only if isRepeatable is set: for queries, and
// mutations with idempotency keys.
func (c *Client) Request(ctx context.Context, service, document string, variables map[string]any, isRepeatable bool) (map[string]json.RawMessage, error) {
	return c.transport.Call(ctx, service, document, variables, isRepeatable)
}

// Close closes idle connections.
func (c *Client) Close() {
	c.transport.calls.CloseIdleConnections()
	c.transport.transfers.CloseIdleConnections()
}

// Option of a call.
type Option = wire.Option

// Select sets the fields to return, in GraphQL, such as "id uploadUrl(expiresIn: 600)". Other fields are nil.
func Select(fields string) Option { return wire.Select(fields) }

// Ptr returns a pointer to a value, for optional inputs.
func Ptr[T any](value T) *T { return &value }

// Value returns the value of a pointer, or the zero value for nil.
func Value[T any](pointer *T) T {
	if pointer == nil {
		var none T
		return none
	}
	return *pointer
}

// Must returns the value, and panics on an error. Use it in programs that stop at their first error.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// transport sends operations to the services, and retries repeatable ones.
type transport struct {
	address, key string
	retries      int
	timeout      time.Duration
	// calls and transfers use separate connections: content is not compressed.
	calls, transfers *http.Client
}

func newTransport(address, key string, options Options) *transport {
	t := &transport{address: address, key: key, retries: options.Retries, timeout: options.Timeout}
	if t.retries == 0 {
		t.retries = 5
	}
	if t.timeout == 0 {
		t.timeout = 40 * time.Second
	}
	if options.HTTPClient != nil {
		own := *options.HTTPClient
		own.CheckRedirect = refuseRedirect
		t.calls, t.transfers = &own, &own
		return t
	}
	t.calls, t.transfers = newHTTPClient(options.TLS, false), newHTTPClient(options.TLS, true)
	return t
}

func newHTTPClient(settings *tls.Config, isTransfer bool) *http.Client {
	inner := http.DefaultTransport.(*http.Transport).Clone()
	inner.TLSClientConfig = settings.Clone()
	inner.DisableCompression = isTransfer
	inner.MaxIdleConnsPerHost = 16
	return &http.Client{Transport: inner, CheckRedirect: refuseRedirect}
}

// refuseRedirect keeps the key from following a redirect.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Call returns the data of a document.
func (t *transport) Call(ctx context.Context, service, document string, variables map[string]any, isRepeatable bool) (map[string]json.RawMessage, error) {
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		return nil, err
	}
	mayRepeat := func(err *Error, _ int) bool { return isPassing(err) && (isRepeatable || !err.MayHaveHappened) }
	return retrying(ctx, t.retries, mayRepeat, func(int) (map[string]json.RawMessage, error) { return t.try(ctx, service, body) })
}

func (t *transport) try(ctx context.Context, service string, body []byte) (map[string]json.RawMessage, error) {
	bounded, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(bounded, http.MethodPost, t.address+"/"+service+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("X-Api-Key", t.key)
	response, err := t.calls.Do(request)
	if err != nil {
		return nil, t.fault(ctx, bounded, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, t.fault(ctx, bounded, err)
	}
	return dataOf(response, answer)
}

func (t *transport) fault(ctx, bounded context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if bounded.Err() != nil {
		return ownError(TimedOut, err, "No answer came within %s", t.timeout)
	}
	return broken(err)
}

// broken returns the error of a connection. One that was never opened has sent nothing.
func broken(err error) *Error {
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	own := ownError(ConnectionBroken, err, "The connection broke: %v", err)
	var operation *net.OpError
	own.MayHaveHappened = !(errors.As(err, &operation) && operation.Op == "dial")
	return own
}

func dataOf(response *http.Response, body []byte) (map[string]json.RawMessage, error) {
	var answer struct {
		Data   map[string]json.RawMessage `json:"data"`
		Errors []struct {
			Message    string `json:"message"`
			Extensions struct {
				Code  Code   `json:"code"`
				Field string `json:"field"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	isRead := json.Unmarshal(body, &answer) == nil
	if isRead && len(answer.Errors) > 0 {
		first := answer.Errors[0]
		code := first.Extensions.Code
		if code == "" {
			code = InternalError
		}
		own := refusal(code, first.Message, response)
		own.Field = first.Extensions.Field
		// Another field of the same document may have changed something before.
		own.MayHaveHappened = own.MayHaveHappened && !(changesNothing[code] && hasNoValue(answer.Data))
		return nil, own
	}
	if !isRead || answer.Data == nil {
		return nil, errorOfAnswer(response, body)
	}
	return answer.Data, nil
}

func hasNoValue(data map[string]json.RawMessage) bool {
	for _, value := range data {
		if string(value) != "null" {
			return false
		}
	}
	return true
}
