import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { SMTPServer, SMTPServerDataStream } from 'smtp-server';
import { Config, ConfigError } from '../../../common/config/config.js';
import { Logger } from '../../../common/logging/logger.js';
import { MIB } from '../../../common/validation/amounts.js';
import { MAX_REPORT_BYTES } from '../bounce-reports/mail-parts.js';
import { type MailedRecipient, ReturnPaths } from '../return-paths/return-paths.js';
import { BouncesService } from './bounces.service.js';

/** Connections at a time, of one process. A mail server that finds no place comes again. */
const MAX_CONNECTIONS = 50;
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
const TOO_LARGE = refusal(552, `a mail may have ${MAX_MAIL_BYTES} bytes`);
const NOT_NOW = refusal(451, 'the report cannot be stored now');

/**
 * Takes bounces by SMTP, for return paths that were made here and nobody else: it relays nothing and needs no login. What it answers
 * with 250 is recorded, or is no report; if the database is away the sending server tries again. Several workers share the port.
 */
@Injectable()
export class BounceListener implements OnModuleDestroy {
  private server?: SMTPServer;

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
      disabledCommands: ['AUTH', 'STARTTLS'],
      authOptional: true,
      disableReverseLookup: true,
      logger: false,
      size: MAX_MAIL_BYTES,
      maxClients: MAX_CONNECTIONS,
      socketTimeout: SILENCE_MS,
      closeTimeout: CLOSE_MS,
      onRcptTo: ({ address }, { envelope }, done) => {
        if (envelope.rcptTo.length >= MAX_RECIPIENTS) return done(TOO_MANY);
        done(this.returnPaths.recipientAt(address) ? null : NO_SUCH_ADDRESS);
      },
      onData: (stream, { envelope }, done) => {
        const recipients = envelope.rcptTo.flatMap(({ address }) => this.returnPaths.recipientAt(address) ?? []);
        void this.answer(stream, recipients, done);
      },
    });
    server.server.on('connection', (socket: Socket) => {
      const limit = setTimeout(() => socket.destroy(), MAX_CONNECTION_MS);
      socket.once('close', () => clearTimeout(limit));
    });
    return server;
  }

  private async answer(
    stream: SMTPServerDataStream,
    recipients: MailedRecipient[],
    done: (error?: Error | null) => void,
  ): Promise<void> {
    try {
      await this.take(stream, recipients);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  /** @throws the answer to a mail that is not taken */
  private async take(stream: SMTPServerDataStream, recipients: MailedRecipient[]): Promise<void> {
    const mail = await beginningOf(stream);
    if (stream.sizeExceeded) throw TOO_LARGE;
    for (const recipient of recipients) {
      try {
        const { outcome } = await this.bounces.take(mail, { recipient });
        this.logger.info({ ...recipient, outcome }, 'a mail to a return path came');
      } catch (error) {
        this.logger.warn(
          { err: error, ...recipient },
          'a bounce could not be stored; the mail server that brought it tries again',
        );
        throw NOT_NOW;
      }
    }
  }
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
