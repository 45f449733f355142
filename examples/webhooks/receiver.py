"""python3 receiver.py: takes events at POST /hooks, signed with one of WEBHOOK_SECRETS, keeps each once in INBOX, answers, then works."""

import json
import os
import queue
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from platform_services import WebhookVerificationError, verify_webhook

PORT = int(os.environ.get("PORT", "4000"))
INBOX = Path(os.environ.get("INBOX", "inbox"))
SECRETS = os.environ.get("WEBHOOK_SECRETS", "").split()
MAX_BYTES = 1024 * 1024
waiting = queue.Queue()


def work(event):
    """The work of the application. It may arrive again after a crash, so it must do no harm twice."""
    print(event["type"], event["subject"], flush=True)


def keep(id, body):
    """A folder stands for a table with the id as its key: a file that is not empty waits for its work."""
    whole = INBOX / f".{id}-{threading.get_ident()}"
    whole.write_bytes(body)
    try:
        os.link(whole, INBOX / id)  # as a whole, and only if there is none
        return True
    except FileExistsError:
        return False
    finally:
        whole.unlink()


def work_on_all():
    """Works on one event after another. After a failure the event stays, for the next start."""
    while True:
        path = INBOX / waiting.get()
        try:
            body = path.read_bytes()
            if body:
                work(json.loads(body))
                os.truncate(path, 0)
        except Exception:
            traceback.print_exc()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 15

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MAX_BYTES:
            self.close_connection = True
            return self.answer(413 if length.isdecimal() else 411)
        body = self.rfile.read(int(length))
        if self.path != "/hooks":
            return self.answer(404)
        try:
            id = verify_webhook(body, self.headers, SECRETS).id
        except WebhookVerificationError as refusal:
            self.log_error("refused: %s", refusal)
            return self.answer(400)
        if keep(id, body):
            waiting.put(id)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", "0")
        self.end_headers()


if not SECRETS:
    raise SystemExit("WEBHOOK_SECRETS must have secrets as createWebhook returned them, separated by spaces")
INBOX.mkdir(parents=True, exist_ok=True)
for path in sorted(INBOX.iterdir()):
    if not path.name.startswith("."):
        waiting.put(path.name)
threading.Thread(target=work_on_all, daemon=True).start()
server = ThreadingHTTPServer(("", PORT), Receiver)
print("listening on", server.server_port, flush=True)
server.serve_forever()
