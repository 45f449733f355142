package platform

import (
	"container/list"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/platform-services/platform-services/clients/go/push"
)

const (
	voidToken = 4401
	// goodTime is the time after which a connection counts as stable, which resets the reconnect pause.
	goodTime          = 10 * time.Second
	longestPushPause  = 30 * time.Second
	signOfLife        = 30 * time.Second
	acknowledgeEvery  = 64
	mostWaiting       = 16_384
	usuallyRemembered = 10_000
	// failedOpenings in succession make a client whose WebSockets have opened before try an event stream.
	failedOpenings = 3
)

// final has the close codes after which reconnecting would not help: the client or the application must change.
var final = map[int]string{
	1002: "the client broke the protocol",
	1007: "the client sent a text that is not UTF-8",
	1008: "the client sent more than it may",
	1009: "the client sent a message that is too long",
	4403: "the application disconnected the recipient, or its tenant is suspended",
}

var closeReasons = map[int]string{
	1001: "the server goes away",
	4401: "the token is bad, expired or void",
	4408: "the client did not answer two heartbeats",
	4413: "too many messages lay unread or unacknowledged",
}

// ErrClosed means that a connection is closed for good: State says why.
var ErrClosed = errors.New("the connection is closed")

// Message that was pushed. A global message has the same ID for all recipients, and no recipient.
type Message struct {
	ID              string     `json:"id"`
	Message         string     `json:"message"`
	Recipient       *string    `json:"recipient"`
	Topic           *string    `json:"topic"`
	GlobalMessageID *string    `json:"globalMessageId"`
	CreatedAt       time.Time  `json:"createdAt"`
	ExpiresAt       *time.Time `json:"expiresAt"`
	// Replayed is true for a message stored before the connection opened, of one registered with Rewind.
	Replayed bool `json:"replayed"`
	// Inbox is true for a message in the inbox of the recipient.
	Inbox bool `json:"-"`
}

// Presence of a recipient that joined a topic with its first connection ("join"), or left it with its last ("leave").
type Presence struct {
	Presence  string    `json:"presence"`
	Topic     string    `json:"topic"`
	Recipient string    `json:"recipient"`
	At        time.Time `json:"at"`
}

// Names of connection states. Waiting: broken, and reopened after RetryIn.
const (
	Connecting = "connecting"
	Open       = "open"
	Waiting    = "waiting"
	Closed     = "closed"
)

// State of a connection. Code is the close code, if there was one. Transport of an open one is Events where the network blocks WebSockets.
type State struct {
	Name      string
	Reason    string
	Code      int
	RetryIn   time.Duration
	Transport string
}

// Events is the transport of a connection by server-sent events.
const Events = "events"

// ConnectOptions of a connection.
type ConnectOptions struct {
	// OnMessage receives the messages, one after another, in a goroutine of the connection. Without it, call Next. With Acknowledge, a
	// message whose call returns an error arrives again.
	OnMessage func(ctx context.Context, message Message) error
	// OnPresence is called for each recipient that joins or leaves a topic, of a connection registered with Presence.
	OnPresence func(Presence)
	// OnUnread is called with the number of unread messages in the inbox, of a connection registered with Inbox.
	OnUnread func(int)
	// OnState is called with every state of the connection.
	OnState func(State)
	// Acknowledge must be what the URL was registered with. Push.Connect sets it.
	Acknowledge bool
	// Remember is the number of message ids remembered to drop duplicates; 10,000 by default.
	Remember int
	// TLS replaces the settings of the system. Push.Connect uses those of its client.
	TLS *tls.Config
}

// Push has the operations of websockets-manager, and connections of recipients.
type Push struct {
	*push.Operations
	tls *tls.Config
}

// Connect registers a recipient and connects as it, until the context ends.
func (p *Push) Connect(ctx context.Context, wish push.RegisterRecipientInput, options ...ConnectOptions) *Connection {
	var given ConnectOptions
	if len(options) > 0 {
		given = options[0]
	}
	given.Acknowledge = Value(wish.Acknowledge)
	if given.TLS == nil {
		given.TLS = p.tls
	}
	return Connect(ctx, func(ctx context.Context) (string, error) {
		registered, err := p.RegisterRecipient(ctx, wish, Select("connectionUri"))
		if err != nil {
			return "", err
		}
		return registered.ConnectionURI, nil
	}, given)
}

// Connection reopens automatically. Close it, or end its context.
type Connection struct {
	address func(context.Context) (string, error)
	options ConnectOptions
	ctx     context.Context
	cancel  context.CancelFunc
	inbox   chan received
	// isOver is closed when nothing arrives any more, done once no goroutine is left.
	isOver chan struct{}
	done   sync.WaitGroup

	mutex sync.Mutex
	state State
	seen  map[string]*list.Element
	order *list.List
	// open is the socket of the open connection, and marks the frames to send once there is one.
	open  socket
	marks []string
	// The goroutine that stays connected alone uses these.
	usesEvents     bool
	hadWebSocket   bool
	failedOpenings int
	// taken is the last message returned by Next, which the next call acknowledges.
	taken *received
}

// socket is an open websocket or eventSocket.
type socket interface {
	receive() (string, error)
	send(text string) error
	close(code int)
}

// link is one attempt: a socket, and its handled messages. Once cancelled, nothing received on it is handled or acknowledged any more.
type link struct {
	socket  socket
	ctx     context.Context
	cancel  context.CancelFunc
	fault   string
	handled []string
}

type received struct {
	link    *link
	message Message
}

// Connect connects to the URL that the function returns, and stays connected until the context ends: with growing random pauses, and with
// a new URL after 4401 or a failed attempt. Where no WebSocket opens, it tries server-sent events alternately.
func Connect(ctx context.Context, address func(context.Context) (string, error), options ConnectOptions) *Connection {
	if options.Remember < 1 {
		options.Remember = usuallyRemembered
	}
	c := &Connection{
		address: address,
		options: options,
		inbox:   make(chan received, mostWaiting),
		isOver:  make(chan struct{}),
		state:   State{Name: Connecting},
		seen:    map[string]*list.Element{},
		order:   list.New(),
	}
	c.ctx, c.cancel = context.WithCancel(ctx)
	c.done.Add(1)
	go func() {
		defer c.done.Done()
		c.stayConnected()
	}()
	if options.OnMessage != nil {
		c.done.Add(1)
		go func() {
			defer c.done.Done()
			c.handOn()
		}()
	}
	return c
}

// State returns the state of the connection.
func (c *Connection) State() State {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.state
}

// Close ends the connection for good and waits for running calls of OnMessage. Inside OnMessage, cancel the context of Connect instead.
func (c *Connection) Close() {
	c.cancel()
	c.done.Wait()
}

// Marks of messages in an inbox.
const (
	Seen     = "seen"
	Read     = "read"
	Unread   = "unread"
	Archived = "archived"
)

// Mark marks a message in the inbox, once the connection is open. OnUnread follows.
func (c *Connection) Mark(id, mark string) {
	text, _ := json.Marshal(map[string]string{mark: id})
	c.mutex.Lock()
	socket := c.open
	if socket == nil {
		c.marks = append(c.marks, string(text))
		if len(c.marks) > c.options.Remember {
			c.marks = c.marks[1:]
		}
	}
	c.mutex.Unlock()
	if socket != nil {
		_ = socket.send(string(text)) // who receives sees a fault too
	}
}

// opens sets the socket of the open connection, or none, and sends the queued marks.
func (c *Connection) opens(socket socket) {
	c.mutex.Lock()
	c.open = socket
	var marks []string
	if socket != nil {
		marks, c.marks = c.marks, nil
	}
	c.mutex.Unlock()
	for _, mark := range marks {
		_ = socket.send(mark)
	}
}

// Next returns each message once, and ErrClosed after the end. With Acknowledge it acknowledges the message that it returned before.
func (c *Connection) Next(ctx context.Context) (Message, error) {
	if c.options.OnMessage != nil {
		return Message{}, errors.New("the messages go to OnMessage: connect without it to call Next")
	}
	if c.taken != nil {
		c.remember(c.taken.message.ID)
		c.acknowledge(c.taken)
		c.taken = nil
	}
	next, err := c.take(ctx)
	if err != nil {
		return Message{}, err
	}
	if c.options.Acknowledge {
		c.taken = next
	}
	return next.message, nil
}

// take returns the next unhandled message; one to be acknowledged only while its connection is open.
func (c *Connection) take(ctx context.Context) (*received, error) {
	for {
		var next received
		select {
		case next = <-c.inbox:
		default:
			select {
			case next = <-c.inbox:
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-c.ctx.Done():
				return nil, ErrClosed
			case <-c.isOver:
				select {
				case next = <-c.inbox:
				default:
					return nil, ErrClosed
				}
			}
		}
		if c.ctx.Err() != nil {
			return nil, ErrClosed
		}
		if !c.options.Acknowledge {
			return &next, nil
		}
		if next.link.ctx.Err() != nil {
			continue // it is sent again
		}
		if c.isKnown(next.message.ID) {
			c.acknowledge(&next)
			continue
		}
		return &next, nil
	}
}

func (c *Connection) handOn() {
	for {
		next, err := c.take(c.ctx)
		if err != nil {
			return
		}
		err = c.options.OnMessage(c.ctx, next.message)
		if !c.options.Acknowledge {
			continue
		}
		if err == nil {
			c.remember(next.message.ID)
			c.acknowledge(next)
			continue
		}
		c.flush(next.link)
		c.mutex.Lock()
		next.link.fault = fmt.Sprintf("OnMessage failed: %v", err)
		c.mutex.Unlock()
		next.link.cancel()
	}
}

// acknowledge confirms the last handled message, and with it all earlier ones, once no more are queued or many were handled.
func (c *Connection) acknowledge(one *received) {
	one.link.handled = append(one.link.handled, one.message.ID)
	if len(one.link.handled) >= acknowledgeEvery || len(c.inbox) == 0 {
		c.flush(one.link)
	}
}

func (c *Connection) flush(from *link) {
	if len(from.handled) == 0 || from.ctx.Err() != nil {
		return
	}
	text, _ := json.Marshal(map[string]string{"ack": from.handled[len(from.handled)-1]})
	from.handled = nil
	_ = from.socket.send(string(text)) // who receives sees a fault too
}

func (c *Connection) isKnown(id string) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.seen[id] != nil
}

// lastID returns the id of the message remembered last.
func (c *Connection) lastID() string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if last := c.order.Back(); last != nil {
		return last.Value.(string)
	}
	return ""
}

func (c *Connection) remember(id string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if before := c.seen[id]; before != nil {
		c.order.Remove(before)
	}
	c.seen[id] = c.order.PushBack(id)
	if c.order.Len() > c.options.Remember {
		oldest := c.order.Front()
		delete(c.seen, c.order.Remove(oldest).(string))
	}
}

func (c *Connection) become(state State) {
	c.mutex.Lock()
	c.state = state
	c.mutex.Unlock()
	if c.options.OnState != nil {
		c.options.OnState(state)
	}
}

func (c *Connection) stayConnected() {
	defer close(c.isOver)
	address := ""
	failures := 0
	for c.ctx.Err() == nil {
		c.become(State{Name: Connecting})
		end := c.attempt(address)
		address = end.address
		if end.openFor >= goodTime {
			failures = 0
		}
		if c.ctx.Err() != nil {
			break
		}
		if reason, isFinal := final[end.code]; isFinal && end.isOpened {
			c.become(State{Name: Closed, Reason: reason, Code: end.code})
			return
		}
		pause := pauseAfter(failures, longestPushPause)
		failures++
		c.become(State{Name: Waiting, Reason: end.reason, Code: end.code, RetryIn: pause})
		sleep(c.ctx, pause)
	}
	c.become(State{Name: Closed, Reason: "it was closed"})
}

// end of an attempt. The URL is reused only if it opened a connection.
type end struct {
	address  string
	isOpened bool
	openFor  time.Duration
	code     int
	reason   string
}

func (c *Connection) attempt(address string) end {
	if address == "" {
		found, err := c.address(c.ctx)
		if err != nil {
			return end{reason: fmt.Sprintf("no address: %v", err)}
		}
		address = found
	}
	socket, err := c.dial(address)
	if err != nil {
		code := 0
		var closed *socketClosed
		if errors.As(err, &closed) {
			code = closed.code
		}
		c.chooseTransport(code != voidToken)
		return end{code: code, reason: fmt.Sprintf("it could not be opened: %v", err)}
	}
	begun := time.Now()
	fault, closed := c.serve(socket)
	c.chooseTransport(false)
	ended := end{address: address, isOpened: true, openFor: time.Since(begun), code: closed.code, reason: fault}
	if fault == "" {
		ended.reason = closeReasons[closed.code]
	}
	if ended.reason == "" {
		ended.reason = "the connection broke"
	}
	if closed.code == voidToken {
		ended.address = ""
	}
	return ended
}

func (c *Connection) dial(address string) (socket, error) {
	if c.usesEvents {
		return dialEvents(c.ctx, address, c.options.TLS, !c.options.Acknowledge, c.lastID())
	}
	return dialWebSocket(c.ctx, address, c.options.TLS, silence)
}

// chooseTransport changes the transport after failed openings. A client whose WebSockets have opened returns to them after each event
// stream.
func (c *Connection) chooseTransport(isBlocked bool) {
	limit := map[bool]int{true: failedOpenings, false: 1}[c.hadWebSocket]
	if isBlocked {
		c.failedOpenings++
	}
	if (isBlocked && c.failedOpenings >= limit) || (c.usesEvents && c.hadWebSocket) {
		c.usesEvents = !c.usesEvents
		c.failedOpenings = 0
	}
}

// serve receives until the end, and returns the error of a handler, if that is the reason.
func (c *Connection) serve(socket socket) (string, *socketClosed) {
	ctx, cancel := context.WithCancel(c.ctx)
	own := &link{socket: socket, ctx: ctx, cancel: cancel}
	var beating sync.WaitGroup
	beating.Add(1)
	go func() {
		defer beating.Done()
		c.beat(ctx, socket)
	}()
	c.failedOpenings = 0
	state := State{Name: Open}
	if c.usesEvents {
		state.Transport = Events
	} else {
		c.hadWebSocket = true
	}
	c.become(state)
	c.opens(socket)
	closed := c.receive(own)
	c.opens(nil)
	cancel()
	beating.Wait()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return own.fault, closed
}

// beat detects a silently broken network, and ends the connection with the context. The server ignores the content.
func (c *Connection) beat(ctx context.Context, socket socket) {
	ticker := time.NewTicker(signOfLife)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			_ = socket.send("{}")
		case <-ctx.Done():
			socket.close(1000)
			return
		}
	}
}

func (c *Connection) receive(own *link) *socketClosed {
	for {
		text, err := own.socket.receive()
		if err != nil {
			var closed *socketClosed
			if !errors.As(err, &closed) {
				closed = &socketClosed{1006, err.Error()}
			}
			return closed
		}
		var frame struct {
			Message
			Presence string          `json:"presence"`
			At       time.Time       `json:"at"`
			Inbox    json.RawMessage `json:"inbox"`
		}
		if err := json.Unmarshal([]byte(text), &frame); err != nil {
			return &socketClosed{1006, "the server sent no message"}
		}
		message := frame.Message
		if frame.Presence != "" {
			if c.options.OnPresence != nil {
				c.options.OnPresence(Presence{frame.Presence, Value(message.Topic), Value(message.Recipient), frame.At})
			}
			continue
		}
		if message.ID == "" && frame.Inbox != nil {
			var inbox struct {
				Unread int `json:"unread"`
			}
			if json.Unmarshal(frame.Inbox, &inbox) == nil && c.options.OnUnread != nil {
				c.options.OnUnread(inbox.Unread)
			}
			continue
		}
		message.Inbox = string(frame.Inbox) == "true"
		if !c.options.Acknowledge {
			isKnown := c.isKnown(message.ID)
			c.remember(message.ID)
			if isKnown {
				continue
			}
		}
		select { // where too many wait, nothing more is read until some are taken
		case c.inbox <- received{own, message}:
		case <-c.ctx.Done():
			return &socketClosed{1006, "it was closed"}
		}
	}
}
