// @nightly: a tenant with everything, and a node that is killed
import { ALL_SCOPES, type Service } from '../src/common/auth/scopes.js';
import { Api } from './support/api.js';
import { Deployment, type ServerProcess } from './support/process.js';
import { tenantTables } from './support/tenant-tables.js';
import { Client, Push, until } from './support/websockets.js';

const TABLES = tenantTables();
const BATCHES = 2;
const RECORDS = 2_000;

/** A tenant with rows in every table that has a tenantId, and with blobs. */
interface Owner {
  id: string;
  key: string;
  name: string;
  connectionUri: string;
  downloadUrl: string;
}

describe('the deletion of a tenant', () => {
  let deployment: Deployment;
  let server: ServerProcess;
  let address: string;
  let adminKey: string;
  let admin: Api;
  beforeAll(async () => {
    // Nothing listens on the port of the mail server, so mails keep waiting.
    const mail = { SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM: 'a@sender.example' };
    deployment = await Deployment.create({ TENANT_DELETION_QUIET_SECONDS: '10', ...mail });
    adminKey = await deployment.keys('create', '--tenant', 'platform-admin', '--scope', 'admin-api:query:* admin-api:mutation:*');
    await start();
  });
  afterAll(() => deployment.remove());

  const start = async () => {
    server = deployment.start({ PORT: '0' });
    address = await server.ready();
    admin = new Api(address, 'admin', adminKey);
  };
  const stateOf = async (id: string) => (await admin.ask(`{tenant(id:"${id}"){state remaining{kind count}}}`)).tenant;
  const countsOf = async (id: string): Promise<Record<string, number>> => {
    const counts = TABLES.map(
      (table) => `SELECT '${table}' AS "name", count(*) AS "count" FROM "${table}" WHERE "tenantId" = '${id}'`,
    );
    const rows = (await deployment.query('no API counts the rows of a deleted tenant', counts.join(' UNION ALL '))) as {
      name: string;
      count: number | string;
    }[];
    return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
  };
  const total = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);

  const own = async (name: string, batches: number): Promise<Owner> => {
    const { id } = (await admin.ask(`mutation{createTenant(input:{name:"${name}"}){id}}`)).createTenant;
    const CREATE = 'mutation($input:CreateKeyInput!){createKey(input:$input){secret}}';
    const { secret: key } = (await admin.ask(CREATE, { input: { tenantId: id, scope: ALL_SCOPES.split(' ') } })).createKey;
    const of = (service: Service) => new Api(address, service, key);
    const files = of('file-management');
    const { createFile } = await files.ask('mutation{createFile(input:{name:"a.txt"}){id uploadUrl(expiresIn:600)}}');
    await fetch(createFile.uploadUrl, { method: 'PUT', body: 'content' });
    const { downloadUrl } = (await files.ask(`{file(ID:"${createFile.id}"){downloadUrl}}`)).file;
    const { uploadId } = (await files.ask(`mutation{initiateMultipartUpload(input:{fileId:"${createFile.id}"}){uploadId}}`)).initiateMultipartUpload; // prettier-ignore
    const part = `input:{fileId:"${createFile.id}",uploadId:"${uploadId}",partNumber:1}`;
    await fetch((await files.ask(`mutation{generatePartUploadUrl(${part})}`)).generatePartUploadUrl, {
      method: 'PUT',
      body: 'part',
    });
    const rendering = of('document-rendering');
    await rendering.ask('mutation{createWebhook(input:{url:"poll:",events:[STYLESHEET_CREATED]}){secret}}');
    const { createCss } = await rendering.ask('mutation{createCss(input:{name:"c",text:"p{}"}){id}}');
    await rendering.ask('mutation{createPartial(input:{name:"p",contentType:html,body:"p"}){id}}');
    const template = `name:"t",type:email,contentType:html,subject:"s",body:"{% include 'p' %}",parentCssId:"${createCss.id}"`;
    const { createTemplate } = await rendering.ask(`mutation{createTemplate(input:{${template}}){id}}`);
    await rendering.ask(
      `mutation{putTemplateTranslation(templateId:"${createTemplate.id}",locale:"de",input:{body:"de"}){locale}}`,
    );
    const push = new Push(of('websockets-manager'));
    await push.api.ask(
      'mutation{pushMessage(input:{recipients:["ann"],message:"m",expiresAt:"2099-01-01",idempotencyKey:"k"}){item{id}}}',
    );
    await push.api.ask('mutation{pushGlobalMessage(input:{message:"g",expiresAt:"2099-01-01"}){id}}');
    await push.api.ask('mutation{disconnectRecipient(recipient:"ben")}');
    await push.api.ask('mutation{changeTopics(recipient:"ann",add:["t"]){id}}');
    await push.api.ask('mutation{denyAccess(input:{recipient:"ben"}){deniedAt}}');
    const { connectionUri } = await push.register('ann', {});
    const log = of('document-log');
    const record = { documentId: 'd', documentType: 't', dateTime: '2026-01-01' };
    const { itemId } = (await log.ask('mutation($input:CreateLogInput!){createLog(input:$input){itemId}}', { input: record }))
      .createLog;
    const { updateLog } = await log.ask(`mutation{updateLog(input:{id:"${itemId}",comment:"c"}){edits{id}}}`);
    await log.ask('mutation{createLogStream(input:{name:"s",destination:{https:{url:"https://siem.example/"}}}){id}}');
    const input = Array.from({ length: RECORDS }, () => record);
    for (let batch = 0; batch < batches; batch++) {
      await log.ask('mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{error{message}}}}', { input });
    }
    const email = of('email');
    const mail = {
      to: { address: 'ann@example.com' },
      subject: 's',
      textBody: 't',
      attachments: [{ fileId: createFile.id, name: 'a.txt' }],
      inlineAttachments: [{ name: 'b.txt', contentType: 'text/plain', content: 'Yg==' }],
      tags: [{ name: 'n', value: 'v' }],
    };
    await email.ask('mutation($input:SendMessageInput!){sendMessage(input:$input){id}}', { input: mail });
    await email.ask('mutation{createSuppressions(input:{address:"ben@example.com"}){error{code}}}');
    await email.ask(`mutation{verifyEmailIdentity(address:"${name}@example.com"){address}}`);
    await email.ask(`mutation{createEmailDomain(domain:"${name}.example"){domain}}`);
    await admin.ask(`mutation{erasePerson(input:{tenantId:"${id}",authorId:"nobody"}){id}}`);
    await until(async () => (await log.ask('{verifyLogs{unsealedRecords}}')).verifyLogs.unsealedRecords === 0);
    await until(async () => (await log.ask(`{logProof(id:"${updateLog.edits[0].id}"){block}}`)).logProof); // edits do not count as records
    // The server itself takes one when the next hour begins; after this it takes none, since nothing changed.
    const [columns, sums] = ['"tenantId", "at", "fileSize", "fileCount", "sweepAt"', 'sum("fileSize"), sum("fileCount")'];
    const time = '(SELECT min("dateTime") FROM "Log")';
    await deployment.query(
      'only time takes a sample of storage',
      `INSERT INTO "StorageSample" (${columns}) SELECT '${id}', ${time}, ${sums}, ${time} FROM "FileUsage" WHERE "tenantId" = '${id}'`,
    );
    await deployment.query(
      'the deletion of a folder ends in seconds, but for one of the future',
      `INSERT INTO "FolderDeletion" ("tenantId", "folderHash", "folder", "askedAt") SELECT '${id}', 'h', 'a/', "expiresAt" FROM "GlobalMessage" WHERE "tenantId" = '${id}'`,
    );
    return { id, key, name, connectionUri, downloadUrl };
  };

  it('removes everything it has in every table and the store, although the node is killed meanwhile, and nothing of another tenant', async () => {
    const [gone, other] = [await own('gone', BATCHES), await own('other', 0)];
    const [before, ofOther] = [await countsOf(gone.id), await countsOf(other.id)];
    // A table that the deletion does not know, or this test does not fill, fails here.
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
    expect(before.Log).toBe(BATCHES * RECORDS + 1);

    const DELETE = 'mutation($id:ID!,$name:String!){deleteTenant(id:$id,name:$name){state remaining{kind count}}}';
    expect(await admin.refusal(DELETE, { id: gone.id, name: 'other' })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'name' });
    const { deleteTenant } = await admin.ask(DELETE, { id: gone.id, name: 'gone' });
    expect(deleteTenant.state).toBe('DELETING');
    expect((await admin.ask(DELETE, { id: gone.id, name: 'gone' })).deleteTenant.state).toBe('DELETING');
    await until(async () => total(await countsOf(gone.id)) < total(before) - 3);
    await server.stop('SIGKILL');
    await deployment.releaseLeases();
    const left = await countsOf(gone.id);
    expect(
      await deployment.query('no API shows the rows of a deleted tenant', `SELECT "id" FROM "Tenant" WHERE "id" = '${gone.id}'`),
    ).toHaveLength(1);

    await start();
    const refusal = (await new Api(address, 'email', gone.key).send('{version}')).errors?.[0];
    expect(refusal === undefined ? 'admitted' : refusal.extensions.code).toMatch(/^(FORBIDDEN|UNAUTHENTICATED)$/);
    const CREATE = 'mutation{createTenant(input:{name:"gone"}){id}}';
    expect((await admin.refusal(CREATE)).code).toBe('CONFLICT');
    expect((await admin.refusal(`mutation{resumeTenant(id:"${gone.id}"){id}}`)).code).toBe('FAILED_PRECONDITION');
    await until(async () => (await stateOf(gone.id)) === null);

    expect(total(left)).toBeLessThan(total(before));
    expect(Object.entries(await countsOf(gone.id)).filter(([, count]) => count > 0)).toEqual([]);
    expect(
      await deployment.query(
        'no API shows the rows of a deleted tenant',
        `SELECT 1 FROM "EmailRecipient" WHERE "address" = 'gone@example.com'`,
      ),
    ).toEqual([]);
    expect(
      await deployment.query(
        'no API shows the rows of a deleted tenant',
        `SELECT 1 FROM "BlobPin" WHERE "blobKey" LIKE '${gone.id}/%'`,
      ),
    ).toEqual([]);
    expect(await deployment.command('files', 'reconcile', '--min-age', '0', '--dry-run')).toBe('');
    expect((await fetch(at(gone.downloadUrl))).status).toBe(404);
    expect((await new Api(address, 'email', gone.key).send('{version}')).status).toBe(401);
    // For up to 4 s a node still knows the tenant as one that is being deleted.
    await until(async () => (await (await Client.open(at(gone.connectionUri))).closed).code === 4401);

    expect(await countsOf(other.id)).toEqual(ofOther);
    expect(await (await fetch(at(other.downloadUrl))).text()).toBe('content');
    const verified = await new Api(address, 'document-log', other.key).ask('{verifyLogs{valid}}');
    expect(verified.verifyLogs.valid).toBe(true);
    expect((await admin.ask(CREATE)).createTenant.id).not.toBe(gone.id);
  });

  /** The same address at the port of the node that runs now. */
  const at = (url: string): string => Object.assign(new URL(url), { port: new URL(address).port }).href;

  it('is recorded with its author, like all other actions, including those on the command line', async () => {
    const { createTenant } = await admin.ask('mutation{createTenant(input:{name:"by command"}){id}}');
    await deployment.command('tenants', 'limits', 'by command', '--files', '7');
    await deployment.command('tenants', 'suspend', 'by command');
    expect(await deployment.command('tenants', 'list')).toMatch(/^by command\t.*\tSUSPENDED$/m);
    await deployment.command('tenants', 'resume', 'by command');
    const confirm = deployment.command('tenants', 'delete', 'by command', '--confirm', 'another');
    await expect(confirm).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('must be the name of the tenant') });
    await deployment.command('tenants', 'delete', 'by command', '--confirm', 'by command');
    const key = await deployment.keys('create', '--tenant', 'platform-admin', '--scope', 'document-log-api:query:*');
    const log = new Api(address, 'document-log', key);
    const { logs } = await log.ask(`{logs(filter:{documentId:"${createTenant.id}"}){items{action authorId}}}`);
    const actions = logs.items.map((one: { action: string; authorId: string }) => `${one.action} ${one.authorId}`);
    expect([...new Set<string>(actions)].filter((action) => !action.startsWith('createTenant')).sort()).toEqual(
      ['deleteTenant', 'resumeTenant', 'setTenantLimits', 'suspendTenant'].map((action) => `${action} command-line`),
    );
    const ends = await log.ask('{logs(filter:{authorId:"server"}){items{action attribute{id}}}}');
    expect(ends.logs.items).toContainEqual({ action: 'endTenantDeletion', attribute: { id: 'name' } });
    await until(async () => (await log.ask('{verifyLogs{unsealedRecords}}')).verifyLogs.unsealedRecords === 0);
    expect((await log.ask('{verifyLogs{valid}}')).verifyLogs.valid).toBe(true);
  });
});
