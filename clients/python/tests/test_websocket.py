"""Frames that the server never sends, from a peer that does."""

from __future__ import annotations

import base64
import hashlib
import socket
import threading
import typing
import unittest

from platform_services.websocket import WebSocket, WebSocketClosed

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Peer:
    """Answers one handshake, sends bytes, and keeps what comes back."""

    def __init__(self, frames: bytes, accept: typing.Optional[str] = None) -> None:
        self._frames = frames
        self._accept = accept
        self.received = b""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"ws://127.0.0.1:{self._listener.getsockname()[1]}/path?token=a"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with self._listener, self._listener.accept()[0] as sock:
            head = b""
            while b"\r\n\r\n" not in head:
                head += sock.recv(4096)
            key = next(line for line in head.decode().split("\r\n") if line.startswith("Sec-WebSocket-Key")).split(": ")[1]
            accept = self._accept or base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
            lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Accept: {accept}"]
            sock.sendall("\r\n".join([*lines, "", ""]).encode() + self._frames)
            sock.settimeout(10)
            while True:
                more = sock.recv(4096)
                if not more:
                    return
                self.received += more

    def end(self) -> bytes:
        self._thread.join(10)
        return self.received


class Frames(unittest.TestCase):
    def refusal(self, frames: bytes) -> WebSocketClosed:
        peer = Peer(frames)
        sock = WebSocket(peer.url, 5)
        with self.assertRaises(WebSocketClosed) as caught:
            while sock.receive(5) is not None:
                pass
        sock.release()
        self.sent = unmasked(peer.end())
        return caught.exception

    def test_a_message_in_pieces_is_joined_with_a_ping_between_them(self) -> None:
        peer = Peer(b"\x01\x03abc" + b"\x89\x02hi" + b"\x00\x01d" + b"\x80\x02\xc3\xa4" + b"\x81\x01z")
        sock = WebSocket(peer.url, 5)
        self.assertEqual((sock.receive(5), sock.receive(5)), ("abcdä", "z"))
        self.assertIsNone(sock.receive(0.05))
        sock.send("é" * 200)
        sock.close()
        sock.release()
        self.assertEqual(unmasked(peer.end()), [(0x8A, b"hi"), (0x81, ("é" * 200).encode()), (0x88, b"\x03\xe8")])

    def test_a_close_is_answered_and_reported(self) -> None:
        error = self.refusal(b"\x88\x06\x11\x31void")
        self.assertEqual((error.code, error.reason), (4401, "void"))
        self.assertEqual(self.sent, [(0x88, b"\x11\x31")])
        self.assertEqual(self.refusal(b"\x88\x00").code, 1005)

    def test_a_protocol_violation_closes_the_connection(self) -> None:
        cases = {
            b"\xc1\x01a": 1002,  # an extension that was not asked for
            b"\x83\x01a": 1002,  # an unknown kind
            b"\x81\x81\0\0\0\0a": 1002,  # masked
            b"\x09\x01a": 1002,  # a ping in pieces
            b"\x89\x7e\x00\x80": 1002,  # a ping that is too long
            b"\x80\x01a": 1002,  # continues with nothing
            b"\x01\x01a\x81\x01b": 1002,  # begins while another is open
            b"\x82\x01a": 1002,  # binary
            b"\x81\x02\xff\xff": 1007,
            b"\x81\x7f\x00\x00\x00\x01\x00\x00\x00\x00": 1009,
        }
        for frames, code in cases.items():
            with self.subTest(frames=frames):
                self.refusal(frames)
                self.assertEqual(self.sent, [(0x88, code.to_bytes(2, "big"))])

    def test_a_response_that_is_no_websocket_is_refused(self) -> None:
        for accept in ("wrong", ""):
            if accept:
                with self.assertRaises(WebSocketClosed):
                    WebSocket(Peer(b"", accept).url, 5)
        for address in ("http://127.0.0.1:9", "ws://"):
            with self.assertRaises(ValueError):
                WebSocket(address, 5)


def unmasked(data: bytes) -> typing.List[typing.Tuple[int, bytes]]:
    """The first byte and the content of each frame of a client, all of which are masked."""
    frames = []
    while data:
        length, begin = data[1] & 0x7F, 2
        assert data[1] & 0x80, "a client masks"
        if length == 126:
            length, begin = int.from_bytes(data[2:4], "big"), 4
        mask = data[begin : begin + 4]
        content = data[begin + 4 : begin + 4 + length]
        frames.append((data[0], bytes(byte ^ mask[at % 4] for at, byte in enumerate(content))))
        data = data[begin + 4 + length :]
    return frames


if __name__ == "__main__":
    unittest.main()
