import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { SMTPServer, SMTPServerDataStream } from 'smtp-server';
import { MemoryRateStore, RateCounter } from '../../../common/scheduling/rate-counter.js';
import { Config, ConfigError } from '../../../common/config/config.js';
import { Logger } from '../../../common/logging/logger.js';
import { MIB } from '../../../common/base/amounts.js';
import { MAX_REPORT_BYTES } from './reports/mail-parts.js';
import { type MailedRecipient, ReturnPaths } from './return-paths.js';
import { BouncesService } from './bounces.service.js';

/** Connections at a time, of one process and of one sender to it. A mail server that finds no place comes again. */
const MAX_CONNECTIONS = 50;
const MAX_OF_SENDER = 10;
/** Reports to one return path in a minute. Whoever has got a mail can send reports to its return path. */
const MAX_OF_RETURN_PATH = 10;
/** A report may return a whole mail, of which the beginning is read and the rest is not kept. */
const MAX_MAIL_BYTES = 50 * MIB;
/** How long a client may be silent. */
const SILENCE_MS = 30_000;
/** How long a connection may last. */
const MAX_CONNECTION_MS = 5 * 60_000;
/** How long a stopping node waits for mails that are being taken. */
const CLOSE_MS = 2_000;
const MAX_RECIPIENTS = 10;

const NO_SUCH_ADDRESS = refusal(550, 'no such address; only bounces are taken here');
const TOO_MANY = refusal(452, 'too many recipients');
const TOO_MANY_CONNECTIONS = refusal(421, `too many connections from your address: at most ${MAX_OF_SENDER}; try again later`);
const TOO_OFTEN = refusal(450, `too many reports to this address: at most ${MAX_OF_RETURN_PATH} a minute; try again later`);
const TOO_LARGE = refusal(552, `a mail may have ${MAX_MAIL_BYTES} bytes`);
const NOT_NOW = refusal(451, 'the report cannot be stored now');

/**
 * Takes bounces by SMTP, for return paths that were made here and nobody else: it relays nothing and needs no login. What it answers
 * with 250 is recorded, or is no report; if the database is away the sending server tries again. Several workers share the port.
 */
@Injectable()
export class BounceListener implements OnModuleDestroy {
  private server?: SMTPServer;
  /** Senders of the open connections, by the id of the session. */
  private readonly senders = new Map<string, string>();
  private readonly reports = new RateCounter(MAX_OF_RETURN_PATH, new MemoryRateStore());

  constructor(
    private readonly config: Config,
    private readonly returnPaths: ReturnPaths,
    private readonly bounces: BouncesService,
    private readonly logger: Logger,
  ) {}

  /** The port, once it listens. */
  get port(): number | undefined {
    return (this.server?.server.address() as AddressInfo | null | undefined)?.port;
  }

  /** Listens if BOUNCE_PORT is set. @throws ConfigError if it cannot */
  async listen(): Promise<void> {
    const { bounceListener: wanted, returnPathDomain: name } = this.config;
    if (!wanted) return;
    const server = await this.newServer(name!);
    server.on('error', (error) => this.logger.debug({ err: error }, 'a connection to BOUNCE_PORT failed'));
    try {
      server.listen(wanted.port, wanted.host);
      await once(server.server, 'listening');
    } catch (error) {
      throw new ConfigError(
        `BOUNCE_PORT ${wanted.port} of ${wanted.host} cannot be used: ${(error as NodeJS.ErrnoException).code}`,
      );
    }
    this.server = server;
    this.logger.info({ port: this.port, domain: name }, 'takes bounces by SMTP');
  }

  async onModuleDestroy(): Promise<void> {
    const { server } = this;
    if (server) await new Promise<void>((resolve) => server.close(resolve));
  }

  private async newServer(name: string): Promise<SMTPServer> {
    const { SMTPServer } = await import('smtp-server'); // most servers do without it
    const server = new SMTPServer({
      name,
      banner: 'bounces only',
      disabledCommands: ['AUTH', 'STARTTLS', 'VRFY'],
      authOptional: true,
      disableReverseLookup: true,
      logger: false,
      size: MAX_MAIL_BYTES,
      maxClients: MAX_CONNECTIONS,
      socketTimeout: SILENCE_MS,
      closeTimeout: CLOSE_MS,
      onConnect: ({ id, remoteAddress }, done) => done(this.hasPlace(id, senderOf(remoteAddress)) ? null : TOO_MANY_CONNECTIONS),
      onClose: ({ id }, done) => {
        this.senders.delete(id);
        done();
      },
      onRcptTo: ({ address }, { envelope }, done) => void answer(done, this.judge(address, envelope.rcptTo.length)),
      onData: (stream, { envelope, remoteAddress }, done) => {
        const recipients = envelope.rcptTo.flatMap(({ address }) => this.returnPaths.recipientAt(address) ?? []);
        void answer(done, this.take(stream, recipients, senderOf(remoteAddress)));
      },
    });
    server.server.on('connection', (socket: Socket) => {
      const limit = setTimeout(() => socket.destroy(), MAX_CONNECTION_MS);
      socket.once('close', () => clearTimeout(limit));
    });
    return server;
  }

  /** Returns whether a sender may have one more connection, which is counted if so. */
  private hasPlace(id: string, sender: string): boolean {
    const others = [...this.senders.values()].filter((one) => one === sender);
    if (others.length >= MAX_OF_SENDER) return false;
    this.senders.set(id, sender);
    return true;
  }

  /** @throws the answer to an address that is not taken */
  private async judge(address: string, before: number): Promise<void> {
    if (before >= MAX_RECIPIENTS) throw TOO_MANY;
    const named = this.returnPaths.recipientAt(address);
    if (!named) throw NO_SUCH_ADDRESS;
    const { isRefused } = await this.reports.take(`${named.emailId} ${named.position}`, 1);
    if (isRefused) throw TOO_OFTEN;
  }

  /** @throws the answer to a mail that is not taken */
  private async take(stream: SMTPServerDataStream, recipients: MailedRecipient[], sender: string): Promise<void> {
    const mail = await beginningOf(stream);
    if (stream.sizeExceeded) throw TOO_LARGE;
    try {
      const report = await this.bounces.read(sender, mail);
      for (const recipient of recipients) {
        const { outcome } = await this.bounces.takeOf(recipient, report);
        this.logger.info({ ...recipient, outcome }, 'a mail to a return path came');
      }
    } catch (error) {
      this.logger.warn({ err: error, recipients }, 'a bounce could not be stored; the mail server that brought it tries again');
      throw NOT_NOW;
    }
  }
}

/** Answers a command once it was judged. */
async function answer(done: (error?: Error | null) => void, judged: Promise<void>): Promise<void> {
  try {
    await judged;
    done();
  } catch (error) {
    done(error as Error);
  }
}

/** Returns what counts as one sender: an address of IPv4, or the network of one subscriber of IPv6 (/64). */
function senderOf(address: string): string {
  if (!address.includes(':')) return address;
  const [before = '', after] = address.split('::');
  const groups = after === undefined ? before.split(':') : [...before.split(':'), '0', '0', '0', '0'];
  return groups.slice(0, 4).join(':');
}

/** Reads a mail to its end, and keeps as much of it as is read for a report. */
async function beginningOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    if (bytes < MAX_REPORT_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, MAX_REPORT_BYTES);
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
