// node receiver.js: accepts events at POST /hooks, signed with one of WEBHOOK_SECRETS, stores each once in INBOX, answers, then works.
import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { verifyWebhook, WebhookVerificationError } from '@platform-services/client/webhooks';

const { PORT = '4000', INBOX = 'inbox', WEBHOOK_SECRETS = '' } = process.env;
const MAX_BYTES = 1024 * 1024;
const secrets = WEBHOOK_SECRETS.split(' ');

/** Work of the application. It may run again after a crash, so it must be harmless twice. */
async function work(event) {
  console.log(event.type, event.subject);
}

/** A folder stands for a table with the id as its key: a file that is not empty is pending work. */
async function keep(id, body) {
  const whole = join(INBOX, `.${randomUUID()}`);
  await writeFile(whole, body);
  try {
    await link(whole, join(INBOX, id)); // as a whole, and only if there is none
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(whole);
  }
}

let working = Promise.resolve();
/** Works on one event after another. After a failure the event stays, for the next start. */
function workOn(id) {
  working = working.then(async () => {
    const path = join(INBOX, id);
    const body = await readFile(path, 'utf8');
    if (body === '') return;
    await work(JSON.parse(body));
    await truncate(path);
  });
  working = working.catch((error) => console.error(id, error));
}

async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function answerTo(request) {
  if (request.method !== 'POST' || request.url !== '/hooks') return 404;
  const body = await bodyOf(request);
  if (!body) return 413;
  const { id } = await verifyWebhook(body, request.headers, secrets);
  if (await keep(id, body)) workOn(id);
  return 204;
}

const server = createServer(async (request, response) => {
  const status = await answerTo(request).catch((error) => {
    console.error(error.message);
    return error instanceof WebhookVerificationError ? 400 : 500;
  });
  response.writeHead(status).end();
});

await mkdir(INBOX, { recursive: true });
for (const name of (await readdir(INBOX)).sort()) if (!name.startsWith('.')) workOn(name);
server.listen(Number(PORT), () => console.log(`listening on ${server.address().port}`));
