// Room: Sends a message by SMTP, or writes it to a file.
import { Module } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Logger } from '../../../common/logging/logger.js';
import { FolderMailTransport } from './folder-mail-transport.js';
import { MailTransport } from './mail-transport.js';
import { SmtpMailTransport } from './smtp-mail-transport.js';

function openTransport(config: Config, logger: Logger): MailTransport {
  return config.smtp ? new SmtpMailTransport(config.smtp, logger) : new FolderMailTransport(config.dataDir, logger);
}

/** Chooses the transport: a mail server if configured, otherwise a folder. */
@Module({
  providers: [{ provide: MailTransport, inject: [Config, Logger], useFactory: openTransport }],
  exports: [MailTransport],
})
export class MailTransportModule {}
