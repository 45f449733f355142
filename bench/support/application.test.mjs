// A quarter of an application's tests: each creates a tenant, and uploads, renders, mails, pushes and logs.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { WebSocket } from 'ws';
import { startPlatform } from '../../clients/testing/dist/index.js';

const TESTS = 25;
const platform = await startPlatform({ command: [process.execPath, 'dist/bundle/main.js'] });
after(() => platform.stop());

for (let number = 1; number <= TESTS; number++) {
  test(`order ${number} is confirmed`, async () => {
    const tenant = await platform.newTenant();
    const fileId = await upload(tenant, `invoice ${number}`);
    await tenant.request('document-rendering', 'mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}', {
      input: { name: 'confirmation', type: 'email', contentType: 'plain', subject: 'Order', body: 'Thank you, {{ name }}' },
    });
    await tenant.request('email', 'mutation($input:SendMessageInput!){sendMessage(input:$input){id}}', {
      input: {
        to: { address: 'ann@example.com' },
        templateName: 'confirmation',
        params: '{"name":"Ann"}',
        attachments: [{ name: 'invoice.txt', fileId }],
      },
    });
    const mail = await tenant.nextMail({ to: 'ann@example.com' });
    assert.equal(mail.text?.trim(), 'Thank you, Ann');
    assert.equal(Buffer.from(mail.attachments[0].content).toString(), `invoice ${number}`);
    assert.equal(await pushed(tenant, `order ${number}`), `order ${number}`);
    const input = { documentId: `o-${number}`, documentType: 'order', dateTime: new Date().toISOString(), action: 'confirm' };
    await tenant.request('document-log', 'mutation($input:CreateLogInput!){createLog(input:$input){itemId}}', { input });
    const { logs } = await tenant.request('document-log', '{logs{items{documentId action}}}');
    assert.deepEqual(logs.items, [{ documentId: `o-${number}`, action: 'confirm' }]);
  });
}

async function upload(tenant, content) {
  const { createFile } = await tenant.request('file-management', 'mutation{createFile{id uploadUrl}}');
  const { status } = await fetch(createFile.uploadUrl, { method: 'PUT', body: Buffer.from(content) });
  assert.equal(status, 200);
  return createFile.id;
}

/** Pushes to a connected recipient, and returns what it received. */
async function pushed(tenant, message) {
  const register = 'mutation($input:RegisterRecipientInput!){registerRecipient(input:$input){connectionUri}}';
  const { registerRecipient } = await tenant.request('websockets-manager', register, { input: { recipient: 'ann' } });
  const socket = new WebSocket(registerRecipient.connectionUri);
  await once(socket, 'open');
  const frame = once(socket, 'message');
  await tenant.request('websockets-manager', 'mutation($input:MessageInput!){pushMessage(input:$input){error{message}}}', {
    input: { recipients: ['ann'], message },
  });
  const [data] = await frame;
  socket.terminate();
  return JSON.parse(String(data)).message;
}
