import { randomBytes } from 'node:crypto';
import { Api } from './api.js';
import { CREATE as CREATE_LOG, input as logInput } from './document-log.js';
import { SEND } from './email.js';
import { CREATE as CREATE_TEMPLATE } from './rendering.js';
import { Client, PUSH, REGISTER, until } from './websockets.js';

const VERIFY = 'query($checkpoint:String){verifyLogs(checkpoint:$checkpoint){valid reason unsealedRecords}}';
const PARTS = [randomBytes(5 * 1024 * 1024), randomBytes(1000)];

/** A tenant with data in every service that can check whether all of it exists. */
export class Possessions {
  private whole = '';
  private inParts = '';
  private late = '';
  /** Files created and not deleted while the backup ran. */
  private readonly made: string[] = [];
  /** Checkpoints from before and from after the backup. */
  private readonly checkpoints = { before: '', after: '' };

  constructor(
    private readonly address: string,
    private readonly key: string,
  ) {}

  /** Returns the same tenant at another server. */
  at(address: string): Possessions {
    return Object.assign(new Possessions(address, this.key), { ...this, address });
  }

  ask(service: ConstructorParameters<typeof Api>[1], query: string, variables: Record<string, unknown> = {}) {
    return new Api(this.address, service, this.key).ask(query, variables);
  }

  /** Returns the id of a mail whose attachment was deleted since. */
  async acquire(): Promise<string> {
    this.whole = await this.file('whole');
    const attached = await this.file('attached, and then deleted');
    this.inParts = await this.fileInParts();
    const template = { name: 'bill', type: 'email', contentType: 'plain', subject: 's', body: 'Hello {{ name }}' };
    await this.ask('document-rendering', CREATE_TEMPLATE, { input: template });
    const mail = {
      to: { address: 'a@example.com' },
      subject: 'kept',
      textBody: 't',
      attachments: { name: 'a', fileId: attached },
    };
    const { sendMessage } = await this.ask('email', SEND, { input: mail });
    await this.ask('file-management', `mutation{deleteFile(id:"${attached}"){id}}`);
    const waiting = { recipients: ['ann'], message: 'waits', expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
    await this.ask('websockets-manager', PUSH, { input: waiting });
    await this.ask('document-log', CREATE_LOG, { input: logInput() });
    this.checkpoints.before = await this.checkpoint();
    return sendMessage.id;
  }

  /** Creates and deletes files while the work runs. */
  async changeDuring<T>(work: () => Promise<T>): Promise<T> {
    const writes = { on: true };
    const writing = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let n = 0; writes.on; n++) {
          const id = await this.file(`made ${n}`);
          if (n % 2 === 0) await this.ask('file-management', `mutation{deleteFile(id:"${id}"){id}}`);
          else this.made.push(id);
          await this.ask('document-log', CREATE_LOG, { input: logInput() });
        }
      }),
    );
    const result = await work().finally(() => (writes.on = false));
    await writing;
    return result;
  }

  /** Adds data that no backup can have. */
  async addLate(): Promise<void> {
    this.late = await this.file('late');
    await this.ask('document-log', CREATE_LOG, { input: logInput() });
    this.checkpoints.after = await this.checkpoint();
  }

  async expectRestored(): Promise<void> {
    expect(await this.content(this.whole)).toEqual(Buffer.from('whole'));
    expect((await this.content(this.inParts))?.equals(Buffer.concat(PARTS))).toBe(true);
    expect(await this.content(this.late)).toBeUndefined();
    for (const id of this.made) expect(String((await this.content(id)) ?? 'made later')).toMatch(/^made/);
    const rendering = { templateName: 'bill', params: '{"name":"Ann"}' };
    const rendered = 'query($input:RenderingInput!){render(input:$input){body}}';
    expect((await this.ask('document-rendering', rendered, { input: rendering })).render.body).toBe('Hello Ann');
    const { registerRecipient } = await this.ask('websockets-manager', REGISTER, { input: { recipient: 'ann' } });
    const ann = await Client.open(registerRecipient.connectionUri);
    await until(() => ann.texts.includes('waits'));
    ann.socket.terminate();
    const verify = async (checkpoint: string) => (await this.ask('document-log', VERIFY, { checkpoint })).verifyLogs;
    expect(await verify(this.checkpoints.before)).toMatchObject({ valid: true });
    expect(await verify(this.checkpoints.after)).toMatchObject({
      valid: false,
      reason: expect.stringMatching(/^Block \d+ (of the checkpoint was removed|does not match the checkpoint)/),
    });
  }

  async file(content: string, more: object = {}): Promise<string> {
    const query = 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}';
    const { createFile } = await this.ask('file-management', query, { input: more });
    expect((await fetch(createFile.uploadUrl, { method: 'PUT', body: Buffer.from(content) })).status).toBe(200);
    return createFile.id;
  }

  async content(id: string): Promise<Buffer | undefined> {
    const { file } = await this.ask('file-management', `{file(ID:"${id}"){status downloadUrl}}`);
    if (file?.status !== 'done') return undefined;
    const response = await fetch(file.downloadUrl);
    return response.status === 200 ? Buffer.from(await response.arrayBuffer()) : undefined;
  }

  private async fileInParts(): Promise<string> {
    const { createFile } = await this.ask('file-management', 'mutation{createFile{id}}');
    const begin = `mutation{initiateMultipartUpload(input:{fileId:"${createFile.id}"}){uploadId fileId}}`;
    const { initiateMultipartUpload: upload } = await this.ask('file-management', begin);
    const etags = [];
    for (const [index, body] of PARTS.entries()) {
      const input = { ...upload, partNumber: index + 1 };
      const query = 'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}';
      const { generatePartUploadUrl } = await this.ask('file-management', query, { input });
      const { headers } = await fetch(generatePartUploadUrl, { method: 'PUT', body });
      etags.push({ partNumber: index + 1, ETag: headers.get('etag') });
    }
    const complete = 'mutation($input:completeMultipartUploadInput!){completeMultipartUpload(input:$input){status}}';
    await this.ask('file-management', complete, { input: { ...upload, etags } });
    return createFile.id;
  }

  /** Returns a checkpoint of everything written so far. */
  private async checkpoint(): Promise<string> {
    await until(async () => (await this.ask('document-log', VERIFY)).verifyLogs.unsealedRecords === 0);
    return (await this.ask('document-log', '{latestSeal}')).latestSeal;
  }
}
