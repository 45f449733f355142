package platform

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const postTime = 10 * time.Second

// eventSocket is an open event stream with the interface of a websocket, for networks that block those. Acknowledgements and marks go by
// POST.
type eventSocket struct {
	client  *http.Client
	address string
	body    io.ReadCloser
	reader  *bufio.Reader
	cancel  context.CancelFunc
	// silence ends the stream when nothing arrives for its time.
	silence *time.Timer
	// isAcknowledging tells to acknowledge each message here, when the next one is received; otherwise send does.
	isAcknowledging bool
	received        string
	sending         sync.Mutex
}

// streamed is a server-sent event.
type streamed struct{ event, id, data string }

// eventsAddressOf returns the URL of the event stream for that of a WebSocket: the same host and token.
func eventsAddressOf(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	parsed.Scheme = strings.Replace(parsed.Scheme, "ws", "http", 1)
	parsed.Path = strings.TrimSuffix(parsed.Path, "/") + "/events"
	return parsed.String(), nil
}

// dialEvents opens an event stream. lastID is the id of the last message received before, if any.
func dialEvents(ctx context.Context, address string, settings *tls.Config, isAcknowledging bool, lastID string) (*eventSocket, error) {
	address, err := eventsAddressOf(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	e := &eventSocket{address: address, cancel: cancel, isAcknowledging: isAcknowledging}
	e.client = &http.Client{Transport: &http.Transport{Proxy: nil, TLSClientConfig: settings.Clone(), ForceAttemptHTTP2: true}}
	e.silence = time.AfterFunc(openingTime, cancel)
	if err := e.open(ctx, lastID); err != nil {
		e.close(0)
		return nil, err
	}
	return e, nil
}

func (e *eventSocket) open(ctx context.Context, lastID string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "text/event-stream")
	if lastID != "" {
		request.Header.Set("Last-Event-ID", lastID)
	}
	response, err := e.client.Do(request)
	if err != nil {
		return err
	}
	e.body, e.reader = response.Body, bufio.NewReader(response.Body)
	if response.StatusCode != http.StatusOK {
		code := map[bool]int{true: voidToken, false: 1006}[response.StatusCode == http.StatusUnauthorized]
		return &socketClosed{code, "the server answered " + response.Status}
	}
	first, err := e.next()
	if err != nil {
		return err
	}
	var connection struct{ ID string }
	if err := json.Unmarshal([]byte(first.data), &connection); err != nil {
		return err
	}
	e.address = fmt.Sprintf("%s&connection=%s", e.address, connection.ID)
	return nil
}

// receive returns the next text, or the end of the connection as a *socketClosed.
func (e *eventSocket) receive() (string, error) {
	if e.isAcknowledging && e.received != "" && e.reader.Buffered() == 0 {
		text, _ := json.Marshal(map[string]string{"ack": e.received})
		_ = e.send(string(text)) // a later acknowledgement, or the next Last-Event-ID, includes a lost one
		e.received = ""
	}
	next, err := e.next()
	if err != nil {
		return "", err
	}
	if next.event == "close" {
		var end struct {
			Code   int
			Reason string
		}
		if err := json.Unmarshal([]byte(next.data), &end); err != nil {
			return "", &socketClosed{1006, err.Error()}
		}
		return "", &socketClosed{end.Code, end.Reason}
	}
	if next.id != "" {
		e.received = next.id
	}
	return next.data, nil
}

// next returns the next event with data.
func (e *eventSocket) next() (streamed, error) {
	var found streamed
	for {
		line, err := e.reader.ReadString('\n')
		if err != nil {
			return found, &socketClosed{1006, err.Error()}
		}
		e.silence.Reset(silence)
		switch name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); name {
		case "event":
			found.event = value
		case "id":
			found.id = value
		case "data":
			found.data = value
		case "":
			if found.data != "" {
				return found, nil
			}
		}
	}
}

// send sends an acknowledgement or a mark, one at a time. An empty frame is a sign of life, which a stream does not need.
func (e *eventSocket) send(text string) error {
	if text == "{}" {
		return nil
	}
	e.sending.Lock()
	defer e.sending.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), postTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address, bytes.NewReader([]byte(text)))
	if err != nil {
		return err
	}
	response, err := e.client.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// close ends the connection: a waiting reader wakes up.
func (e *eventSocket) close(int) {
	e.silence.Stop()
	e.cancel()
	if e.body != nil {
		_ = e.body.Close()
	}
	e.client.CloseIdleConnections()
}
