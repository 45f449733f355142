package platform

// Client tests against a real server, with all traffic through a proxy that injects faults. test/client-go.e2e-spec.ts starts the
// server.

import (
	"context"
	"errors"
	"net"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const unknownID = "01900000-0000-7000-8000-000000000000"

var (
	server = os.Getenv("PLATFORM_SERVER")
	key    = os.Getenv("PLATFORM_KEY")
	port   = os.Getenv("PLATFORM_PROXY_PORT")
	proxy  *faultyProxy
	client *Client
	ctx    = context.Background()
)

func TestMain(m *testing.M) {
	if server == "" {
		panic("these tests need a server: npm test -- client-go")
	}
	proxy = newProxy()
	client = Must(New(proxy.url(), key))
	os.Exit(m.Run())
}

// faultyProxy forwards everything, at the server's public URL, unless a rule says otherwise.
type faultyProxy struct {
	target   string
	mutex    sync.Mutex
	listener net.Listener
	conns    map[net.Conn]bool
	// cutsAnswer is called with bytes from the server, and returns whether to cut the connection instead of forwarding them.
	cutsAnswer func([]byte) bool
	// cutsRequest is called with bytes to the server, and returns whether to cut the connection after forwarding them.
	cutsRequest func([]byte) bool
	// answer responds to a request instead of the server.
	answer func([]byte) []byte
}

func newProxy() *faultyProxy {
	p := &faultyProxy{target: strings.TrimPrefix(server, "http://"), conns: map[net.Conn]bool{}}
	p.open()
	return p
}

func (p *faultyProxy) url() string { return "http://127.0.0.1:" + port }

func (p *faultyProxy) open() {
	listener := Must(net.Listen("tcp", "127.0.0.1:"+port))
	p.mutex.Lock()
	p.listener = listener
	p.mutex.Unlock()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", p.target)
			if err != nil {
				near.Close()
				continue
			}
			p.mutex.Lock()
			p.conns[near], p.conns[far] = true, true
			p.mutex.Unlock()
			go p.pass(near, far, true)
			go p.pass(far, near, false)
		}
	}()
}

// close cuts all connections, and refuses new ones.
func (p *faultyProxy) close() {
	p.listener.Close()
	p.cut()
}

func (p *faultyProxy) cut() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for conn := range p.conns {
		conn.Close()
	}
	p.conns = map[net.Conn]bool{}
}

func (p *faultyProxy) set(rule func()) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	rule()
}

// disturb sets a rule until the test ends.
func (p *faultyProxy) disturb(t *testing.T, rule func()) {
	t.Helper()
	p.set(rule)
	t.Cleanup(func() { p.set(func() { p.cutsAnswer, p.cutsRequest, p.answer = nil, nil, nil }) })
}

// cutOnce cuts the connection at the first matching response. The returned function counts the cuts.
func (p *faultyProxy) cutOnce(t *testing.T, pattern string) func() int {
	t.Helper()
	cuts := 0
	matches := regexp.MustCompile(pattern)
	p.disturb(t, func() {
		p.cutsAnswer = func(data []byte) bool {
			if cuts > 0 || !matches.Match(data) {
				return false
			}
			cuts++
			return true
		}
	})
	return func() (count int) { p.set(func() { count = cuts }); return }
}

// answerOnce responds to the next request instead of the server.
func (p *faultyProxy) answerOnce(t *testing.T, answer string) {
	t.Helper()
	isDone := false
	p.disturb(t, func() {
		p.answer = func([]byte) []byte {
			if isDone {
				return nil
			}
			isDone = true
			return []byte(answer)
		}
	})
}

// refuseWebSockets refuses upgrades until the test ends.
func (p *faultyProxy) refuseWebSockets(t *testing.T) {
	t.Helper()
	p.disturb(t, func() {
		p.answer = func(data []byte) []byte {
			if !strings.Contains(strings.ToLower(string(data)), "upgrade: websocket") {
				return nil
			}
			return []byte("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
		}
	})
}

func (p *faultyProxy) pass(source, target net.Conn, isRequest bool) {
	defer source.Close()
	defer target.Close()
	buffer := make([]byte, 64*1024)
	for {
		count, err := source.Read(buffer)
		if err != nil {
			return
		}
		data := buffer[:count]
		var answer []byte
		var cutsBefore, cutsAfter bool
		p.set(func() {
			if isRequest && p.answer != nil {
				answer = p.answer(data)
			}
			cutsBefore = !isRequest && p.cutsAnswer != nil && p.cutsAnswer(data)
			cutsAfter = isRequest && p.cutsRequest != nil && p.cutsRequest(data)
		})
		if answer != nil {
			_, _ = source.Write(answer)
			return
		}
		if cutsBefore {
			return
		}
		if _, err := target.Write(data); err != nil || cutsAfter {
			return
		}
	}
}

func until(t *testing.T, what string, look func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !look(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("did not happen within a minute: %s", what)
		}
	}
}

func inSeconds(seconds int) time.Time { return time.Now().Add(time.Duration(seconds) * time.Second) }

var newYear = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func done[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// failed returns the expected error of a call.
func failed[T any](t *testing.T, code Code) func(T, error) *Error {
	return func(_ T, err error) *Error {
		t.Helper()
		var own *Error
		if !errors.As(err, &own) || !errors.Is(err, code) {
			t.Fatalf("expected %s, got %v", code, err)
		}
		return own
	}
}

func same[T comparable](t *testing.T, what string, found, expected T) {
	t.Helper()
	if found != expected {
		t.Fatalf("%s: expected %v, got %v", what, expected, found)
	}
}

// all collects the items of a list, each as a text.
func all[T any](t *testing.T, pages interface {
	Next() bool
	Item() T
	Err() error
}, text func(T) string) []string {
	t.Helper()
	found := []string{}
	for pages.Next() {
		found = append(found, text(pages.Item()))
	}
	if pages.Err() != nil {
		t.Fatal(pages.Err())
	}
	return found
}
