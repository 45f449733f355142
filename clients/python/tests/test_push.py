from __future__ import annotations

import datetime
import threading
import typing
import unittest

from platform_services import Presence, PushedMessage, State, connect
from platform_services.types import push
from support import PlatformTest, in_seconds, until


class Recipient:
    """A recipient as an application has it, and what it saw."""

    def __init__(self) -> None:
        self.texts: typing.List[str] = []
        self.states: typing.List[State] = []

    def hear(self, message: PushedMessage) -> None:
        self.texts.append(message.message)

    def opened(self, times: int = 1) -> None:
        until(lambda: [one.name for one in self.states].count("open") >= times)

    def saw(self, **wanted: object) -> State:
        def found() -> typing.List[State]:
            return [one for one in self.states if all(getattr(one, name) == value for name, value in wanted.items())]

        return until(found)[0]


class Connections(PlatformTest):
    def push(self, recipient: str, text: str) -> str:
        sent = self.client.push.push_message(push.MessageInput(recipients=recipient, message=text, expires_at=in_seconds(600)))
        assert sent.item is not None
        return sent.item.id

    def status(self, id: str) -> typing.Optional[str]:
        items = self.client.push.all_messages(filter=push.MessagesFilter())
        return next((one.status for one in items if one.id == id), None)

    def delivered(self, id: str) -> None:
        until(lambda: self.status(id) == push.MessageStatus.DELIVERED)

    def test_pushes_arrive_and_each_missed_message_arrives_once_after_a_cut(self) -> None:
        ann = Recipient()
        with self.client.push.connect("ann-py", on_message=ann.hear, on_state=ann.states.append) as connection:
            ann.opened()
            self.push("ann-py", "one")
            until(lambda: "one" in ann.texts)
            self.proxy.close()
            until(lambda: connection.state.name == "waiting")
            self.assertEqual((ann.states[2].code, ann.states[2].reason), (1006, "the connection broke"))
            self.proxy.open()
            self.push("ann-py", "two")
            until(lambda: "two" in ann.texts)
        self.assertEqual(ann.texts, ["one", "two"])
        self.assertEqual([one.name for one in ann.states][:3], ["connecting", "open", "waiting"])
        self.assertEqual(connection.state, State("closed", "close() was called"))

    def test_messages_in_an_inbox_are_marked_and_the_unread_number_is_told(self) -> None:
        wish = push.MessageInput(recipients="ivy-py", message="m", inbox=True)
        sent = [self.client.push.push_message(wish).item for _ in range(2)]
        ids = [one.id for one in sent if one is not None]
        unread: typing.List[int] = []
        ivy = push.RegisterRecipientInput(recipient="ivy-py", inbox=True)
        with self.client.push.connect(ivy, on_message=lambda message: None, on_unread=unread.append) as connection:
            connection.mark(ids[0], "read")
            connection.mark(ids[1], "archived")
            until(lambda: bool(unread) and unread[-1] == 0)
            with self.assertRaises(ValueError):
                connection.mark(ids[0], "gone")
        page = self.client.push.inbox(recipient="ivy-py")
        self.assertEqual([(one.id, one.read_at is None) for one in page.items], [(ids[0], False)])

    def test_where_websockets_are_refused_an_event_stream_carries_messages_marks_and_their_acknowledgements(self) -> None:
        self.proxy.refuse_websockets()
        fay, unread = Recipient(), typing.cast(typing.List[int], [])
        wish = push.RegisterRecipientInput(recipient="fay-py", inbox=True)
        with self.client.push.connect(wish, on_message=fay.hear, on_state=fay.states.append, on_unread=unread.append) as connection:
            self.assertEqual(fay.saw(name="open").transport, "events")
            sent = [self.client.push.push_message(push.MessageInput(recipients="fay-py", message=text, inbox=True)).item for text in ("one", "twö")]
            ids = [one.id for one in sent if one is not None]
            for id in ids:
                self.delivered(id)
            self.assertEqual(fay.texts, ["one", "twö"])
            until(lambda: unread[-1:] == [2])
            connection.mark(ids[0], "read")
            until(lambda: unread[-1:] == [1])
            self.proxy.cut()
            until(lambda: [one.transport for one in fay.states].count("events") == 2)
            self.push("fay-py", "three")
            until(lambda: "three" in fay.texts)
            self.client.push.disconnect_recipient("fay-py")
            self.assertEqual(fay.saw(name="closed").code, 4403)
        self.assertEqual(fay.texts, ["one", "twö", "three"])

    def test_over_an_event_stream_a_message_whose_handler_failed_arrives_again_and_counts_as_delivered_once_handled(self) -> None:
        self.proxy.refuse_websockets()
        texts: typing.List[str] = []

        def hear(message: PushedMessage) -> None:
            texts.append(message.message)
            if texts.count("2") == 1 and message.message == "2":
                raise RuntimeError("not now")

        ids = [self.push("gil-py", str(index)) for index in range(4)]
        wish = push.RegisterRecipientInput(recipient="gil-py", acknowledge=True)
        with self.assertLogs("platform_services", "ERROR"), self.client.push.connect(wish, on_message=hear):
            for id in ids:
                self.delivered(id)
        self.assertEqual(texts, ["0", "1", "2", "2", "3"])

    def test_a_new_url_is_requested_when_an_event_stream_refuses_the_token(self) -> None:
        self.proxy.refuse_websockets()
        uri = self.client.push.register_recipient(push.RegisterRecipientInput(recipient="hal-py")).connection_uri
        uris = [uri.split("=")[0] + "=bad"] * 2 + [uri]
        hal = Recipient()
        with connect(lambda: uris.pop(0), on_message=hal.hear, on_state=hal.states.append):
            self.assertEqual(hal.saw(name="open").transport, "events")
        self.assertEqual(hal.saw(code=4401).name, "waiting")

    def test_long_and_foreign_texts_arrive_whole(self) -> None:
        ann = Recipient()
        texts = ["ä€😀" * 20, "x" * 300, "ü" * 65_000]
        with self.client.push.connect("long-py", on_message=ann.hear, on_state=ann.states.append):
            ann.opened()
            for text in texts:
                self.push("long-py", text)
            until(lambda: len(ann.texts) == 3)
        self.assertEqual(ann.texts, texts)

    def test_iterating_acknowledges_a_message_when_the_next_is_requested(self) -> None:
        ids = [self.push("eve-py", text) for text in ("one", "two", "three")]
        wish = push.RegisterRecipientInput(recipient="eve-py", acknowledge=True)
        with self.client.push.connect(wish) as connection:
            taken = []
            for message in connection:
                taken.append(message.message)
                if message.message == "two":
                    break
            self.assertEqual(taken, ["one", "two"])
        self.assertNotEqual(self.status(ids[1]), push.MessageStatus.DELIVERED)
        with self.client.push.connect(wish) as connection:
            messages = iter(connection)
            again = [next(messages).message]
            while again[-1] != "three":
                again.append(next(messages).message)
            waiter = threading.Thread(target=lambda: next(messages, None), daemon=True)
            waiter.start()
            for id in ids:
                self.delivered(id)
        self.assertEqual(again[-2:], ["two", "three"])

    def test_a_message_whose_handler_failed_arrives_again(self) -> None:
        handled: typing.List[str] = []
        failures = [1]
        eve = Recipient()

        def handle(message: PushedMessage) -> None:
            if message.message == "bad" and failures:
                failures.pop()
                raise RuntimeError("not now")
            handled.append(message.message)

        wish = push.RegisterRecipientInput(recipient="fay-py", acknowledge=True)
        with self.client.push.connect(wish, on_message=handle, on_state=eve.states.append):
            eve.opened()
            with self.assertLogs("platform_services", "ERROR"):
                first, bad = self.push("fay-py", "first"), self.push("fay-py", "bad")
                self.delivered(first)
                self.delivered(bad)
        self.assertEqual(handled, ["first", "bad"])
        eve.saw(name="waiting", reason="on_message failed: not now")

    def test_a_new_url_is_requested_when_the_token_is_invalid(self) -> None:
        asked: typing.List[str] = []
        bob = Recipient()

        def address() -> str:
            good = self.client.push.register_recipient(push.RegisterRecipientInput(recipient="bad-py")).connection_uri
            asked.append(good if asked else good.split("=")[0] + "=bad")
            return asked[-1]

        with connect(address, on_message=bob.hear, on_state=bob.states.append):
            bob.saw(name="waiting", code=4401, reason="the token is bad, expired or void")
            self.push("bad-py", "hello")
            until(lambda: bob.texts == ["hello"])
        self.assertEqual(len(asked), 2)

    def test_a_failed_request_for_a_url_is_retried(self) -> None:
        failures = [1, 1]
        carl = Recipient()

        def address() -> str:
            if failures:
                failures.pop()
                raise RuntimeError("no session")
            return self.client.push.register_recipient(push.RegisterRecipientInput(recipient="carl-py")).connection_uri

        with connect(address, on_message=carl.hear, on_state=carl.states.append):
            carl.opened()
        carl.saw(name="waiting", reason="it could not be opened: no session")

    def test_a_connection_ends_when_the_application_disconnects_it(self) -> None:
        dora = Recipient()
        with self.client.push.connect("dora-py", on_state=dora.states.append) as connection:
            dora.opened()
            self.push("dora-py", "last")
            messages = iter(connection)
            self.assertEqual(next(messages).message, "last")
            self.client.push.disconnect_recipient("dora-py")
            self.assertEqual(list(messages), [])
            dora.saw(name="closed", code=4403)

    def test_who_joins_and_leaves_a_topic_is_reported_with_the_time(self) -> None:
        seen: typing.List[Presence] = []
        watcher, ann = Recipient(), Recipient()
        before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=60)
        wish = push.RegisterRecipientInput(recipient="watch-py", topics=["py/*"], presence=True)
        with self.client.push.connect(wish, on_message=watcher.hear, on_state=watcher.states.append, on_presence=seen.append):
            watcher.opened()
            with self.client.push.connect(
                push.RegisterRecipientInput(recipient="ann-py", topics=["py/1"]), on_state=ann.states.append
            ):
                ann.opened()
                until(lambda: seen)
                self.client.push.change_topics("ann-py", add=["py/2"])
                until(lambda: len(seen) == 2)
            until(lambda: len(seen) == 4)
            self.push("watch-py", "end")
            until(lambda: watcher.texts == ["end"])
        self.assertEqual([(one.presence, one.topic) for one in seen[:2]], [("join", "py/1"), ("join", "py/2")])
        self.assertEqual(sorted((one.presence, one.topic) for one in seen[2:]), [("leave", "py/1"), ("leave", "py/2")])
        self.assertEqual({one.recipient for one in seen}, {"ann-py"})
        self.assertTrue(all(before < one.at for one in seen))

    def test_a_failure_of_on_presence_does_not_break_the_connection(self) -> None:
        watcher, ann = Recipient(), Recipient()

        def fail(presence: Presence) -> None:
            raise RuntimeError("not now")

        wish = push.RegisterRecipientInput(recipient="failing-py", topics=["failing/*"], presence=True)
        with self.assertLogs("platform_services", "ERROR") as logged:
            with self.client.push.connect(wish, on_message=watcher.hear, on_state=watcher.states.append, on_presence=fail):
                watcher.opened()
                joining = push.RegisterRecipientInput(recipient="ann-py", topics=["failing/1"])
                with self.client.push.connect(joining, on_state=ann.states.append):
                    ann.opened()
                    until(lambda: logged.records)
                self.push("failing-py", "end")
                until(lambda: watcher.texts == ["end"])
        self.assertEqual([one.name for one in watcher.states].count("open"), 1)

    def test_stored_messages_are_marked_as_replayed_and_later_ones_are_not(self) -> None:
        seen: typing.List[PushedMessage] = []
        for text in ("one", "two"):
            self.client.push.push_global_message(push.GlobalMessageInput(message=text, topic="rewind-py"))
        last = push.RewindInput(messages=100, seconds=3_600)
        wish = push.RegisterRecipientInput(recipient="rewind-py", topics=["rewind-py"], rewind=last)
        with self.client.push.connect(wish, on_message=seen.append):
            until(lambda: len(seen) == 2)
            self.push("rewind-py", "live")
            until(lambda: len(seen) == 3)
        self.assertEqual([(one.message, one.replayed) for one in seen], [("one", True), ("two", True), ("live", False)])

    def test_close_wakes_an_iterating_thread(self) -> None:
        connection = self.client.push.connect("gil-py")
        seen: typing.List[typing.List[PushedMessage]] = []
        reader = threading.Thread(target=lambda: seen.append(list(connection)))
        reader.start()
        connection.close()
        reader.join(10)
        self.assertEqual(seen, [[]])


if __name__ == "__main__":
    unittest.main()
