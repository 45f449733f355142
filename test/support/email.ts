import { OutboxJob } from '../../src/modules/email/outbox/outbox.job.js';
import { allRowsOf } from './behind-the-api.js';
import type { Api } from './api.js';
import { type Settings, TestServer } from './server.js';
import { MailServer } from './smtp.js';

export const SEND = 'mutation($input:SendMessageInput!){sendMessage(input:$input){id}}';
const PERSON = '{address name}';
const RECIPIENT = '{address name kind status attempts lastError}';
const MESSAGE = `id from${PERSON} to${PERSON} cc${PERSON} bcc${PERSON} recipients${RECIPIENT} subject status attempts lastError createdAt sentAt`;
const PAGE = `query($filter:EmailMessagesFilter,$nextToken:String,$limit:Int){messages(filter:$filter,nextToken:$nextToken,limit:$limit){items{${MESSAGE}} nextToken}}`;
export const FROM = 'no-reply@sender.example';

let made = 0;
/** An address that no other test uses. */
export const someone = (): string => `p${made++}@example.com`;

/** The email service with its mail server. */
export class Email {
  private constructor(
    readonly server: TestServer,
    readonly mail: MailServer,
    readonly api: Api,
  ) {}

  static async start(settings: Settings = {}): Promise<Email> {
    const mail = await MailServer.start();
    const server = await TestServer.start({ SMTP_URL: mail.url, EMAIL_FROM: `Sender <${FROM}>`, ...settings });
    return new Email(server, mail, await server.api('email'));
  }

  /** Returns the same service for a new tenant. */
  async another(): Promise<Email> {
    return new Email(this.server, this.mail, await this.server.api('email'));
  }

  send = async (input: object): Promise<string> =>
    (await this.api.ask(SEND, { input: { subject: 's', textBody: 't', ...input } })).sendMessage.id;
  refused = (input: object) =>
    this.api.refusal(SEND, { input: { to: { address: someone() }, subject: 's', textBody: 't', ...input } });
  page = async (filter?: object, nextToken?: string | null, limit?: number) =>
    (await this.api.ask(PAGE, { filter, nextToken, limit })).messages;
  find = async (id: string) => (await this.page({ id })).items[0];

  /** Waits until a message meets an expectation, and returns it. */
  async until(id: string, is: (message: any) => boolean): Promise<any> {
    for (;;) {
      const message = await this.find(id);
      if (is(message)) return message;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  finished = (id: string) => this.until(id, ({ status }) => status !== 'QUEUED');
  /** Waits until this many attempts were made and the outcome of the last is stored. */
  tried = (id: string, attempts = 1) =>
    this.until(id, (message) => message.status !== 'QUEUED' || (message.attempts === attempts && message.lastError !== null));

  /** Ends the pauses of all queued messages; this server or another node polls them at once. */
  async passTime(change: { giveUpAt?: Date } = {}, server = this.server): Promise<void> {
    const database = allRowsOf('only time makes a mail due', server);
    await database.email.updateMany({ where: { status: 'QUEUED' }, data: { dueAt: new Date(), ...change } });
    server.app.get(OutboxJob, { strict: false })['pollFound']();
  }

  /** A file of the same tenant, with content. */
  async file(content: string | Buffer, input: object = {}): Promise<string> {
    const files = await this.server.api('file-management', this.api.key);
    const { createFile } = await files.ask('mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}', { input });
    const { status } = await fetch(createFile.uploadUrl, { method: 'PUT', body: Buffer.from(content) as never });
    if (status !== 200) throw new Error(`upload: ${status}`);
    return createFile.id;
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.mail.stop();
  }
}
