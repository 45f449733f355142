// Callers of several nodes with a mix of requests: at random with a fixed rate, or each after the answer to its last.
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });

export class MixedCallers {
  /** @param mix operations with a `share`, and the `request` for each address */
  constructor(addresses, mix) {
    this.addresses = addresses;
    this.mix = mix;
  }

  /** Repeats calls without a pause; resolves to the throughput and the sorted times in ms. */
  async closed(callers, seconds) {
    const until = performance.now() + seconds * 1_000;
    const times = [];
    const caller = async () => {
      while (performance.now() < until) times.push(await this.#call(performance.now()));
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return { perSecond: times.length / seconds, times: times.sort((a, b) => a - b) };
  }

  /** Calls at random with the given rate, whatever the answers; each time counts from when the call was due. */
  async open(perSecond, seconds) {
    const startedAt = performance.now();
    const calls = [];
    for (let due = 0; due < seconds * 1_000; due -= (Math.log(1 - Math.random()) * 1_000) / perSecond) {
      const early = startedAt + due - performance.now();
      if (early > 1) await delay(early);
      calls.push(this.#call(startedAt + due));
    }
    const times = await Promise.all(calls);
    return { perSecond: times.length / seconds, times: times.sort((a, b) => a - b) };
  }

  async #call(dueAt) {
    const address = this.addresses[Math.floor(Math.random() * this.addresses.length)];
    let left = Math.random() * this.mix.reduce((sum, { share }) => sum + share, 0);
    const operation = this.mix.find(({ share }) => (left -= share) < 0) ?? this.mix[0];
    await send(address, operation.request);
    return performance.now() - dueAt;
  }
}

function send(address, { path, headers, body }) {
  return new Promise((resolve, reject) => {
    const sent = request(address + path, { agent, method: 'POST', headers: { ...headers, 'content-length': body.length } });
    sent.once('error', reject);
    sent.once('response', (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('end', () => {
        const text = String(Buffer.concat(chunks));
        const isGood = response.statusCode === 200 && !text.includes('"errors"');
        if (isGood) resolve();
        else reject(new Error(`${response.statusCode}: ${text.slice(0, 200)}`));
      });
    });
    sent.end(body);
  });
}
