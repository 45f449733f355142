// Work of an application with a webhook, and a receiver that refuses the first attempt of some events.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const SERVICE = 'document-rendering';
/** The second attempt follows after 5 s, when the receiver may be down, and the third 5 minutes later. */
const PATIENCE_MS = 360_000;
const REFUSED = 10;

/** Changes stylesheets. The event of each change that was answered must come, always under one id. */
export class Events {
  name = 'events';
  #answered = new Set();
  #ids = new Map();
  #seen = new Set();
  #port = 0;
  repeated = 0;

  constructor(caller) {
    this.caller = caller;
  }

  async prepare() {
    await this.back();
    const url = `http://127.0.0.1:${this.#port}/`;
    const mutation = 'mutation($url:String!){createWebhook(input:{url:$url,events:[STYLESHEET_CREATED]}){webhook{id}}}';
    await this.caller.ask(SERVICE, mutation, { url });
    await sleep(2_000); // by then all nodes know the webhook
  }

  /** Stops the receiver with its connections. */
  async away() {
    this.receiver.closeAllConnections();
    this.receiver.close();
    await once(this.receiver, 'close');
  }

  /** Starts the receiver, on its former port. */
  async back() {
    this.receiver = createServer((request, response) => this.#take(request, response)).listen(this.#port, '127.0.0.1');
    await once(this.receiver, 'listening');
    this.#port = this.receiver.address().port;
  }

  async #take(request, response) {
    const id = request.headers['webhook-id'];
    let body = '';
    for await (const chunk of request) body += chunk;
    const isFirst = !this.#seen.has(id);
    this.#seen.add(id);
    if (isFirst && this.#seen.size % REFUSED === 0) return response.writeHead(503).end();
    const { subject } = JSON.parse(body);
    const ids = this.#ids.get(subject) ?? new Set();
    if (ids.has(id)) this.repeated += 1;
    this.#ids.set(subject, ids.add(id));
    response.writeHead(204).end();
  }

  async step() {
    const mutation = 'mutation($name:String!){createCss(input:{name:$name,text:""}){id}}';
    const { createCss } = await this.caller.ask(SERVICE, mutation, { name: randomUUID() });
    this.#answered.add(createCss.id);
  }

  async problems() {
    const missing = () => [...this.#answered].filter((id) => !this.#ids.has(id));
    for (const end = Date.now() + PATIENCE_MS; missing().length > 0 && Date.now() < end;) await sleep(500);
    const twice = [...this.#ids].filter(([, ids]) => ids.size > 1);
    await this.away();
    return {
      checked: this.#answered.size,
      found: [
        ...missing().map((id) => `the event of ${id} did not come`),
        ...twice.map(([subject, ids]) => `the event of ${subject} came as ${[...ids].join(' and ')}`),
      ],
    };
  }
}
