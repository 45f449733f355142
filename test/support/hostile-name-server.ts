import { randomBytes } from 'node:crypto';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A question, as its bytes, and the name in it. */
interface Question {
  id: number;
  bytes: Buffer;
  name: string;
}

/** Reply to a question: messages and their delays; over TCP also what to do with the connection. */
interface Reply {
  messages: Buffer[];
  afterMs?: number;
  /** Sends one byte a second. */
  isDripped?: boolean;
  /** Closes the connection without a word. */
  isClosed?: boolean;
}

type Behaviour = (question: Question, isTcp: boolean) => Reply;

const [TXT, CNAME] = [16, 5];
const OWNER = Buffer.from([0xc0, 0x0c]);
const NOTHING: Reply = { messages: [] };

const uint16 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
};
const encodedName = (name: string): Buffer =>
  Buffer.concat([...name.split('.').map((label) => Buffer.from(String.fromCharCode(label.length) + label)), Buffer.from([0])]);
const record = (type: number, data: Buffer, owner: Buffer = OWNER): Buffer =>
  Buffer.concat([owner, uint16(type, 1, 0, 60, data.length), data]);
const strings = (...texts: string[]): Buffer =>
  Buffer.concat(texts.flatMap((text) => [Buffer.from([text.length]), Buffer.from(text, 'latin1')]));

interface Parts {
  code?: number;
  isCut?: boolean;
  answers?: Buffer[];
  /** False header counts of a response. */
  count?: number;
}

function answer(
  { id, bytes }: Pick<Question, 'id' | 'bytes'>,
  { code = 0, isCut = false, answers = [], count }: Parts = {},
): Buffer {
  const flags = 0x8180 | code | (isCut ? 0x0200 : 0);
  return Buffer.concat([uint16(id, flags, 1, count ?? answers.length, 0, 0), bytes, ...answers]);
}

/** Truncates the UDP response, so that the question arrives again over TCP. */
const overTcp =
  (behaviour: (question: Question) => Reply): Behaviour =>
  (question, isTcp) =>
    isTcp ? behaviour(question) : { messages: [answer(question, { isCut: true })] };
const always =
  (code: number): Behaviour =>
  (question) => ({ messages: [answer(question, { code })] });

/** Behaviours by a label in the queried name. Other names do not exist. */
const BEHAVIOURS = {
  silent: () => NOTHING,
  servfail: always(2),
  refused: always(5),
  // An alias of a name that is an alias of the first.
  loop: (question) => {
    const other = `other.${question.name}`;
    const there = record(CNAME, encodedName(other));
    return { messages: [answer(question, { answers: [there, record(CNAME, OWNER, encodedName(other))] })] };
  },
  large: overTcp((question) => ({
    messages: [answer(question, { answers: [record(TXT, strings(...Array<string>(250).fill('x'.repeat(255))))] })],
  })),
  many: overTcp((question) => ({
    messages: [
      answer(question, { answers: Array.from({ length: 900 }, (_, at) => record(TXT, strings(`v${at}`, '\0\xff', 'é'))) }),
    ],
  })),
  // Far more records than usual, with the wanted one at the end.
  crowd: overTcp((question) => {
    const others = Array.from({ length: 300 }, (_, at) => record(TXT, strings(`site-verification=${at}`)));
    return {
      messages: [answer(question, { answers: [...others, record(TXT, strings('v=spf1 include:_spf.relay.example ~all'))] })],
    };
  }),
  // Half of a response, over UDP and over TCP.
  half: (question) => {
    const whole = answer(question, { answers: [record(TXT, strings('a'.repeat(200)))] });
    return { messages: [whole.subarray(0, whole.length / 2)] };
  },
  noise: () => ({ messages: [randomBytes(300), randomBytes(5), Buffer.alloc(0)] }),
  known: ({ id }) => ({ messages: [Buffer.concat([uint16(id), randomBytes(300)])] }),
  // Announces far more content than it has, with a name that points at itself.
  liar: (question) => ({ messages: [answer(question, { count: 65_535, answers: [record(TXT, strings('a'))] })] }),
  pointer: (question) => {
    const itself = uint16(0xc000 | (12 + question.bytes.length));
    return { messages: [answer(question, { answers: [record(TXT, strings('a'), itself)] })] };
  },
  // Responses that nobody asked for: with another id, and to another question.
  stranger: (question) => {
    const bytes = Buffer.concat([encodedName('elsewhere.example'), uint16(TXT, 1)]);
    const answers = [record(TXT, strings('a'))];
    return { messages: [answer({ ...question, id: question.id ^ 1 }, { answers }), answer({ ...question, bytes }, { answers })] };
  },
  late: (question) => ({ messages: [answer(question, { answers: [record(TXT, strings('late'))] })], afterMs: 12_000 }),
  // Responds just in time, so that sequential queries take too long.
  slow: (question) => ({ messages: [answer(question, { code: 3 })], afterMs: 1_900 }),
  deaf: overTcp(() => NOTHING),
  closed: overTcp(() => ({ messages: [], isClosed: true })),
  drip: overTcp((question) => ({ messages: [answer(question, { answers: [record(TXT, strings('a'))] })], isDripped: true })),
  flood: overTcp((question) => {
    const answers = [record(TXT, strings(...Array<string>(250).fill('x'.repeat(255))))];
    return { messages: Array<Buffer>(100).fill(answer({ ...question, id: question.id ^ 1 }, { answers })) };
  }),
} satisfies Record<string, Behaviour>;

/** Behaviours by their label. */
export const MISBEHAVIOURS = Object.keys(BEHAVIOURS) as (keyof typeof BEHAVIOURS)[];

/** A real name server that misbehaves, over UDP and TCP on a port of its own. */
export class HostileNameServer {
  private readonly udp: UdpSocket = createSocket('udp4');
  private readonly tcp: Server = createServer((socket) => this.serve(socket));
  private readonly connections = new Set<Socket>();
  private readonly timers = new Set<NodeJS.Timeout>();

  static async start(): Promise<HostileNameServer> {
    const server = new HostileNameServer();
    server.tcp.listen(0, '127.0.0.1');
    await once(server.tcp, 'listening');
    server.udp.bind(server.port, '127.0.0.1');
    await once(server.udp, 'listening');
    server.udp.on('error', () => undefined);
    server.udp.on('message', (message, { port, address }) => {
      const { messages, afterMs = 0 } = server.replyTo(message, false);
      server.after(afterMs, () => {
        for (const one of messages) server.udp.send(one, port, address);
      });
    });
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Returns the number of open connections. */
  get open(): number {
    return this.connections.size;
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer);
    for (const connection of this.connections) connection.destroy();
    this.udp.close();
    this.tcp.close();
    await once(this.tcp, 'close');
  }

  private get port(): number {
    return (this.tcp.address() as AddressInfo).port;
  }

  private replyTo(message: Buffer, isTcp: boolean): Reply {
    const labels: string[] = [];
    let at = 12;
    for (let length = message[at]!; length > 0; length = message[at]!) {
      labels.push(message.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = { id: message.readUInt16BE(0), bytes: message.subarray(12, at + 5), name: labels.join('.') };
    const name = labels.find((label) => label in BEHAVIOURS);
    if (name === undefined) return { messages: [answer(question, { code: 3 })] };
    return BEHAVIOURS[name as keyof typeof BEHAVIOURS](question, isTcp);
  }

  /** Answers each question of a connection. */
  private serve(socket: Socket): void {
    this.connections.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.connections.delete(socket));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (let length = 0; received.length >= 2 && received.length >= (length = 2 + received.readUInt16BE(0));) {
        this.write(socket, this.replyTo(received.subarray(2, length), true));
        received = received.subarray(length);
      }
    });
  }

  private write(socket: Socket, { messages, afterMs = 0, isDripped, isClosed }: Reply): void {
    if (isClosed) return void socket.destroy();
    const bytes = Buffer.concat(messages.flatMap((message) => [uint16(message.length), message]));
    if (!isDripped) return this.after(afterMs, () => socket.write(bytes));
    const drip = (at: number): void => {
      if (socket.destroyed || at === bytes.length) return;
      socket.write(bytes.subarray(at, at + 1));
      this.after(1_000, () => drip(at + 1));
    };
    drip(0);
  }

  private after(ms: number, run: () => void): void {
    if (ms === 0) return run();
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      run();
    }, ms);
    this.timers.add(timer);
  }
}
