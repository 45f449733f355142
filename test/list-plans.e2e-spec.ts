import { entryStatement, firstStepStatement, isExact, rowsStatement } from '../src/common/database/sql/index-walks.js';
import type { TenantReader } from '../src/common/database/tenant-database.js';
// Past the API: statements whose plans are examined.
import { tenantsList } from '../src/modules/admin/tenant-search.queries.js';
import { EmailMessagesOrder, EmailStatus } from '../src/modules/email/models/email.model.js';
import { emailsList } from '../src/modules/email/messages/email-messages.queries.js';
import { SuppressionReason } from '../src/modules/email/models/suppression.model.js';
import { suppressionsList } from '../src/modules/email/suppressions/suppressions.queries.js';
import { templatesList } from '../src/modules/document-rendering/templates/template-lists.queries.js';
import { TemplatesOrder } from '../src/modules/document-rendering/models/template.model.js';
import { ORDER_PARTS } from '../src/modules/file-management/files/file-orders.queries.js';
import { filesList } from '../src/modules/file-management/files/files-page.queries.js';
import { FilesOrder, FileStatus } from '../src/modules/file-management/models/file.model.js';
import { allRowsOf } from './support/behind-the-api.js';
import { TestServer } from './support/server.js';
import { dialect, explained } from './support/plans.js';

declare const databaseKind: 'sqlite' | 'postgresql';
const isPostgres = databaseKind === 'postgresql';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

/** Every set of two filters, and all of them. */
function setsOf<T extends object>(filters: T): Partial<T>[] {
  const all = Object.entries(filters);
  const pairs = all.flatMap((one, at) => all.slice(at).map((other) => Object.fromEntries([one, other]) as Partial<T>));
  return [{}, ...pairs, filters];
}

const times = { from: new Date('2024-01-01'), to: new Date('2024-02-01') };
const cursor = '018d5e00-0000-7000-8000-000000000000';
/** Lists whose sizes are read first. */
const READ_BY_SIZE = ['emails', 'templates'];
const NO_TEMPLATES_FILTER = { ids: undefined, name: undefined, active: undefined, partId: undefined };
const lists = {
  files: [
    { externalReference: 'a' },
    { externalReference: 'a', status: FileStatus.done },
    ...setsOf({ namePrefix: 'a', below: cursor, gte: cursor, in: [cursor, cursor], status: FileStatus.done }),
    ...setsOf({ status: FileStatus.expired, namePrefix: 'a', contains: 'äöü', folder: 'a/' }),
    ...setsOf({ folder: 'a/', namePrefix: 'a', below: cursor, in: [cursor, cursor], status: FileStatus.done }),
    { folder: '' },
    ...[[], [cursor, cursor]].flatMap((overdue) =>
      setsOf({ folder: 'a/', namePrefix: 'a' }).map((query) => ({ ...query, status: FileStatus.expired, overdue })),
    ),
    ...setsOf({ folder: 'a/', namePrefix: 'a', status: FileStatus.done, contains: 'abc' }).map((query) => ({
      ...query,
      order: FilesOrder.OLDEST,
    })),
  ].map((query) => filesList(dialect, { tenantId: 't', after: undefined, ...query })),
  'files in other orders': Object.values(FilesOrder)
    .slice(2)
    .flatMap((order) =>
      [
        {},
        { folder: 'a/' },
        { namePrefix: 'a' },
        { folder: '', status: FileStatus.done, in: [cursor] },
        { contains: 'abc', below: cursor },
      ]
        .map((query) => ({ tenantId: 't', after: undefined, order, ...query }))
        .flatMap((query) => ORDER_PARTS[order].map((part) => filesList(dialect, query, part))),
    ),
  emails: setsOf({
    to: 'a@example.com',
    status: EmailStatus.FAILED,
    createdAt: times,
    id: cursor,
    tag: { name: 'a', value: 'b' },
    scheduled: true,
    contains: 'abc',
  }).flatMap((wanted) => Object.values(EmailMessagesOrder).map((order) => emailsList(dialect, { tenantId: 't', wanted, order }))),
  suppressions: setsOf({ address: 'a@example.com', reason: SuppressionReason.HARD_BOUNCE, list: 'news' }).map((wanted) =>
    suppressionsList(dialect, { tenantId: 't', wanted }),
  ),
  templates: Object.values(TemplatesOrder).flatMap((order) =>
    setsOf({ ids: [cursor, cursor], name: 'a', active: true }).flatMap((given) =>
      [undefined, { tenantId: 'p' } as TenantReader].map((parent) =>
        templatesList(dialect, { tenantId: 't', parent, after: undefined, ...NO_TEMPLATES_FILTER, ...given, order }),
      ),
    ),
  ),
  tenants: [tenantsList(dialect, { contains: 'abc', name: null }), tenantsList(dialect, { contains: 'abc', name: 'a' })],
};

it.each(Object.entries(lists))(
  'a page of %s walks an index in its order, for every filter and every pair of them',
  async (name, all) => {
    const database = allRowsOf('no API shows the plan of a statement', server);
    for (const list of all) {
      for (const walk of list.parts.flat()) {
        const keyed = `${cursor}1`;
        for (const range of [{}, { after: keyed }, { after: keyed, downTo: keyed }]) {
          const rows = ['rows', 'sizes'] as const;
          const statements = rows.map((wanted) => rowsStatement(list, walk, range, 101, wanted));
          if (!READ_BY_SIZE.includes(name) && !isExact(walk)) statements.push(firstStepStatement(list, walk, range, 101));
          for (const statement of [...statements, entryStatement(list, walk, range)]) {
            const { text, plan } = await explained(database, statement);
            const shown = `${text}\n${plan}`;
            expect(shown).not.toContain('hashed SubPlan');
            // PostgreSQL reads tables that are nearly empty as it likes.
            if (!isPostgres) expect(shown).not.toMatch(/SCAN [a-z]\b|TEMP B-TREE/);
          }
        }
      }
    }
  },
);
