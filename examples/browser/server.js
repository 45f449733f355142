// npm start: gives URLs to the page. The key stays here, and each URL is for one file or one recipient.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createClient } from '@platform-services/client';

const { PLATFORM_URL: url, PLATFORM_KEY: key, PORT = '8080' } = process.env;
if (!url || !key) throw new Error('Set PLATFORM_URL, such as http://localhost:3000, and PLATFORM_KEY');
/** A real server takes the user from its login. */
const USER = 'ann';
const platform = createClient({ url, key });

const PAGES = {
  '/': ['text/html', new URL('public/index.html', import.meta.url)],
  '/page.js': ['text/javascript', new URL('public/page.js', import.meta.url)],
  '/platform-services.js': ['text/javascript', new URL(import.meta.resolve('@platform-services/client/script'))],
  '/platform-inbox.js': ['text/javascript', new URL(import.meta.resolve('@platform-services/client/inbox-script'))],
};
const ROUTES = {
  '/uploads': ({ name }) => platform.files.createFile({ input: { name, author: { id: USER } } }, { id: true, uploadUrl: true }),
  '/uploads/done': async ({ id }) => {
    // The page is not trusted: the file must exist, and belong to this user.
    const file = await platform.files.file({ ID: id }, { name: true, status: true, contentLength: true, author: { id: true } });
    if (file?.status !== 'done' || file.author?.id !== USER) return { isStored: false };
    const message = `${file.name} has arrived, ${file.contentLength} bytes`;
    await platform.push.pushMessage({ input: { recipients: [USER], message, inbox: true, idempotencyKey: `arrived-${id}` } });
    return { isStored: true };
  },
  '/connection': async () => (await platform.push.registerRecipient({ input: { recipient: USER, inbox: true } })).connectionUri,
  '/inbox': ({ nextToken }) => platform.push.inbox({ recipient: USER, limit: 20, nextToken }),
  '/inbox/read': () => platform.push.markMessages({ recipient: USER, all: true, state: 'READ' }),
};

const server = createServer(async (request, response) => {
  try {
    const [type, file] = PAGES[request.url] ?? [];
    const route = ROUTES[request.url];
    if (request.method === 'GET' && file) return response.setHeader('content-type', type).end(await readFile(file));
    if (request.method !== 'POST' || !route) return response.writeHead(404).end();
    const answer = await route(JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}'));
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  } catch (error) {
    console.error(error);
    return response.writeHead(500).end();
  }
});
server.listen(Number(PORT), 'localhost', () => console.log(`The page is on http://localhost:${server.address().port}`));
