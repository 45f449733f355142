"""The journey of javascript.mjs, taken by the Python client."""

import os
from datetime import datetime, timedelta, timezone

from platform_services import AuditSubject, Client, audit
from platform_services.types import email, files, log, push, rendering

client = Client(os.environ["PLATFORM_URL"], os.environ["PLATFORM_KEY"])
name = f"python-{os.getpid()}"

file = client.files.upload(b"Hello", files.CreateFileInput(name=f"{name}.txt"))
with client.files.download(file.id) as download:
    print("downloaded", b"".join(download).decode())
for found in client.files.all_files(filter=files.FilesFilter(name_prefix=name)):
    print("found", found.content_length)

client.rendering.create_template(
    rendering.CreateTemplateInput(
        name=name, type=rendering.TemplateType.DOCUMENT, content_type=rendering.ContentType.HTML, body="Hi {{ name }}"
    )
)
print("rendered", client.rendering.render(rendering.RenderingInput(template_name=name, params='{"name":"Ann"}')).body)

soon = datetime.now(timezone.utc) + timedelta(minutes=1)
with client.push.connect(push.RegisterRecipientInput(recipient=name)) as connection:
    client.push.push_message(push.MessageInput(recipients=name, message="hello", expires_at=soon))
    print("received", next(iter(connection)).message)

with client.log.writer() as writer:
    for record in audit({"status": "open"}, {"status": "paid"}, AuditSubject("order", name)):
        writer.write(record)
print("recorded", len(client.log.logs(filter=log.LogsFilter(document_id=name)).items))

client.email.send_message(
    email.SendMessageInput(
        to=email.EmailAddressInput(address=f"{name}@example.com"),
        subject=name,
        text_body="Hi",
        attachments=email.AttachmentInput(file_id=file.id, name="a.txt"),
    )
)
print("sent", len(client.email.messages(filter=email.EmailMessagesFilter(to=f"{name}@example.com")).items))
