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

/** Concurrent connections per process, and per sender. Rejected mail servers retry later. */
const MAX_CONNECTIONS = 50;
const MAX_OF_SENDER = 10;
/** Reports per return path and minute. Any holder of a mail can send reports to its return path. */
const MAX_OF_RETURN_PATH = 10;
/** Maximum size of a report, which may contain a whole mail. Only its beginning is read. */
const MAX_MAIL_BYTES = 50 * MIB;
/** Idle timeout of a client. */
const SILENCE_MS = 30_000;
/** Maximum duration of a connection. */
const MAX_CONNECTION_MS = 5 * 60_000;
/** Time that a shutdown waits for mails being received. */
const CLOSE_MS = 2_000;
const MAX_RECIPIENTS = 10;

const NO_SUCH_ADDRESS = refusal(550, 'no such address; only bounces are accepted here');
const TOO_MANY = refusal(452, 'too many recipients');
const TOO_MANY_CONNECTIONS = refusal(421, `too many connections from your address: at most ${MAX_OF_SENDER}; retry later`);
const TOO_OFTEN = refusal(450, `too many reports to this address: at most ${MAX_OF_RETURN_PATH} per minute; retry later`);
const TOO_LARGE = refusal(552, `the mail is larger than ${MAX_MAIL_BYTES} bytes`);
const NOT_NOW = refusal(451, 'the report cannot be stored now; retry later');

/**
 * Receives bounces by SMTP at return paths of this service. Relays nothing and needs no login. A response of 250 means that the bounce was
 * recorded, or is not a report; while the database is down, the sending server retries. Several workers share the port.
 */
@Injectable()
export class BounceListener implements OnModuleDestroy {
  private server?: SMTPServer;
  /** Senders of open connections by session id. */
  private readonly senders = new Map<string, string>();
  private readonly reports = new RateCounter(MAX_OF_RETURN_PATH, new MemoryRateStore());

  constructor(
    private readonly config: Config,
    private readonly returnPaths: ReturnPaths,
    private readonly bounces: BouncesService,
    private readonly logger: Logger,
  ) {}

  /** Listening port. */
  get port(): number | undefined {
    return (this.server?.server.address() as AddressInfo | null | undefined)?.port;
  }

  /** Starts listening if BOUNCE_PORT is set. @throws ConfigError on failure */
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
    this.logger.info({ port: this.port, domain: name }, 'receiving bounces by SMTP');
  }

  async onModuleDestroy(): Promise<void> {
    const { server } = this;
    if (server) await new Promise<void>((resolve) => server.close(resolve));
  }

  private async newServer(name: string): Promise<SMTPServer> {
    const { SMTPServer } = await import('smtp-server'); // most servers never need it
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
      onConnect: ({ id, remoteAddress }, done) => done(this.admits(id, senderOf(remoteAddress)) ? null : TOO_MANY_CONNECTIONS),
      onClose: ({ id }, done) => {
        this.senders.delete(id);
        done();
      },
      onRcptTo: ({ address }, { envelope }, done) => void answer(done, this.checkRecipient(address, envelope.rcptTo.length)),
      onData: (stream, { envelope, remoteAddress }, done) => {
        const recipients = envelope.rcptTo.flatMap(({ address }) => this.returnPaths.recipientAt(address) ?? []);
        void answer(done, this.receive(stream, recipients, senderOf(remoteAddress)));
      },
    });
    server.server.on('connection', (socket: Socket) => {
      const limit = setTimeout(() => socket.destroy(), MAX_CONNECTION_MS);
      socket.once('close', () => clearTimeout(limit));
    });
    return server;
  }

  /** Counts a connection of a sender. Returns false if the limit is reached. */
  private admits(id: string, sender: string): boolean {
    const others = [...this.senders.values()].filter((one) => one === sender);
    if (others.length >= MAX_OF_SENDER) return false;
    this.senders.set(id, sender);
    return true;
  }

  /** Checks a recipient address. @throws the SMTP response to a rejected address */
  private async checkRecipient(address: string, before: number): Promise<void> {
    if (before >= MAX_RECIPIENTS) throw TOO_MANY;
    const named = this.returnPaths.recipientAt(address);
    if (!named) throw NO_SUCH_ADDRESS;
    const { isRefused } = await this.reports.take(`${named.emailId} ${named.position}`, 1);
    if (isRefused) throw TOO_OFTEN;
  }

  /** Receives a mail. @throws the SMTP response to a rejected mail */
  private async receive(stream: SMTPServerDataStream, recipients: MailedRecipient[], sender: string): Promise<void> {
    const mail = await beginningOf(stream);
    if (stream.sizeExceeded) throw TOO_LARGE;
    try {
      const report = await this.bounces.read(sender, mail);
      for (const recipient of recipients) {
        const { outcome } = await this.bounces.takeOf(recipient, report);
        this.logger.info({ ...recipient, outcome }, 'received a mail to a return path');
      }
    } catch (error) {
      this.logger.warn({ err: error, recipients }, 'a bounce could not be stored; the sending mail server will retry');
      throw NOT_NOW;
    }
  }
}

/** Responds to a command after its check. */
async function answer(done: (error?: Error | null) => void, judged: Promise<void>): Promise<void> {
  try {
    await judged;
    done();
  } catch (error) {
    done(error as Error);
  }
}

/** Returns the sender of a connection: an IPv4 address, or the network of one IPv6 subscriber (/64). */
function senderOf(address: string): string {
  if (!address.includes(':')) return address;
  const [before = '', after] = address.split('::');
  const groups = after === undefined ? before.split(':') : [...before.split(':'), '0', '0', '0', '0'];
  return groups.slice(0, 4).join(':');
}

/** Reads a mail to its end. Returns the beginning needed for a report. */
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
