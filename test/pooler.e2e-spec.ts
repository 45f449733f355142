// @only postgresql: poolers are in front of a server
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import type { AllTenants } from '../src/common/database/database.js';
import { long } from '../src/common/database/sql/sql.js';
import { sql } from '../src/common/database/sql/sql.js';
import { isDatabaseUnavailable } from '../src/common/base/database-faults.js';
import { visit } from './nodes/journey.mjs';
import { Api } from './support/api.js';
import { connectDatabase } from './support/behind-the-api.js';
import { CREATE, input } from './support/document-log.js';
import { describeBehindPgBouncer, PgBouncer } from './support/pgbouncer.js';
import { Deployment, type ServerProcess } from './support/process.js';
import { MailServer } from './support/smtp.js';
import { PUSH, until } from './support/websockets.js';

const SESSIONS = 5;
const WRITES = 60;
const CREATE_FILE = 'mutation($input:CreateFileInput){createFile(input:$input){id}}';
const VERIFY = '{verifyLogs{valid checkedRecords unsealedRecords}}';

describeBehindPgBouncer('two nodes on a PostgreSQL behind PgBouncer, which gives each transaction another session', () => {
  let pooler: PgBouncer;
  let mail: MailServer;
  let deployment: Deployment;
  let nodes: ServerProcess[];
  let addresses: string[];
  /** The address of the database without the pooler. */
  let direct: string;
  const keyOf = (tenant: string) => deployment.keys('create', '--tenant', tenant, '--scope', ALL_SCOPES);
  const sealed = async (logs: Api, records: number) => {
    const found = await until(async () => {
      const { verifyLogs } = await logs.ask(VERIFY);
      return verifyLogs.unsealedRecords === 0 && verifyLogs.checkedRecords >= records ? verifyLogs : undefined;
    });
    expect(found).toEqual({ valid: true, checkedRecords: records, unsealedRecords: 0 });
  };

  beforeAll(async () => {
    [pooler, mail] = await Promise.all([PgBouncer.start(SESSIONS), MailServer.start()]);
    deployment = await Deployment.create({ PORT: '0', SMTP_URL: mail.url, EMAIL_FROM: 'app@example.com' });
    direct = deployment.settings.DATABASE_URL!;
    deployment.settings.DATABASE_URL = pooler.before(direct);
    // Both find an empty database.
    nodes = [deployment.start(), deployment.start()];
    addresses = await Promise.all(nodes.map((node) => node.ready()));
  });
  afterAll(async () => {
    deployment.settings.DATABASE_URL = direct;
    await deployment.remove();
    await Promise.all([pooler.stop(), mail.stop()]);
  });

  it('serve one journey over all services', async () => {
    await visit(addresses[0]!, await keyOf('journey'), () => mail.mails.map(({ raw }) => raw));
  });

  it('neither lose nor duplicate what is written through both concurrently, and seal it all', async () => {
    const key = await keyOf('many');
    const api = (service: Api['service'], index: number) => new Api(addresses[index % 2]!, service, key);
    const writes = Array.from({ length: WRITES }, async (_, index) => {
      const message = { recipients: [`r${index}`], message: 'm', expiresAt: '2100-01-01' };
      await Promise.all([
        api('document-log', index).ask(CREATE, { input: input({ documentId: `d${index}` }) }),
        api('file-management', index).ask(CREATE_FILE, { input: { name: `f${index}` } }),
        api('websockets-manager', index).ask(PUSH, { input: message }),
      ]);
    });
    await Promise.all(writes);
    const { logs } = await api('document-log', 0).ask('{logs{items{documentId}}}');
    expect(new Set(logs.items.map(({ documentId }: { documentId: string }) => documentId)).size).toBe(WRITES);
    expect(logs.items).toHaveLength(WRITES);
    expect((await api('file-management', 1).ask('{storageUsed{fileCount}}')).storageUsed).toEqual({ fileCount: WRITES });
    expect((await api('websockets-manager', 0).ask('{messages{items{id}}}')).messages.items).toHaveLength(WRITES);
    await sealed(api('document-log', 1), WRITES);
  });

  it('continue the work of a killed node', async () => {
    const logs = new Api(addresses[1]!, 'document-log', await keyOf('after'));
    await nodes[0]!.stop('SIGKILL');
    deployment.settings.DATABASE_URL = direct;
    await deployment.releaseLeases();
    await logs.ask(CREATE, { input: input() });
    await sealed(logs, 1);
  });

  describe('have connections that', () => {
    let database: AllTenants;
    beforeAll(async () => {
      database = await connectDatabase('the connections of the client are the subject', pooler.before(direct), 20);
    });
    afterAll(() => database.$disconnect());

    it('end a statement after 6 s on the server too, except for a long one', async () => {
      const tooLong = database.$cells(sql`SELECT pg_sleep(30)::text`).catch((error: unknown) => error);
      const longer = database.$cells(long(sql`SELECT pg_sleep(7)::text, 'long'`));
      expect(isDatabaseUnavailable(await tooLong)).toBe(true);
      const left = sql`SELECT query FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()`;
      await until(async () => (await database.$cells(left)).length === 0, 15_000);
      expect((await longer)[0]![1]).toBe('long');
    });

    it('leave nothing in any session', async () => {
      const look = sql`SELECT pg_backend_pid(), current_setting('statement_timeout'), current_setting('lock_timeout'),
        (SELECT count(*)::int FROM pg_prepared_statements), pg_sleep(0.2)::text`;
      const seen = await Promise.all(Array.from({ length: 4 * SESSIONS }, () => database.$cells(look)));
      expect(new Set(seen.map(([row]) => row![0])).size).toBeGreaterThan(1);
      expect(new Set(seen.map(([row]) => row!.slice(1, 4).join()))).toEqual(new Set(['0,0,0']));
    });
  });
});
