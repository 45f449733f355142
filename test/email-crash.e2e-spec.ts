// @nightly: a node is killed again and again
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Api } from './support/api.js';
import { FROM, SEND, someone } from './support/email.js';
import { Deployment, type ServerProcess } from './support/process.js';
import { MailServer } from './support/smtp.js';

const KILLER = fileURLToPath(new URL('./support/kill-at.mjs', import.meta.url));
/** One write of each transaction, and the answer. A crash elsewhere in a transaction leaves the same state. */
const TABLES = 'Email';

/** One database and mail server live through all kills: the node that starts after a kill is killed next. */
describe('a node killed with SIGKILL while it accepts and sends a mail', () => {
  let deployment: Deployment;
  let mail: MailServer;
  let server: ServerProcess;
  let api: Api;
  let plan: string;
  let key: string | undefined;
  const accepted = new Map<string, string>();

  const start = async () => {
    rmSync(plan, { force: true });
    // Ends the leases of the dead node.
    if (key)
      await deployment.query(
        'only time ends the leases of the dead node',
        `UPDATE "Email" SET "dueAt" = "createdAt" WHERE "status" = 'QUEUED'`,
      );
    server = deployment.start({ KILL_PLAN: plan, KILL_TABLES: TABLES, NODE_OPTIONS: `--import ${KILLER}` });
    const address = await server.ready();
    key ??= (await server.until(/psk_\w+(?=\n)/))!;
    api = new Api(address, 'email', key);
  };
  beforeAll(async () => {
    mail = await MailServer.start();
    deployment = await Deployment.create({ PORT: '0', SMTP_URL: mail.url, EMAIL_FROM: FROM });
    plan = join(deployment.dataDir, 'kill-plan');
    await start();
  });
  afterAll(async () => {
    await deployment.remove();
    await mail.stop();
  });

  const file = async () => {
    const files = new Api(api.address, 'file-management', key);
    const { createFile } = await files.ask('mutation{createFile{id uploadUrl}}');
    await fetch(createFile.uploadUrl, { method: 'PUT', body: Buffer.from('attached') });
    return createFile.id as string;
  };

  /** Sends a mail through a server that is killed at its nth step. */
  const killedAt = async (step: number, to: string) => {
    const input = { to: { address: to }, subject: 's', textBody: 't', attachments: { name: 'a', fileId: await file() } };
    writeFileSync(plan, `${step} before\n`);
    await Promise.race([api.ask(SEND, { input }).catch(() => undefined), server.exited]);
    expect(await server.exited).toBe('SIGKILL');
  };

  // The steps: stored in the outbox; answered and claimed, in either order; stored as sent.
  it.each([1, 2, 3, 4])('before step %i of accepting and sending has the whole mail or none', async (step) => {
    const to = someone();
    await killedAt(step, to);
    expect(readFileSync(plan, 'utf8').trimEnd().split('\n')).toHaveLength(1 + step);
    await start();
    const { items } = (await api.ask(`{messages(filter:{to:"${to}"}){items{id}}}`)).messages;
    expect(items).toHaveLength(step === 1 ? 0 : 1);
    if (step > 1) accepted.set(to, items[0].id);
  });

  it('while the mail server reads the mail sends it after a restart', async () => {
    const to = someone();
    mail.treatments.set(to, { slowMs: 10_000 });
    accepted.set(to, (await api.ask(SEND, { input: { to: { address: to }, textBody: 't', subject: 's' } })).sendMessage.id);
    await mail.receives(to);
    await server.stop('SIGKILL');
    mail.treatments.delete(to);
    await start();
  });

  it('has sent every accepted mail in the end, each under one Message-ID, and retains no content', async () => {
    expect(accepted.size).toBe(4);
    for (const [to, id] of accepted) {
      const mails = await mail.to(to);
      expect(new Set(mails.map(({ parsed }) => parsed.messageId))).toEqual(new Set([`<${id}@sender.example>`]));
    }
    const unsent = async () => (await api.ask('{messages(filter:{status:QUEUED}){items{id}}}')).messages.items;
    while ((await unsent()).length > 0) await pause();
    expect((await api.ask('{messages(filter:{status:FAILED}){items{id}}}')).messages.items).toEqual([]);
    expect(await deployment.query('no API shows what a mail holds', 'SELECT * FROM "BlobPin"')).toEqual([]);
    expect(await deployment.query('no API shows what a mail holds', 'SELECT * FROM "EmailAttachment"')).toEqual([]);
    expect(await server.stop()).toBe(0);
  });
});

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
