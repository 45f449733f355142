// The journey of each client through all services of a server; scripts/test-upgrades.mjs compares what they print.
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { audit, connect, createClient } from '../../clients/js/dist/index.js';

const client = createClient({ url: process.env.PLATFORM_URL, key: process.env.PLATFORM_KEY });
const { files, rendering, push, log, email } = client;
const name = `javascript-${process.pid}`;

const file = await files.upload(Buffer.from('Hello'), { name: `${name}.txt` });
console.log('downloaded', await text((await files.download(file.id)).stream));
for await (const { contentLength } of files.allFiles({ filter: { namePrefix: name } })) console.log('found', contentLength);

await rendering.createTemplate({ input: { name, type: 'document', contentType: 'html', body: 'Hi {{ name }}' } });
console.log('rendered', (await rendering.render({ input: { templateName: name, params: { name: 'Ann' } } })).body);

const address = async () => (await push.registerRecipient({ input: { recipient: name } })).connectionUri;
let connection;
const received = new Promise((resolve) => {
  connection = connect(address, { onMessage: ({ message }) => resolve(message), WebSocket });
});
await push.pushMessage({ input: { recipients: [name], message: 'hello', expiresAt: new Date(Date.now() + 60_000) } });
console.log('received', await received);
connection.close();

const writer = log.writer();
for (const record of audit({ status: 'open' }, { status: 'paid' }, { documentType: 'order', documentId: name }))
  writer.write(record);
await writer.close();
console.log('recorded', (await log.logs({ filter: { documentId: name } })).items.length);

await email.sendMessage({
  input: {
    to: { address: `${name}@example.com` },
    subject: name,
    textBody: 'Hi',
    attachments: { fileId: file.id, name: 'a.txt' },
  },
});
console.log('sent', (await email.messages({ filter: { to: `${name}@example.com` } })).items.length);
