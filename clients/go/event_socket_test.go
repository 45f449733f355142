package platform

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/platform-services/platform-services/clients/go/push"
)

func overEvents(state State) bool { return state.Name == Open && state.Transport == Events }

func TestWhereWebSocketsAreRefusedAnEventStreamCarriesMessagesAndMarks(t *testing.T) {
	proxy.refuseWebSockets(t)
	var unread atomic.Int64
	fay := &recipient{}
	options := fay.options()
	options.OnUnread = func(count int) { unread.Store(int64(count)) }
	connection := client.Push.Connect(ctx, push.RegisterRecipientInput{Recipient: "fay-go", Inbox: Ptr(true)}, options)
	defer connection.Close()
	fay.saw(t, "open over events", overEvents)
	var ids []string
	for _, text := range []string{"one", "twö"} {
		wish := push.MessageInput{Recipients: []string{"fay-go"}, Message: text, Inbox: Ptr(true)}
		ids = append(ids, done[*push.PushMessageResult](t)(client.Push.PushMessage(ctx, wish)).Item.ID)
	}
	for _, id := range ids {
		until(t, "delivered", func() bool { return isDelivered(t, id) })
	}
	until(t, "two unread", func() bool { return unread.Load() == 2 })
	connection.Mark(ids[0], Read)
	until(t, "one unread", func() bool { return unread.Load() == 1 })
	proxy.cut()
	fay.saw(t, "waiting", func(state State) bool { return state.Name == Waiting && state.Reason == "the connection broke" })
	pushTo(t, "fay-go", "three")
	until(t, "three", func() bool { return strings.HasSuffix(fay.all(), "three") })
	same(t, "texts", fay.all(), "one twö three")
	done[int](t)(client.Push.DisconnectRecipient(ctx, "fay-go"))
	same(t, "code", fay.saw(t, "closed", func(state State) bool { return state.Name == Closed }).Code, 4403)
}

func TestOverAnEventStreamAMessageWhoseHandlerFailedArrivesAgain(t *testing.T) {
	proxy.refuseWebSockets(t)
	gil := &recipient{}
	fails := true
	options := gil.options()
	options.OnMessage = func(ctx context.Context, message Message) error {
		_ = gil.hear(ctx, message)
		if message.Message == "2" && fails {
			fails = false
			return errors.New("not now")
		}
		return nil
	}
	var ids []string
	for _, text := range []string{"0", "1", "2", "3"} {
		ids = append(ids, pushTo(t, "gil-go", text))
	}
	connection := client.Push.Connect(ctx, wishOf("gil-go", true), options)
	defer connection.Close()
	for _, id := range ids {
		until(t, "delivered", func() bool { return isDelivered(t, id) })
	}
	same(t, "texts", gil.all(), "0 1 2 2 3")
}

func TestANewURLIsRequestedWhenAnEventStreamRefusesTheToken(t *testing.T) {
	proxy.refuseWebSockets(t)
	var asked atomic.Int64
	hal := &recipient{}
	connection := Connect(ctx, func(ctx context.Context) (string, error) {
		registered, err := client.Push.RegisterRecipient(ctx, wishOf("hal-go", false), Select("connectionUri"))
		if err != nil || asked.Add(1) > 2 {
			return registered.ConnectionURI, err
		}
		return strings.Split(registered.ConnectionURI, "=")[0] + "=bad", nil
	}, hal.options())
	hal.saw(t, "open over events", overEvents)
	hal.saw(t, "waiting after 4401", func(state State) bool { return state.Name == Waiting && state.Code == voidToken })
	connection.Close()
	same(t, "state", connection.State().Name, Closed)
}
