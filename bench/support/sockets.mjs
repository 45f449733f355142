// Controller of socket-client.mjs.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./socket-client.mjs', import.meta.url));

export class Sockets {
  constructor(protocol = 'plain') {
    this.child = fork(PROGRAM, [protocol]);
    this.child.setMaxListeners(0);
    this.child.on('message', ({ failed }) => {
      if (failed) throw new Error(`a connection failed: ${failed}`);
    });
  }

  /** Resolves when all are open. */
  async open(uris) {
    this.child.send({ open: uris });
    await this.told('opened');
    this.count = uris.length;
  }

  /** Measures the seconds until each connection received the given number of messages from `push`. */
  async receive(messages, push) {
    this.child.send({ expect: messages * this.count });
    await this.told('expecting');
    const start = process.hrtime.bigint();
    const [{ at }] = await Promise.all([this.told('arrived'), push()]);
    return Number(BigInt(at) - start) / 1e9;
  }

  /** Returns, for each connection, the milliseconds from the start of `push` to the arrival of its message. */
  async arrivals(push) {
    this.child.send({ expect: this.count, timed: true });
    await this.told('expecting');
    const start = performance.timeOrigin + performance.now();
    const [{ times }] = await Promise.all([this.told('arrived'), push()]);
    return times.map((time) => time - start);
  }

  told(what) {
    return new Promise((resolve, reject) => {
      const hear = (message) => {
        if (!(what in message)) return;
        this.child.off('message', hear);
        resolve(message);
      };
      this.child.on('message', hear);
      this.child.once('exit', (code) => reject(new Error(`the clients ended with ${code}`)));
    });
  }

  close() {
    this.child.disconnect();
  }
}

/** Registers recipients named r0, r1, … and returns their WebSocket URLs. `fieldsOf` returns further fields of the input by number. */
export async function register(api, count, fieldsOf = () => '') {
  const PER_REQUEST = 50;
  const uris = [];
  for (let from = 0; from < count; from += PER_REQUEST) {
    const names = Array.from({ length: Math.min(PER_REQUEST, count - from) }, (_, index) => from + index);
    const fields = names.map(
      (name) => `r${name}: registerRecipient(input:{recipient:"r${name}"${fieldsOf(name)}}){connectionUri}`,
    );
    const data = await api.ask(`mutation{${fields.join(' ')}}`);
    uris.push(...names.map((name) => data[`r${name}`].connectionUri));
  }
  return uris;
}
