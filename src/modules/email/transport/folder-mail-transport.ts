import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { closedFile, closeToOthers, makePrivateFolder } from '../../../common/disk/private-files.js';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import type { Logger } from '../../../common/logging/logger.js';
import { MailNotTaken, MailTransport, type OutgoingMail, type Refusal } from './mail-transport.js';

/** Stores mails as .eml files, readable by every mail program. Writes each file atomically; a retry replaces it. */
export class FolderMailTransport extends MailTransport implements OnApplicationBootstrap {
  private composer: Transporter | undefined;
  private readonly folder: string;
  private readonly space: DiskSpace;

  constructor(
    dataDir: string,
    private readonly logger: Logger,
  ) {
    super();
    this.folder = join(dataDir, 'mail');
    this.space = new DiskSpace(this.folder);
  }

  async onApplicationBootstrap(): Promise<void> {
    await closeToOthers(this.folder);
    this.logger.warn({ folder: this.folder }, 'SMTP_URL is not set: mails are stored as .eml files instead of sent');
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<Refusal[]> {
    const file = join(this.folder, `${mail.id}.eml`);
    const unfinished = `${file}.${process.pid}.tmp`;
    try {
      await makePrivateFolder(this.folder);
      if (!(await this.space.claim(0))) throw new Error('the disk of DATA_DIR is full');
      const { mailOptions, openTransporter } = await import('./mail-options.js');
      this.composer ??= openTransporter({ streamTransport: true, newline: 'windows' });
      const { message } = await this.composer.sendMail(mailOptions(mail));
      const stream = createWriteStream(unfinished, { mode: 0o600, flush: true });
      await pipeline(message, stream, { signal }).finally(() => closedFile(stream));
      await rename(unfinished, file);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw new MailNotTaken('the email could not be stored as a file', 'temporary', error);
    }
    this.logger.info(
      { emailId: mail.id, file, recipients: mail.recipients.length },
      'a mail was stored as a file instead of sent',
    );
    return [];
  }

  close(): void {
    this.composer?.close();
  }
}
