package main

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// Message is what was pushed.
type Message struct {
	ID, Message string
}

// Connection is a WebSocket of RFC 6455 that receives messages, and answers pings: an answer confirms what came before it.
type Connection struct {
	stream io.ReadWriteCloser
}

// ErrClosed says that the server closed the connection.
var ErrClosed = errors.New("the server closed the connection")

const (
	guid   = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
	closes = 0x8
	ping   = 0x9
	pong   = 0xA
	final  = 0x80
	masked = 0x80
	// The length of a frame that has it in the next two, or eight, bytes.
	length2 = 126
	length8 = 127
)

// Connect opens the address that registerRecipient returned. net/http hands over the stream after the upgrade.
func Connect(uri string) (*Connection, error) {
	// ws becomes http, and wss becomes https.
	request, err := http.NewRequest(http.MethodGet, "http"+strings.TrimPrefix(uri, "ws"), nil)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	key := base64.StdEncoding.EncodeToString(nonce)
	request.Header.Set("Connection", "Upgrade")
	request.Header.Set("Upgrade", "websocket")
	request.Header.Set("Sec-WebSocket-Key", key)
	request.Header.Set("Sec-WebSocket-Version", "13")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	sum := sha1.Sum([]byte(key + guid))
	stream, isStream := response.Body.(io.ReadWriteCloser)
	if !isStream || response.Header.Get("Sec-WebSocket-Accept") != base64.StdEncoding.EncodeToString(sum[:]) {
		response.Body.Close()
		return nil, errors.New("the server did not open a WebSocket: " + response.Status)
	}
	return &Connection{stream}, nil
}

// Next waits for a message.
func (c *Connection) Next() (message Message, err error) {
	var text []byte
	for {
		head, payload, err := c.readFrame()
		if err != nil {
			return message, err
		}
		switch head & 0x0F {
		case closes:
			return message, ErrClosed
		case ping:
			if err := c.send(pong, payload); err != nil {
				return message, err
			}
		case pong:
		default: // text, or the continuation of one
			text = append(text, payload...)
			if head&final != 0 {
				return message, json.Unmarshal(text, &message)
			}
		}
	}
}

// Close says goodbye, with the code of a normal end.
func (c *Connection) Close() error {
	defer c.stream.Close()
	return c.send(closes, binary.BigEndian.AppendUint16(nil, 1000))
}

func (c *Connection) readFrame() (head byte, payload []byte, err error) {
	start, err := c.read(2)
	if err != nil {
		return 0, nil, err
	}
	length := uint64(start[1])
	switch length {
	case length2:
		extended, err := c.read(2)
		if err != nil {
			return 0, nil, err
		}
		length = uint64(binary.BigEndian.Uint16(extended))
	case length8:
		extended, err := c.read(8)
		if err != nil {
			return 0, nil, err
		}
		length = binary.BigEndian.Uint64(extended)
	}
	payload, err = c.read(length)
	return start[0], payload, err
}

func (c *Connection) read(size uint64) ([]byte, error) {
	content := make([]byte, size)
	_, err := io.ReadFull(c.stream, content)
	return content, err
}

// send writes a short frame. Frames of a client are masked, so that no proxy takes them for something else.
func (c *Connection) send(kind byte, payload []byte) error {
	mask := make([]byte, 4)
	if _, err := rand.Read(mask); err != nil {
		return err
	}
	frame := append([]byte{final | kind, masked | byte(len(payload))}, mask...)
	for index, value := range payload {
		frame = append(frame, value^mask[index%4])
	}
	_, err := c.stream.Write(frame)
	return err
}
