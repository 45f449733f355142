import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 20_000;
/** Time for which a patient caller repeats a request. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 500;

/** One tenant, as called by an application: reused connections and a time limit. Counts requests, and stores why any failed. */
export class Caller {
  #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  requests = 0;
  failures = [];
  isClosed = false;
  /** Whether failed requests are repeated, which is safe for reads. */
  isPatient = false;

  constructor(address, key) {
    this.address = address;
    this.key = key;
  }

  /** Returns the data of an operation. @throws for any error, also of one field */
  ask(service, query, variables = {}) {
    return this.#patiently(() => this.#askOnce(service, query, variables));
  }

  async #askOnce(service, query, variables) {
    const headers = { 'content-type': 'application/json', 'x-api-key': this.key };
    const url = `${this.address}/${service}/graphql`;
    const { body } = await this.#sendOnce('POST', url, headers, JSON.stringify({ query, variables }));
    const { data, errors } = JSON.parse(body);
    if (errors) throw this.#failed(`${service}: ${JSON.stringify(errors).slice(0, 300)}`);
    return data;
  }

  /** Returns status and body. @throws unless the status is 200 or 206 */
  send(method, url, headers = {}, content = undefined) {
    return this.#patiently(() => this.#sendOnce(method, url, headers, content));
  }

  async #sendOnce(method, url, headers, content) {
    this.requests += 1;
    const { status, body } = await this.#exchange(method, url, headers, content).catch((error) => {
      throw this.#failed(`${method} ${new URL(url).pathname}: ${error.code ?? error.message}`);
    });
    if (status !== 200) throw this.#failed(`${method} ${new URL(url).pathname}: ${status} ${body.toString().slice(0, 200)}`);
    return { status, body };
  }

  async #patiently(request) {
    for (const end = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
      try {
        return await request();
      } catch (error) {
        if (!this.isPatient || Date.now() > end) throw error;
      }
    }
  }

  #exchange(method, url, headers, content) {
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent: this.#agent, signal: AbortSignal.timeout(LIMIT_MS) };
      const request = httpRequest(url, options, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.once('end', () => resolve({ status: response.statusCode, body: Buffer.concat(chunks) }));
        response.once('error', reject);
      });
      request.once('error', reject);
      request.end(content);
    });
  }

  #failed(reason) {
    this.failures.push({ at: Date.now(), reason });
    return new Error(reason);
  }

  close() {
    this.isClosed = true;
    this.#agent.destroy();
  }
}
