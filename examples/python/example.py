"""python3 example.py: uses all five services, with the server and the key that PLATFORM_URL and PLATFORM_KEY name."""

import json
import os
from datetime import datetime, timezone

from services import Connection, ServiceError, Services, get, put

services = Services(os.environ["PLATFORM_URL"], os.environ["PLATFORM_KEY"])

created = services.request(
    "file-management",
    "mutation($input: CreateFileInput!) { createFile(input: $input) { id uploadUrl } }",
    input={"name": "report.csv"},
)["createFile"]
put(created["uploadUrl"], b"number,total\n2026-17,1291.50\n", "text/csv")
file = services.request("file-management", "query($id: ID!) { file(ID: $id) { downloadUrl } }", id=created["id"])["file"]
print("downloaded", len(get(file["downloadUrl"])), "bytes")

template = {"type": "document", "contentType": "html", "body": "<p>Hi {{ name }}</p>"}
rendered = services.request(
    "document-rendering",
    "query($input: PreviewInput!) { preview(input: $input) { body } }",
    input={"template": template, "params": json.dumps({"name": "Ann <Smith>"})},
)["preview"]
print("rendered", rendered["body"])

services.request(
    "email",
    "mutation($input: SendMessageInput!) { sendMessage(input: $input) { id } }",
    input={
        "to": [{"address": "ann@example.com", "name": "Ann"}],
        "subject": "Your report",
        "htmlBody": rendered["body"],
        "attachments": [{"fileId": created["id"], "name": "report.csv"}],
    },
)
print("mailed to ann@example.com")

uri = services.request(
    "websockets-manager",
    "mutation($input: RegisterRecipientInput!) { registerRecipient(input: $input) { connectionUri } }",
    input={"recipient": "ann"},
)["registerRecipient"]["connectionUri"]
with Connection(uri) as connection:
    services.request(
        "websockets-manager",
        "mutation($input: MessageInput!) { pushMessage(input: $input) { item { id } } }",
        input={"recipients": ["ann"], "message": "Your report is ready"},
    )
    print("received", next(connection.messages())["message"])

services.request(
    "document-log",
    "mutation($input: CreateLogInput!) { createLog(input: $input) { itemId } }",
    input={
        "documentType": "report",
        "documentId": created["id"],
        "dateTime": datetime.now(timezone.utc).isoformat(),
        "author": {"name": "Ann"},
        "attribute": {"id": "status"},
        "attributeNewValue": {"raw": "sent"},
    },
)
state = services.request(
    "document-log",
    'query($id: ID!) { documentState(documentType: "report", documentId: $id) { attributeId value { raw } } }',
    id=created["id"],
)["documentState"]
print("logged", state[0]["attributeId"], state[0]["value"]["raw"])

try:
    services.request("document-rendering", '{ render(input: { templateName: "none", params: "{}" }) { body } }')
except ServiceError as error:
    print("refused", error.code)
