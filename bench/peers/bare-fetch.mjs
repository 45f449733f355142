// Sends the requested number of requests to a receiver on POST, one after another, in a bare loop of fetch.
import { createServer } from 'node:http';

const { RECEIVER, EVENTS, BODY } = process.env;

async function sendAll() {
  const headers = { 'content-type': 'application/cloudevents+json' };
  for (let sent = 0; sent < Number(EVENTS); sent++) await (await fetch(RECEIVER, { method: 'POST', headers, body: BODY })).text();
}

createServer(async (request, response) => {
  if (request.method === 'POST') await sendAll();
  response.end();
}).listen(Number(process.env.PORT), '127.0.0.1');
