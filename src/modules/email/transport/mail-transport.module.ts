import { Module } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Log } from '../../../common/logging/log.js';
import { FolderMailTransport } from './folder-mail-transport.js';
import { MailTransport } from './mail-transport.js';
import { SmtpMailTransport } from './smtp-mail-transport.js';

function openTransport(config: Config, log: Log): MailTransport {
  return config.smtp ? new SmtpMailTransport(config.smtp, log) : new FolderMailTransport(config.dataDir, log);
}

/** The one place that knows where mails go: to a mail server when it is configured, else into a folder. */
@Module({
  providers: [{ provide: MailTransport, inject: [Config, Log], useFactory: openTransport }],
  exports: [MailTransport],
})
export class MailTransportModule {}
