"""Calls platform-services with nothing but the standard library: GraphQL over HTTP, content by PUT and GET, and a WebSocket."""

import base64
import hashlib
import json
import os
import socket
import ssl
import struct
import urllib.error
import urllib.request
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 40


class ServiceError(Exception):
    """A refusal: `code` is of the closed list, and `field` names the input that is wrong."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["extensions"]["code"]
        self.field = error["extensions"].get("field")


class Services:
    def __init__(self, url, key):
        self.url = url
        self.key = key

    def request(self, service, query, **variables):
        """Runs an operation of a service, such as `email`, and returns its data."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        headers = {"content-type": "application/json", "x-api-key": self.key}
        request = urllib.request.Request(f"{self.url}/{service}/graphql", body, headers)
        try:
            answer = urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
        except urllib.error.HTTPError as refusal:  # it has a body of the same form
            answer = refusal
        with answer:
            result = json.load(answer)
        if result.get("errors"):
            raise ServiceError(result["errors"][0])
        return result["data"]


def put(url, content, content_type):
    """Sends the content of a file. The signed address needs no key. Without a type, urllib would name that of a form."""
    request = urllib.request.Request(url, content, {"content-type": content_type}, method="PUT")
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS):
        pass


def get(url):
    """Returns the content of a file."""
    with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as answer:
        return answer.read()


class Connection:
    """A WebSocket of RFC 6455 that receives text messages, and answers pings: an answer confirms what came before it."""

    GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    TEXT, CLOSE, PING, PONG, FINAL, MASKED = 0x1, 0x8, 0x9, 0xA, 0x80, 0x80

    def __init__(self, uri):
        to = urlsplit(uri)
        is_secure = to.scheme == "wss"
        self.socket = socket.create_connection((to.hostname, to.port or (443 if is_secure else 80)), TIMEOUT_SECONDS)
        if is_secure:
            self.socket = ssl.create_default_context().wrap_socket(self.socket, server_hostname=to.hostname)
        self.reader = self.socket.makefile("rb")
        self._open(to)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def messages(self):
        """Returns each message as it comes, as a dictionary, until the server closes the connection."""
        text = b""
        while True:
            head, payload = self._read_frame()
            kind = head & 0x0F
            if kind == self.CLOSE:
                return
            if kind == self.PING:
                self._send(self.PONG, payload)
            elif kind != self.PONG:  # text, or the continuation of one
                text += payload
                if head & self.FINAL:
                    yield json.loads(text)
                    text = b""

    def close(self):
        try:
            self._send(self.CLOSE, struct.pack("!H", 1000))
        except OSError:
            pass  # the server was faster
        self.reader.close()
        self.socket.close()

    def _open(self, to):
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {to.path or '/'}?{to.query} HTTP/1.1",
            f"Host: {to.netloc}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
        ]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        status = self.reader.readline().decode().strip()
        headers = {}
        while line := self.reader.readline().decode().strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        expected = base64.b64encode(hashlib.sha1((key + self.GUID).encode()).digest()).decode()
        if headers.get("sec-websocket-accept") != expected:
            raise ConnectionError(f"the server did not open a WebSocket: {status}")

    def _read_frame(self):
        head, length = self._read(2)
        if length == 126:
            (length,) = struct.unpack("!H", self._read(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self._read(8))
        return head, self._read(length)

    def _read(self, size):
        content = self.reader.read(size)
        if len(content) < size:
            raise ConnectionError("the connection broke")
        return content

    def _send(self, kind, payload):
        """Sends a short frame. Frames of a client are masked, so that no proxy takes them for something else."""
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self.socket.sendall(bytes([self.FINAL | kind, self.MASKED | len(payload)]) + mask + masked)
