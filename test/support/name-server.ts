import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from '../nodes/free-port.mjs';

export interface DnsRecord {
  type: string;
  name: string;
  value: string;
}

/** A real name server (dnsmasq) on a port of its own, which answers for the records of the tests and knows no other name. */
export class NameServer {
  private zone: DnsRecord[] = [];
  private child?: ChildProcess;

  private constructor(private readonly port: number) {}

  static async start(): Promise<NameServer> {
    const server = new NameServer(await freePort());
    await server.serve();
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Adds records. */
  async add(...records: DnsRecord[]): Promise<void> {
    this.zone.push(...records);
    await this.serve();
  }

  /** Removes all records of these names. */
  async remove(...names: string[]): Promise<void> {
    this.zone = this.zone.filter(({ name }) => !names.includes(name));
    await this.serve();
  }

  /** Ends it. Until `add` or `remove` is called, questions have no answer. */
  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child) return;
    const gone = once(child, 'exit');
    child.kill();
    await gone;
  }

  private async serve(): Promise<void> {
    await this.stop();
    const records = this.zone.map(({ type, name, value }) =>
      type === 'TXT' ? `--txt-record=${name},${value}` : `--cname=${name},${value}`,
    );
    const targets = this.zone.filter(({ type }) => type === 'CNAME').map(({ value }) => `--host-record=${value},127.0.0.1`);
    const options = [
      '--keep-in-foreground',
      '--log-facility=-',
      '--conf-file=/dev/null',
      '--pid-file=',
      '--no-resolv',
      '--no-hosts',
    ];
    const place = [`--port=${this.port}`, '--listen-address=127.0.0.1', '--bind-interfaces', '--user=', '--local=/#/'];
    const child = spawn('dnsmasq', [...options, ...place, ...records, ...new Set(targets)], {
      env: { PATH: `${process.env.PATH}:/usr/sbin` },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child = child;
    for await (const line of createInterface(child.stderr!)) if (line.includes('started')) break;
    child.stderr!.resume();
    if (child.exitCode !== null) throw new Error('dnsmasq did not start');
  }
}
