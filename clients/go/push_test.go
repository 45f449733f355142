package platform

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/platform-services/platform-services/clients/go/push"
)

// recipient records the messages and states of a connection.
type recipient struct {
	mutex  sync.Mutex
	texts  []string
	states []State
}

func (r *recipient) options() ConnectOptions {
	return ConnectOptions{OnMessage: r.hear, OnState: r.see}
}

func (r *recipient) hear(_ context.Context, message Message) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.texts = append(r.texts, message.Message)
	return nil
}

func (r *recipient) see(state State) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.states = append(r.states, state)
}

func (r *recipient) all() string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return strings.Join(r.texts, " ")
}

func (r *recipient) saw(t *testing.T, what string, fits func(State) bool) (found State) {
	t.Helper()
	until(t, what, func() bool {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		for _, state := range r.states {
			if fits(state) {
				found = state
				return true
			}
		}
		return false
	})
	return found
}

func (r *recipient) opened(t *testing.T) {
	t.Helper()
	r.saw(t, "open", func(state State) bool { return state.Name == Open })
}

func pushTo(t *testing.T, recipient, text string) string {
	t.Helper()
	wish := push.MessageInput{Recipients: []string{recipient}, Message: text, ExpiresAt: Ptr(inSeconds(600))}
	return done[*push.PushMessageResult](t)(client.Push.PushMessage(ctx, wish)).Item.ID
}

func isDelivered(t *testing.T, id string) bool {
	t.Helper()
	pages := client.Push.AllMessages(ctx, push.MessagesArgs{Filter: &push.MessagesFilter{}})
	for pages.Next() {
		if item := pages.Item(); item.ID == id {
			return *item.Status == push.MessageStatusDelivered
		}
	}
	t.Fatal(pages.Err())
	return false
}

func wishOf(name string, isAcknowledging bool) push.RegisterRecipientInput {
	return push.RegisterRecipientInput{Recipient: name, Acknowledge: &isAcknowledging}
}

func TestPushesArriveAndEachMissedMessageArrivesOnceAfterACut(t *testing.T) {
	var ann recipient
	connection := client.Push.Connect(ctx, wishOf("ann-go", false), ann.options())
	ann.opened(t)
	pushTo(t, "ann-go", "one")
	until(t, "one", func() bool { return ann.all() == "one" })
	proxy.close()
	waiting := ann.saw(t, "waiting", func(state State) bool { return state.Name == Waiting })
	same(t, "reason", waiting.Reason, "the connection broke")
	same(t, "code", waiting.Code, 1006)
	proxy.open()
	pushTo(t, "ann-go", "two")
	until(t, "two", func() bool { return strings.Contains(ann.all(), "two") })
	connection.Close()
	same(t, "texts", ann.all(), "one two")
	same(t, "state", connection.State(), State{Name: Closed, Reason: "it was closed"})
}

func TestLongAndForeignTextsArriveWhole(t *testing.T) {
	connection := client.Push.Connect(ctx, wishOf("long-go", false))
	defer connection.Close()
	for _, text := range []string{strings.Repeat("ä€😀", 20), strings.Repeat("x", 300), strings.Repeat("ü", 65_000)} {
		pushTo(t, "long-go", text)
		same(t, "text", done[Message](t)(connection.Next(ctx)).Message, text)
	}
}

func TestNextAcknowledgesThePreviousMessage(t *testing.T) {
	var ids []string
	for _, text := range []string{"one", "two", "three"} {
		ids = append(ids, pushTo(t, "eve-go", text))
	}
	connection := client.Push.Connect(ctx, wishOf("eve-go", true))
	for _, text := range []string{"one", "two"} {
		same(t, "text", done[Message](t)(connection.Next(ctx)).Message, text)
	}
	connection.Close()
	same(t, "the second was delivered", isDelivered(t, ids[1]), false)
	connection = client.Push.Connect(ctx, wishOf("eve-go", true))
	texts := ""
	for !strings.HasSuffix(texts, "three") {
		texts += done[Message](t)(connection.Next(ctx)).Message
	}
	if !strings.HasSuffix(texts, "twothree") {
		t.Fatal(texts)
	}
	ended, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		until(t, "all delivered", func() bool { return isDelivered(t, ids[0]) && isDelivered(t, ids[1]) && isDelivered(t, ids[2]) })
	}()
	if _, err := connection.Next(ended); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	connection.Close()
	if _, err := connection.Next(ctx); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
}

func TestAMessageWhoseHandlerFailedArrivesAgain(t *testing.T) {
	var fay recipient
	failures := 1
	options := fay.options()
	options.OnMessage = func(ctx context.Context, message Message) error {
		if message.Message == "bad" && failures > 0 {
			failures--
			return errors.New("not now")
		}
		return fay.hear(ctx, message)
	}
	connection := client.Push.Connect(ctx, wishOf("fay-go", true), options)
	fay.opened(t)
	first, bad := pushTo(t, "fay-go", "first"), pushTo(t, "fay-go", "bad")
	until(t, "delivered", func() bool { return isDelivered(t, first) && isDelivered(t, bad) })
	connection.Close()
	same(t, "texts", fay.all(), "first bad")
	fay.saw(t, "failed", func(state State) bool { return state.Reason == "OnMessage failed: not now" })
}

func TestANewURLIsRequestedWhenTheTokenIsInvalidOrMissing(t *testing.T) {
	var bob recipient
	asked := 0
	address := func(ctx context.Context) (string, error) {
		asked++
		if asked == 1 {
			return "", errors.New("no session")
		}
		registered, err := client.Push.RegisterRecipient(ctx, wishOf("bad-go", false))
		if err != nil || asked > 2 {
			return registered.ConnectionURI, err
		}
		return strings.Split(registered.ConnectionURI, "=")[0] + "=bad", nil
	}
	connection := Connect(ctx, address, bob.options())
	bob.saw(t, "no session", func(state State) bool { return state.Reason == "no address: no session" })
	bob.saw(t, "bad token", func(state State) bool {
		return state.Code == 4401 && state.Reason == "the token is bad, expired or void"
	})
	pushTo(t, "bad-go", "hello")
	until(t, "hello", func() bool { return bob.all() == "hello" })
	connection.Close()
	same(t, "asked", asked, 3)
}

func TestAConnectionEndsWhenTheApplicationDisconnectsIt(t *testing.T) {
	var dora recipient
	connection := client.Push.Connect(ctx, wishOf("dora-go", false), ConnectOptions{OnState: dora.see})
	defer connection.Close()
	dora.opened(t)
	pushTo(t, "dora-go", "last")
	same(t, "text", done[Message](t)(connection.Next(ctx)).Message, "last")
	done[int](t)(client.Push.DisconnectRecipient(ctx, "dora-go"))
	if _, err := connection.Next(ctx); !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
	same(t, "code", dora.saw(t, "closed", func(state State) bool { return state.Name == Closed }).Code, 4403)
}

func TestDuplicatesAreDroppedWithinTheRememberedMessages(t *testing.T) {
	connection := Connect(ctx, func(context.Context) (string, error) { return "", errors.New("none") }, ConnectOptions{Remember: 2})
	connection.Close()
	for _, id := range []string{"a", "b", "a", "c"} {
		connection.remember(id)
	}
	same(t, "b was forgotten", connection.isKnown("b"), false)
	same(t, "a is known", connection.isKnown("a") && connection.isKnown("c"), true)
}

func TestMessagesInAnInboxAreMarkedAndTheUnreadNumberIsTold(t *testing.T) {
	wish := push.MessageInput{Recipients: []string{"ivy-go"}, Message: "m", Inbox: Ptr(true)}
	var ids []string
	for len(ids) < 2 {
		ids = append(ids, done[*push.PushMessageResult](t)(client.Push.PushMessage(ctx, wish)).Item.ID)
	}
	var mutex sync.Mutex
	unread := -1
	ivy := &recipient{}
	options := ivy.options()
	options.OnUnread = func(count int) {
		mutex.Lock()
		defer mutex.Unlock()
		unread = count
	}
	connection := client.Push.Connect(ctx, push.RegisterRecipientInput{Recipient: "ivy-go", Inbox: Ptr(true)}, options)
	defer connection.Close()
	connection.Mark(ids[0], Read)
	connection.Mark(ids[1], Archived)
	until(t, "no unread message", func() bool {
		mutex.Lock()
		defer mutex.Unlock()
		return unread == 0
	})
	page := done[*push.InboxResult](t)(client.Push.Inbox(ctx, push.InboxArgs{Recipient: "ivy-go"}))
	if len(page.Items) != 1 || page.Items[0].ID != ids[0] || page.Items[0].ReadAt == nil {
		t.Fatalf("the inbox has %d messages", len(page.Items))
	}
}

// watching records who joined and left.
type watching struct {
	mutex sync.Mutex
	seen  []Presence
}

func (w *watching) note(presence Presence) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.seen = append(w.seen, presence)
}

func (w *watching) all() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var texts []string
	for _, one := range w.seen {
		texts = append(texts, one.Presence+" "+one.Topic+" "+one.Recipient)
	}
	return strings.Join(texts, ", ")
}

func TestWhoJoinsAndLeavesATopicIsReportedWithTheTime(t *testing.T) {
	var watcher, ann recipient
	var presences watching
	begun := inSeconds(-60)
	options := watcher.options()
	options.OnPresence = presences.note
	wish := push.RegisterRecipientInput{Recipient: "watch-go", Topics: []string{"go/*"}, Presence: Ptr(true)}
	connection := client.Push.Connect(ctx, wish, options)
	defer connection.Close()
	watcher.opened(t)
	joining := client.Push.Connect(ctx, push.RegisterRecipientInput{Recipient: "ann-go", Topics: []string{"go/1"}}, ann.options())
	ann.opened(t)
	until(t, "join", func() bool { return presences.all() == "join go/1 ann-go" })
	joining.Close()
	until(t, "leave", func() bool { return presences.all() == "join go/1 ann-go, leave go/1 ann-go" })
	pushTo(t, "watch-go", "end")
	until(t, "end", func() bool { return watcher.all() == "end" })
	for _, one := range presences.seen {
		if !one.At.After(begun) {
			t.Fatal(one.At)
		}
	}
}

func TestStoredMessagesAreMarkedAsReplayedAndLaterOnesAreNot(t *testing.T) {
	for _, text := range []string{"one", "two"} {
		wish := push.GlobalMessageInput{Message: text, Topic: Ptr("rewind-go")}
		done[*push.GlobalMessage](t)(client.Push.PushGlobalMessage(ctx, wish))
	}
	last := &push.RewindInput{Messages: 100, Seconds: 3_600}
	wish := push.RegisterRecipientInput{Recipient: "rewind-go", Topics: []string{"rewind-go"}, Rewind: last}
	connection := client.Push.Connect(ctx, wish)
	defer connection.Close()
	for _, text := range []string{"one", "two"} {
		message := done[Message](t)(connection.Next(ctx))
		same(t, "text", message.Message, text)
		same(t, "replayed", message.Replayed, true)
	}
	pushTo(t, "rewind-go", "live")
	message := done[Message](t)(connection.Next(ctx))
	same(t, "text", message.Message, "live")
	same(t, "replayed", message.Replayed, false)
}
