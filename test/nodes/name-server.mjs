import { freePort } from './free-port.mjs';
import { endOwn, serving, spawnOwn } from './own-process.mjs';

/** @typedef {{ type: string, name: string, value: string }} DnsRecord */

/** A real name server (dnsmasq) on a port of its own, which answers for the records of the tests and knows no other name. */
export class NameServer {
  /** @type {DnsRecord[]} */
  #zone = [];
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #port;

  /** @param {number} port */
  constructor(port) {
    this.#port = port;
  }

  /** @returns {Promise<NameServer>} */
  static async start(port = undefined) {
    const server = new NameServer(port ?? (await freePort()));
    await server.#serve();
    return server;
  }

  get address() {
    return `127.0.0.1:${this.#port}`;
  }

  /**
   * Adds records.
   * @param {DnsRecord[]} records
   */
  async add(...records) {
    this.#zone.push(...records);
    await this.#serve();
  }

  /**
   * Removes all records of these names.
   * @param {string[]} names
   */
  async remove(...names) {
    this.#zone = this.#zone.filter(({ name }) => !names.includes(name));
    await this.#serve();
  }

  /** Ends it. Until `add` or `remove` is called, questions have no answer. */
  async stop() {
    const child = this.#child;
    this.#child = undefined;
    if (child) await endOwn(child);
  }

  async #serve() {
    await this.stop();
    const records = this.#zone.map(({ type, name, value }) =>
      type === 'TXT' ? `--txt-record=${name},${value}` : `--cname=${name},${value}`,
    );
    const targets = this.#zone.filter(({ type }) => type === 'CNAME').map(({ value }) => `--host-record=${value},127.0.0.1`);
    const options = [
      '--keep-in-foreground',
      '--log-facility=-',
      '--conf-file=/dev/null',
      '--pid-file=',
      '--no-resolv',
      '--no-hosts',
    ];
    const place = [`--port=${this.#port}`, '--listen-address=127.0.0.1', '--bind-interfaces', '--user=', '--local=/#/'];
    const child = spawnOwn('dnsmasq', [...options, ...place, ...records, ...new Set(targets)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await serving(child, /started/);
    this.#child = child;
  }
}
