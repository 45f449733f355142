import { WebSocket } from 'ws';
import { setTimeout as sleep } from 'node:timers/promises';

const REGISTER = 'mutation($recipient:String!){registerRecipient(input:{recipient:$recipient}){connectionUri}}';
const SILENT_MS = 8_000;

/** A recipient that stays connected as a browser would: with a new connection after each end, and after a silence without pings. */
export class Recipient {
  /** How often each message arrived, by its id. */
  received = new Map();
  /** Times without a connection, in ms, with their beginning. */
  gaps = [];
  #socket;
  #isOver = false;
  #lostAt;

  constructor(caller, name) {
    this.caller = caller;
    this.name = name;
  }

  get isConnected() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Connects, and again whenever the connection ends, until the recipient leaves. */
  async stay() {
    for (let pauseMs = 50; !this.#isOver; pauseMs = Math.min(pauseMs * 2, 1_000)) {
      const wasOpen = await this.#connectOnce().catch(() => false);
      if (wasOpen) pauseMs = 50;
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }

  async #connectOnce() {
    const { registerRecipient } = await this.caller.ask('websockets-manager', REGISTER, { recipient: this.name });
    const socket = new WebSocket(registerRecipient.connectionUri, { perMessageDeflate: false, handshakeTimeout: 5_000 });
    this.#socket = socket;
    let silence;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => socket.terminate(), SILENT_MS);
    };
    let wasOpen = false;
    socket.on('open', () => {
      wasOpen = true;
      heard();
      if (this.#lostAt !== undefined) this.gaps.push({ at: this.#lostAt, ms: Date.now() - this.#lostAt });
      this.#lostAt = undefined;
    });
    socket.on('ping', heard);
    socket.on('message', (data) => {
      heard();
      const { id } = JSON.parse(String(data));
      this.received.set(id, (this.received.get(id) ?? 0) + 1);
    });
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('close', resolve));
    clearTimeout(silence);
    if (wasOpen) this.#lostAt = Date.now();
    return wasOpen;
  }

  leave() {
    this.#isOver = true;
    this.#socket?.terminate();
    this.caller.close();
  }
}
