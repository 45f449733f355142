import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { OutgoingMail } from '../../src/modules/email/transport/mail-transport.js';
import { freePort } from '../nodes/free-port.mjs';
import type { Certificate } from './certificates.js';
import { MIB } from './rendering.js';

const TO = 'ann@example.com';

/** A mail to one recipient, as the outbox sends it. */
export const MAIL: OutgoingMail = {
  id: 'id',
  messageId: '<id@sender.example>',
  date: new Date(),
  from: { address: 'a@sender.example', name: null },
  replyTo: null,
  to: [{ address: TO, name: null }],
  cc: [],
  subject: 's',
  headers: [],
  unsubscribeUrl: null,
  html: null,
  text: 't',
  attachments: [],
  recipients: [TO],
};

/** Longer mails are not parsed: that would block the event loop of a server in this process. */
const MAX_PARSED_BYTES = 5 * MIB;

/** A received mail with its envelope. */
export class ReceivedMail {
  constructor(
    readonly from: string,
    readonly to: string[],
    readonly bytes: Buffer,
    /** Whether it arrived over TLS. */
    readonly isSecure: boolean,
    private readonly read: Email | undefined,
  ) {}

  get raw(): string {
    return String(this.bytes);
  }

  get parsed(): Email {
    if (!this.read) throw new Error(`a mail of more than ${MAX_PARSED_BYTES} bytes is not parsed; look at its bytes`);
    return this.read;
  }
}

/** Behaviour of a server. By default without TLS and logins. */
interface Behaviour {
  certificate?: Certificate;
  /** TLS from the first byte instead of STARTTLS. */
  fromStart?: boolean;
  /** Whether it accepts logins, even without TLS. */
  logins?: boolean;
  /** Accepts logins with these tokens only. */
  tokens?: Set<string>;
  /** Sent in place of its greeting, before closing the connection. */
  greeting?: { code: number; text: string };
}

/** Reaction to a mail, by its first recipient: an SMTP reply, or an action on the connection. */
type Treatment = { code: number; at: 'MAIL' | 'DATA' } | 'drop before DATA' | 'drop after DATA' | { slowMs: number };

/** A mail being received. */
interface Coming {
  stream: AsyncIterable<Buffer>;
  from: string;
  to: string[];
  isSecure: boolean;
}

const refusal = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code });

/** A real mail server on a port of its own, which stores what it receives. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  /** Replies to RCPT TO by address; all others are accepted. */
  readonly recipients = new Map<string, number>();
  /** Texts of refusals by address. */
  readonly words = new Map<string, string>();
  readonly treatments = new Map<string, Treatment>();
  /** Received passwords, and the kind of connection. */
  readonly passwords: { password: unknown; isSecure: boolean }[] = [];
  connections = 0;
  behaviour: Behaviour = {};
  private readonly begun = new Set<string>();
  private readonly sockets = new Set<Socket>();
  private readonly watchers = new Set<() => void>();
  private server: SMTPServer;
  port = 0;

  static async start(behaviour: Behaviour = {}): Promise<MailServer> {
    const server = new MailServer();
    server.behaviour = behaviour;
    await server.listen(await freePort());
    return server;
  }

  async listen(port = this.port): Promise<void> {
    const { certificate, fromStart = false, tokens, logins = tokens !== undefined, greeting } = this.behaviour;
    this.server = new SMTPServer({
      ...certificate,
      secure: fromStart,
      authOptional: true,
      allowInsecureAuth: true,
      disabledCommands: [...(certificate && !fromStart ? [] : ['STARTTLS']), ...(logins ? [] : ['AUTH'])],
      disableReverseLookup: true,
      onConnect: (_session, done) => done(greeting ? refusal(greeting.code, greeting.text) : null),
      authMethods: tokens ? ['XOAUTH2'] : undefined,
      onAuth: ({ username, password, accessToken = '' }, { secure }, done) => {
        if (tokens && !tokens.has(accessToken)) return done(null, { data: { status: '401', schemes: 'bearer' } });
        this.passwords.push({ password, isSecure: secure });
        done(null, { user: username });
      },
      onRcptTo: ({ address }, session, done) => {
        const code = this.recipients.get(address);
        if (code) return done(refusal(code, this.words.get(address) ?? `${address} is refused`));
        const first = session.envelope.rcptTo.length === 0;
        const treatment = first ? this.treatments.get(address) : undefined;
        if (treatment === 'drop before DATA') return this.dropAll();
        if (treatment && typeof treatment === 'object' && 'at' in treatment && treatment.at === 'MAIL')
          return done(refusal(treatment.code, 'not now'));
        done();
      },
      onData: (stream, session, done) => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
        void this.answer({ stream, from, to, isSecure: session.secure }, done);
      },
    });
    this.server.on('error', () => undefined);
    this.server.server.on('connection', (socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.server.listen(port, '127.0.0.1');
    await once(this.server.server, 'listening');
    this.port = (this.server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.behaviour.fromStart ? 'smtps' : 'smtp'}://127.0.0.1:${this.port}`;
  }

  /** Waits for this many mails to an address, and returns them. */
  async to(address: string, count = 1): Promise<ReceivedMail[]> {
    const found = () => this.mails.filter(({ to }) => to.includes(address));
    for (;;) {
      if (found().length >= count) return found();
      await new Promise<void>((resolve) => this.watchers.add(resolve));
    }
  }

  /** Waits until a client has begun to send to an address. */
  async receives(address: string): Promise<void> {
    while (!this.begun.has(address)) await new Promise<void>((resolve) => this.watchers.add(resolve));
  }

  dropAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.dropAll();
    await closed;
  }

  private tell(): void {
    const watchers = [...this.watchers];
    this.watchers.clear();
    for (const watcher of watchers) watcher();
  }

  private async answer(coming: Coming, done: (error?: Error | null) => void): Promise<void> {
    try {
      const end = await this.take(coming);
      if (end !== 'gone') done(end);
    } catch {
      // A dead client gets no reply.
    }
  }

  private async take({ stream, from, to, isSecure }: Coming): Promise<Error | null | 'gone'> {
    const treatment = this.treatments.get(to[0]!);
    for (const address of to) this.begun.add(address);
    this.tell();
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    if (treatment && typeof treatment === 'object' && 'code' in treatment)
      return refusal(treatment.code, this.words.get(to[0]!) ?? 'not like this');
    if (treatment && typeof treatment === 'object') await new Promise((resolve) => setTimeout(resolve, treatment.slowMs));
    const raw = Buffer.concat(chunks);
    const read = raw.length <= MAX_PARSED_BYTES ? await PostalMime.parse(raw) : undefined;
    this.mails.push(new ReceivedMail(from, to, raw, isSecure, read));
    this.tell();
    if (treatment !== 'drop after DATA') return null;
    this.dropAll();
    return 'gone';
  }
}
