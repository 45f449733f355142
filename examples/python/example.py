"""python3 example.py: uses all five services, with the server and the key that PLATFORM_URL and PLATFORM_KEY name."""

import os
from datetime import datetime, timezone

from platform_services import Client, NotFoundError
from platform_services.types import email, files, log, push, rendering

client = Client(os.environ["PLATFORM_URL"], os.environ["PLATFORM_KEY"])

wish = files.CreateFileInput(name="report.csv", content_type="text/csv")
file = client.files.upload(b"number,total\n2026-17,1291.50\n", wish)
with client.files.download(file.id) as download:
    print("downloaded", sum(len(chunk) for chunk in download), "bytes")

template = rendering.PreviewTemplateInput(
    type=rendering.TemplateType.DOCUMENT, content_type=rendering.ContentType.HTML, body="<p>Hi {{ name }}</p>"
)
rendered = client.rendering.preview(rendering.PreviewInput(template=template, params={"name": "Ann <Smith>"}))
print("rendered", rendered.body)

client.email.send_message(
    email.SendMessageInput(
        to=email.EmailAddressInput(address="ann@example.com", name="Ann"),
        subject="Your report",
        html_body=rendered.body,
        attachments=email.AttachmentInput(file_id=file.id, name="report.csv"),
    )
)
print("mailed to ann@example.com")

with client.push.connect("ann") as connection:
    # The connection opens meanwhile: a message with an expiry is queued until then.
    expires_at = datetime(2100, 1, 1, tzinfo=timezone.utc)
    client.push.push_message(push.MessageInput(recipients="ann", message="Your report is ready", expires_at=expires_at))
    for message in connection:
        print("received", message.message)
        break

client.log.create_log(
    log.CreateLogInput(
        document_type="report",
        document_id=file.id,
        date_time=datetime.now(timezone.utc),
        author=log.AuthorInput(name="Ann"),
        attribute=log.AttributeInput(id="status"),
        attribute_new_value=log.ValueInput(raw="sent"),
    )
)
state = client.log.document_state(document_type="report", document_id=file.id)
print("logged", state[0].attribute_id, state[0].value and state[0].value.raw)

try:
    client.rendering.render(rendering.RenderingInput(template_name="none", params={}))
except NotFoundError as error:
    print("refused", error.code)
