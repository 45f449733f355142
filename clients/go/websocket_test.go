package platform

// Tests of frames that the real server never sends.

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// peer accepts one handshake, sends bytes, and records the received ones.
func peer(t *testing.T, frames, accept string) (address string, sent func() [][]byte) {
	t.Helper()
	listener := done[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	received := make(chan []byte, 1)
	go func() {
		defer listener.Close()
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		reader := bufio.NewReader(conn)
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if accept == "" {
			sum := sha1.Sum([]byte(request.Header.Get("Sec-WebSocket-Key") + websocketGUID))
			accept = base64.StdEncoding.EncodeToString(sum[:])
		}
		fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n%s", accept, frames)
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		all, _ := io.ReadAll(reader)
		received <- all
	}()
	return "ws://" + listener.Addr().String() + "/path?token=a", func() [][]byte { return unmasked(t, <-received) }
}

// unmasked returns the first byte and the content of each masked client frame.
func unmasked(t *testing.T, data []byte) (frames [][]byte) {
	t.Helper()
	for len(data) > 0 {
		if data[1]&0x80 == 0 {
			t.Fatal("a client masks")
		}
		length, begin := int(data[1]&0x7F), 2
		if length == 126 {
			length, begin = int(data[2])<<8|int(data[3]), 4
		}
		frame := []byte{data[0]}
		for index := 0; index < length; index++ {
			frame = append(frame, data[begin+4+index]^data[begin+index%4])
		}
		frames = append(frames, frame)
		data = data[begin+4+length:]
	}
	return frames
}

func dialPeer(t *testing.T, address string) *websocket {
	t.Helper()
	return done[*websocket](t)(dialWebSocket(ctx, address, nil, 5*time.Second))
}

func TestAMessageInPiecesIsJoinedWithAPingBetweenThem(t *testing.T) {
	address, sent := peer(t, "\x01\x03abc\x89\x02hi\x00\x01d\x80\x02\xc3\xa4\x81\x01z", "")
	socket := dialPeer(t, address)
	same(t, "joined", done[string](t)(socket.receive()), "abcdä")
	same(t, "next", done[string](t)(socket.receive()), "z")
	long := strings.Repeat("é", 200)
	if err := socket.send(long); err != nil {
		t.Fatal(err)
	}
	socket.close(1000)
	frames := sent()
	for index, expected := range []string{"\x8ahi", "\x81" + long, "\x88\x03\xe8"} {
		same(t, "frame", string(frames[index]), expected)
	}
}

func TestACloseIsAnsweredAndReported(t *testing.T) {
	address, sent := peer(t, "\x88\x06\x11\x31void", "")
	_, err := dialPeer(t, address).receive()
	var closed *socketClosed
	if !errors.As(err, &closed) || closed.code != 4401 || closed.reason != "void" {
		t.Fatal(err)
	}
	same(t, "answer", string(sent()[0]), "\x88\x11\x31")
}

func TestAProtocolViolationClosesTheConnection(t *testing.T) {
	cases := map[string]int{
		"\xc1\x01a":                 1002, // an extension that was not asked for
		"\x83\x01a":                 1002, // an unknown kind
		"\x81\x81\x00\x00\x00\x00a": 1002, // masked
		"\x09\x01a":                 1002, // a ping in pieces
		"\x89\x7e\x00\x80":          1002, // a ping that is too long
		"\x80\x01a":                 1002, // continues with nothing
		"\x01\x01a\x81\x01b":        1002, // begins while another is open
		"\x82\x01a":                 1002, // binary
		"\x81\x02\xff\xff":          1007,
		"\x81\x7f\x00\x00\x00\x01\x00\x00\x00\x00": 1009,
		"\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff": 1009,
	}
	for frames, code := range cases {
		address, sent := peer(t, frames, "")
		if _, err := dialPeer(t, address).receive(); err == nil {
			t.Fatalf("%q was taken", frames)
		}
		if answer := sent(); !bytes.Equal(answer[0], []byte{0x88, byte(code >> 8), byte(code)}) {
			t.Fatalf("%q was answered with %q", frames, answer)
		}
	}
}

func TestAResponseThatIsNoWebSocketIsRefused(t *testing.T) {
	address, _ := peer(t, "", "wrong")
	for _, one := range []string{address, "http://127.0.0.1:9", "ws://", "ws://127.0.0.1:9"} {
		if _, err := dialWebSocket(ctx, one, nil, time.Second); err == nil {
			t.Fatalf("%s was taken", one)
		}
	}
}
