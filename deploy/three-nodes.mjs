// Starts three nodes of one deployment behind HAProxy as local processes. Used by `npm run nodes` and by the soak.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';

const root = fileURLToPath(new URL('..', import.meta.url));
const CONFIG = fileURLToPath(new URL('haproxy.cfg', import.meta.url));
const START_MS = 60_000;
/** The balancer checks every second, and needs two failures to remove a node. */
const DRAIN_SECONDS = '4';

/** One node, which keeps its port across restarts. */
class Node {
  output = '';
  #child;
  #ended;

  constructor(name, port, settings) {
    this.name = name;
    this.port = port;
    this.settings = settings;
  }

  start() {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...this.settings, PORT: String(this.port), HOST: '127.0.0.1' };
    const child = spawn(process.execPath, ['dist/bundle/main.js'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => this.#keep(String(chunk)));
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  }

  /** Stores the end of the output of the node, and passes it on if somebody reads. */
  #keep(text) {
    this.output = (this.output + text).slice(-20_000);
    this.onOutput?.(text);
  }

  signal(name) {
    this.#child.kill(name);
  }

  /** Sends the signal and returns the exit code, or the signal that ended the node. */
  end(name = 'SIGTERM') {
    this.signal(name);
    return this.#ended;
  }

  async isReady() {
    const request = fetch(`http://127.0.0.1:${this.port}/health/ready`, { signal: AbortSignal.timeout(2_000) });
    return request.then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async ready() {
    for (const end = Date.now() + START_MS; Date.now() < end; await sleep(100)) {
      if (await this.isReady()) return;
    }
    throw new Error(`${this.name} does not become ready:\n${this.output.slice(-3_000)}`);
  }

  /** Stops the node as an upgrade does, and starts it again. */
  async restart() {
    const code = await this.end();
    if (code !== 0) throw new Error(`${this.name} ended with ${code}:\n${this.output.slice(-3_000)}`);
    this.start();
    await this.ready();
  }
}

export class ThreeNodes {
  #balancer;

  constructor(port, nodes) {
    this.port = port;
    this.nodes = nodes;
    this.address = `http://localhost:${port}`;
  }

  /** Starts three nodes with these settings behind a balancer on this port, and returns when all of them are ready. */
  static async start(settings, port) {
    const shared = { DRAIN_SECONDS, TRUST_PROXY: '127.0.0.1', PUBLIC_URL: `http://localhost:${port}`, ...settings };
    const ports = [await freePort(), await freePort(), await freePort()];
    const nodes = ports.map((own, index) => new Node(`node ${index + 1}`, own, shared));
    const three = new ThreeNodes(port, nodes);
    try {
      await three.#startAll();
    } catch (error) {
      await three.stop();
      throw error;
    }
    return three;
  }

  async #startAll() {
    // Starts the first node alone: it prepares the database and prints the first key.
    for (const node of this.nodes) {
      node.start();
      await node.ready();
    }
    const named = Object.fromEntries(this.nodes.map(({ port }, index) => [`NODE_${index + 1}`, `127.0.0.1:${port}`]));
    const env = { PATH: `${process.env.PATH}:/usr/sbin`, BIND: `127.0.0.1:${this.port}`, ...named };
    this.#balancer = spawn('haproxy', ['-db', '-f', CONFIG], { env, stdio: 'ignore' });
    const missing = new Promise((_, reject) => {
      this.#balancer.once('error', () => reject(new Error('HAProxy is not installed: apt-get install haproxy')));
      this.#balancer.once('exit', (code) => reject(new Error(`HAProxy ended with ${code}; is port ${this.port} free?`)));
    });
    missing.catch(() => undefined);
    await Promise.race([this.#passes(), missing]);
  }

  async #passes() {
    for (const end = Date.now() + START_MS; Date.now() < end; await sleep(100)) {
      const response = await fetch(`${this.address}/health/ready`).catch(() => undefined);
      if (response?.ok) return;
    }
    throw new Error('the balancer passes nothing on');
  }

  async stop() {
    this.#balancer?.kill('SIGTERM');
    await Promise.all(this.nodes.map((node) => node.end('SIGKILL').catch(() => undefined)));
  }
}

export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
