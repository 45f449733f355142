// Room: Sends a message by SMTP, or writes it to a file.
import { Module } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Logger } from '../../../common/logging/logger.js';
import { FolderMailTransport } from './folder-mail-transport.js';
import { MailTransport } from './mail-transport.js';

async function openTransport(config: Config, logger: Logger): Promise<MailTransport> {
  if (!config.smtp) return new FolderMailTransport(config.dataDir, logger);
  const { SmtpMailTransport } = await import('./smtp-mail-transport.js'); // with nodemailer, which a node without mail never loads
  return new SmtpMailTransport(config.smtp, logger);
}

/** Chooses the transport: a mail server if configured, otherwise a folder. */
@Module({
  providers: [{ provide: MailTransport, inject: [Config, Logger], useFactory: openTransport }],
  exports: [MailTransport],
})
export class MailTransportModule {}
