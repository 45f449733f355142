from __future__ import annotations

import threading
import typing
import unittest

from platform_services import PushedMessage, State, connect
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
