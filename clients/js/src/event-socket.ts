import { VOID_TOKEN } from './close-codes.js';

const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;
/** The server sends a comment each 15 s. */
const SILENCE_MS = 45_000;
/** Close code of a connection that broke. */
const BROKEN = 1006;

/** URL of the event stream for a WebSocket URL: the same host and token. */
const eventsUriOf = (connectionUri: string) => connectionUri.replace(/^ws/, 'http').replace(/\/?\?/, '/events?');

/** Event stream with the interface of a WebSocket, for networks that block those. Acknowledgements go by POST, one request at a time. */
export class EventSocket {
  readyState = CONNECTING;
  private readonly target = new EventTarget();
  private readonly uri: string;
  private readonly aborter = new AbortController();
  private connection = '';
  private unsent: string | undefined;
  private readonly marks: string[] = [];
  private isSending = false;
  private silence: ReturnType<typeof setTimeout> | undefined;

  /** @param isAcknowledging acknowledges each message once its listeners have returned; otherwise `send` does */
  constructor(
    connectionUri: string,
    private readonly isAcknowledging: boolean,
    lastEventId: string | undefined,
  ) {
    this.uri = eventsUriOf(connectionUri);
    this.read(lastEventId).then(
      () => this.end(BROKEN),
      () => this.end(BROKEN),
    );
  }

  addEventListener(type: string, listener: (event: Event) => void): void {
    this.target.addEventListener(type, listener);
  }

  /** Sends an acknowledgement or a mark. An empty frame is a sign of life, which a stream does not need. */
  send(text: string): void {
    if (text === '{}') return;
    if (text.startsWith('{"ack"'))
      this.unsent = text; // acknowledges all earlier ones too
    else this.marks.push(text);
    if (!this.isSending) void this.post();
  }

  close(): void {
    this.aborter.abort();
    this.end(BROKEN);
  }

  private async post(): Promise<void> {
    this.isSending = true;
    for (let body; (body = this.marks.shift() ?? this.unsent) !== undefined;) {
      if (body === this.unsent) this.unsent = undefined;
      // If it is lost, a later one or the next Last-Event-ID acknowledges the same.
      await fetch(`${this.uri}&connection=${this.connection}`, { method: 'POST', body, keepalive: true }).catch(() => undefined);
    }
    this.isSending = false;
  }

  private async read(lastEventId: string | undefined): Promise<void> {
    this.listen();
    const headers = { accept: 'text/event-stream', ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
    const { status, body } = await fetch(this.uri, { headers, cache: 'no-store', signal: this.aborter.signal });
    if (status !== 200 || !body) {
      this.aborter.abort();
      return this.end(status === 401 ? VOID_TOKEN : BROKEN);
    }
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (let piece; !(piece = await reader.read()).done;) {
      this.listen();
      const blocks = (text + piece.value).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) this.take(block);
    }
  }

  /** Ends the stream when nothing arrives. */
  private listen(): void {
    clearTimeout(this.silence);
    if (this.readyState !== CLOSED) this.silence = setTimeout(() => this.close(), SILENCE_MS);
  }

  private take(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    const [data, event, id] = [field('data'), field('event'), field('id')];
    if (data === undefined || this.readyState === CLOSED) return;
    if (event === 'close') return this.end((JSON.parse(data) as { code: number }).code);
    if (event === 'connection') {
      this.connection = (JSON.parse(data) as { id: string }).id;
      this.readyState = OPEN;
      this.tell('open', {});
      return;
    }
    this.tell('message', { data });
    if (this.isAcknowledging && id !== undefined) this.send(JSON.stringify({ ack: id }));
  }

  private end(code: number): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    clearTimeout(this.silence);
    this.aborter.abort();
    this.tell('close', { code });
  }

  private tell(type: string, more: object): void {
    this.target.dispatchEvent(Object.assign(new Event(type), more));
  }
}
