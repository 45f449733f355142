package platform

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
	"unicode/utf8"
)

// A WebSocket client (RFC 6455) with what pushes need: texts, pings and pongs, and the close.

const (
	websocketGUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

	opContinuation = 0x0
	opText         = 0x1
	opBinary       = 0x2
	opClose        = 0x8
	opPing         = 0x9
	opPong         = 0xA

	// mostMessageBytes: the server sends less than a MiB at once; more would be from somebody else.
	mostMessageBytes = 16 * mib
	openingTime      = 30 * time.Second
	closingTime      = time.Second
)

// socketClosed is the end of a connection, with the code of RFC 6455: 1006 if it broke without a close.
type socketClosed struct {
	code   int
	reason string
}

func (c *socketClosed) Error() string { return fmt.Sprintf("closed with %d: %s", c.code, c.reason) }

// websocket is an open connection. One goroutine receives, any may send and close.
type websocket struct {
	conn    net.Conn
	reader  *bufio.Reader
	sending sync.Mutex
	// silence closes the connection when nothing arrives for this time.
	silence time.Duration
}

func dialWebSocket(ctx context.Context, address string, settings *tls.Config, silence time.Duration) (*websocket, error) {
	parsed, err := url.Parse(address)
	if err != nil || (parsed.Scheme != "ws" && parsed.Scheme != "wss") || parsed.Host == "" {
		return nil, errors.New("the address of a WebSocket begins with ws:// or wss://")
	}
	bounded, cancel := context.WithTimeout(ctx, openingTime)
	defer cancel()
	conn, err := dialFor(bounded, parsed, settings)
	if err != nil {
		return nil, err
	}
	// Aborts the handshake with the context.
	isDone := make(chan struct{})
	defer close(isDone)
	go func() {
		select {
		case <-bounded.Done():
			_ = conn.SetDeadline(time.Now())
		case <-isDone:
		}
	}()
	w := &websocket{conn: conn, reader: bufio.NewReader(conn), silence: silence}
	if err := w.shakeHands(parsed); err != nil {
		conn.Close()
		return nil, err
	}
	return w, nil
}

func dialFor(ctx context.Context, parsed *url.URL, settings *tls.Config) (net.Conn, error) {
	isSecure := parsed.Scheme == "wss"
	port := parsed.Port()
	if port == "" {
		port = map[bool]string{true: "443", false: "80"}[isSecure]
	}
	target := net.JoinHostPort(parsed.Hostname(), port)
	if !isSecure {
		return (&net.Dialer{}).DialContext(ctx, "tcp", target)
	}
	settings = settings.Clone()
	if settings == nil {
		settings = &tls.Config{}
	}
	settings.NextProtos = []string{"http/1.1"}
	return (&tls.Dialer{Config: settings}).DialContext(ctx, "tcp", target)
}

func (w *websocket) shakeHands(parsed *url.URL) error {
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return err
	}
	key := base64.StdEncoding.EncodeToString(nonce)
	request := &http.Request{Method: http.MethodGet, URL: parsed, Host: parsed.Host, Header: http.Header{
		"Upgrade":               {"websocket"},
		"Connection":            {"Upgrade"},
		"Sec-Websocket-Key":     {key},
		"Sec-Websocket-Version": {"13"},
	}}
	if err := request.Write(w.conn); err != nil {
		return err
	}
	response, err := http.ReadResponse(w.reader, request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusSwitchingProtocols {
		return &socketClosed{1006, "the server answered " + response.Status}
	}
	sum := sha1.Sum([]byte(key + websocketGUID))
	if response.Header.Get("Sec-Websocket-Accept") != base64.StdEncoding.EncodeToString(sum[:]) {
		return &socketClosed{1006, "the answer is not that of a WebSocket"}
	}
	return nil
}

// receive returns the next text, or the end of the connection as a *socketClosed.
func (w *websocket) receive() (string, error) {
	var whole []byte
	isInMessage := false
	for {
		isLast, kind, content, err := w.readFrame(len(whole))
		if err != nil {
			return "", err
		}
		switch {
		case kind == opPing:
			if err := w.sendFrame(opPong, content); err != nil {
				return "", err
			}
			continue
		case kind == opPong:
			continue
		case kind == opClose:
			return "", w.answerClose(content)
		case kind == opBinary || (kind == opContinuation) != isInMessage:
			return "", w.fail(1002, "the server sent a frame out of order, or one that is no text")
		}
		whole = append(whole, content...)
		isInMessage = true
		if !isLast {
			continue
		}
		if !utf8.Valid(whole) {
			return "", w.fail(1007, "the server sent a text that is not UTF-8")
		}
		return string(whole), nil
	}
}

func (w *websocket) readFrame(soFar int) (isLast bool, kind byte, content []byte, err error) {
	head, err := w.read(2)
	if err != nil {
		return false, 0, nil, err
	}
	isLast, kind = head[0]&0x80 != 0, head[0]&0x0F
	length := uint64(head[1] & 0x7F)
	isKnown := kind <= opBinary || (kind >= opClose && kind <= opPong)
	if head[0]&0x70 != 0 || head[1]&0x80 != 0 || !isKnown {
		return false, 0, nil, w.fail(1002, "the server sent a frame that is not allowed")
	}
	if kind >= opClose && (length > 125 || !isLast) {
		return false, 0, nil, w.fail(1002, "the server sent a control frame that is too long")
	}
	if length > 125 {
		longer, err := w.read(map[uint64]int{126: 2, 127: 8}[length])
		if err != nil {
			return false, 0, nil, err
		}
		length = binary.BigEndian.Uint64(append(make([]byte, 8-len(longer)), longer...))
	}
	if length > mostMessageBytes || length+uint64(soFar) > mostMessageBytes {
		return false, 0, nil, w.fail(1009, "the server sent a message that is too long")
	}
	content, err = w.read(int(length))
	return isLast, kind, content, err
}

func (w *websocket) read(count int) ([]byte, error) {
	_ = w.conn.SetReadDeadline(time.Now().Add(w.silence))
	content := make([]byte, count)
	if _, err := io.ReadFull(w.reader, content); err != nil {
		return nil, &socketClosed{1006, err.Error()}
	}
	return content, nil
}

func (w *websocket) answerClose(content []byte) error {
	code, answered := 1005, 1000
	reason := ""
	if len(content) >= 2 {
		code = int(binary.BigEndian.Uint16(content))
		answered, reason = code, string(content[2:])
	}
	w.close(answered)
	return &socketClosed{code, reason}
}

func (w *websocket) fail(code int, reason string) error {
	w.close(code)
	return &socketClosed{1006, reason}
}

func (w *websocket) send(text string) error { return w.sendFrame(opText, []byte(text)) }

// close sends a close frame and ends the connection: a waiting reader wakes up.
func (w *websocket) close(code int) {
	_ = w.conn.SetWriteDeadline(time.Now().Add(closingTime))
	_ = w.sendFrame(opClose, []byte{byte(code >> 8), byte(code)})
	_ = w.conn.Close()
}

func (w *websocket) sendFrame(kind byte, content []byte) error {
	length := len(content)
	frame := []byte{0x80 | kind}
	switch {
	case length < 126:
		frame = append(frame, 0x80|byte(length))
	case length < 1<<16:
		frame = append(frame, 0x80|126, byte(length>>8), byte(length))
	default:
		frame = append(frame, 0x80|127)
		frame = append(frame, binary.BigEndian.AppendUint64(nil, uint64(length))...)
	}
	mask := make([]byte, 4)
	if _, err := rand.Read(mask); err != nil {
		return &socketClosed{1006, err.Error()}
	}
	frame = append(frame, mask...)
	for index, one := range content {
		frame = append(frame, one^mask[index%4])
	}
	w.sending.Lock()
	defer w.sending.Unlock()
	if kind != opClose {
		_ = w.conn.SetWriteDeadline(time.Now().Add(w.silence))
	}
	if _, err := w.conn.Write(frame); err != nil {
		return &socketClosed{1006, err.Error()}
	}
	return nil
}
