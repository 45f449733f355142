// Shared dependencies of three nodes in a soak: a proxy to each that can stall or refuse, a Redis and a mail server of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { freePort } from '../nodes/free-port.mjs';

/**
 * A TCP proxy to one part. While it is silent, nothing passes and nobody is told; while it is down, connections end and are refused; while
 * it is one-way, what the part is asked for is done, and its answers are lost.
 */
export class Way {
  #sockets = new Set();
  #parts = new Set();
  #isSilent = false;
  #isOneWay = false;
  #server;

  constructor(host, port) {
    this.host = host;
    this.target = port;
  }

  static async to(host, port) {
    const way = new Way(host, port);
    way.port = await freePort();
    await way.back();
    return way;
  }

  /** Listens again, at the same port as before. */
  async back() {
    this.#server = createServer((client) => this.#join(client));
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async away() {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  /** Leads new connections to another server of the same host. */
  lead(port) {
    this.target = port;
  }

  silent() {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  speaks() {
    this.#isSilent = false;
    for (const socket of this.#sockets) socket.resume();
  }

  oneWay() {
    this.#isOneWay = true;
    for (const part of this.#parts) loseAll(part);
  }

  /** Lets new connections answer again. Those that lost an answer bring no more. */
  bothWays() {
    this.#isOneWay = false;
  }

  #join(client) {
    const part = connect(this.target, this.host);
    this.#parts.add(part);
    part.once('close', () => this.#parts.delete(part));
    for (const [from, to] of [
      [client, part],
      [part, client],
    ]) {
      this.#sockets.add(from);
      from.pipe(to);
      if (this.#isSilent) from.pause();
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
    if (this.#isOneWay) loseAll(part);
  }
}

function loseAll(part) {
  part.unpipe();
  part.resume();
}

/** A Redis that keeps nothing, so that a restart loses all that it knew. Another server can take its place. */
export class OwnRedis {
  #folder = mkdtempSync(join(tmpdir(), 'soak-redis-'));
  #child;

  static async start() {
    const redis = new OwnRedis();
    redis.port = await freePort();
    await redis.begin();
    return redis;
  }

  async begin() {
    const folder = mkdtempSync(join(this.#folder, 'data-')); // a replica leaves there what it got
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', folder];
    this.#child = spawn('redis-server', [...place, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
    await this.#until('ping', 'PONG');
  }

  /**
   * Makes a replica the master, and leads new connections to it. The former master follows it, with the connections that it has.
   * Returns how to end that one.
   */
  async failOver(way) {
    const former = { port: this.port, child: this.#child };
    this.port = await freePort();
    await this.begin();
    await this.#until(`replicaof 127.0.0.1 ${former.port}`, 'OK');
    await this.#until('info replication', 'master_link_status:up');
    await this.#until('replicaof no one', 'OK');
    way.lead(this.port);
    await this.#until(`replicaof 127.0.0.1 ${this.port}`, 'OK', former.port);
    return () => ended(former.child);
  }

  kill() {
    return ended(this.#child);
  }

  async stop() {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Repeats a command until its answer has the text in it. */
  async #until(command, text, port = this.port) {
    while (!(await tells(port, command)).includes(text)) await sleep(50);
  }
}

/** Returns what a Redis answers to a command, or nothing where there is none. */
function tells(port, command) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.once('data', (bytes) => {
      resolve(String(bytes));
      socket.destroy();
    });
    socket.once('error', () => resolve(''));
  });
}

async function ended(child) {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

/** Takes every mail but each fiftieth, which it asks to have sent again, and those to recipients that do not exist. */
export class MailServer {
  /** How often each mail arrived, by its recipient, under which ids, and from which return path. */
  arrived = new Map();
  /** Recipients that do not exist and were asked for. */
  refused = new Set();
  #asked = 0;

  static async start() {
    const mail = new MailServer();
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo({ address }, session, done) {
        if (!address.startsWith('gone-')) return done();
        mail.refused.add(address);
        return done(Object.assign(new Error('5.1.1 no such user'), { responseCode: 550 }));
      },
      async onData(stream, { envelope }, done) {
        const raw = await stream.toArray().then(
          (parts) => Buffer.concat(parts).toString(),
          () => null,
        );
        if (raw === null) return done(new Error('the client left')); // a node was killed in the middle of a mail
        mail.#asked += 1;
        if (mail.#asked % 50 === 0) return done(Object.assign(new Error('try again later'), { responseCode: 451 }));
        const id = /^message-id: *(\S+)/im.exec(raw)?.[1];
        for (const { address } of envelope.rcptTo) mail.#take(address, id, envelope.mailFrom.address);
        done();
      },
    });
    server.on('error', () => undefined); // a node that was killed leaves its connection broken
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    mail.port = server.server.address().port;
    mail.stop = () => new Promise((resolve) => server.close(resolve));
    return mail;
  }

  #take(address, id, from) {
    const { times = 0, ids = new Set() } = this.arrived.get(address) ?? {};
    this.arrived.set(address, { times: times + 1, ids: ids.add(id), from });
  }
}
