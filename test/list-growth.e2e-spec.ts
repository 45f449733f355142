import type { Service } from '../src/common/auth/scopes.js';
import { GrownTenant } from '../bench/support/grown-tenant.mjs';
import { listProbes } from '../bench/support/list-probes.mjs';
import { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { explainedText } from './support/plans.js';
import { TestServer } from './support/server.js';

declare const databaseKind: 'sqlite' | 'postgresql';
const isPostgres = databaseKind === 'postgresql';

/** Rows of each kind: more than a step of a search reads. */
const ROWS = 3_000;
const FULL_PAGE = 100;
/** Maximum rows that PostgreSQL reads for a page that is not full. */
const MOST_READ = 500;
const LISTED = /FROM "(Log|File|Message|GlobalMessage|Email|EmailRecipient|EmailTag)" AS [a-z]\b/;

/** Steps of SQLite that read all rows of a table or of a tenant. */
const READS_ALL = /^SCAN [a-zA-Z]$|^SCAN [a-zA-Z] USING.*|^SEARCH .*\(tenantId=\?\)$/gm;
/** Allowed exceptions, with the reason. */
const KNOWN: Record<string, RegExp> = {
  'the index has only the rows of the filter': /Email_(un)?scheduled_idx/,
  'copies of global messages have no index by recipient, which would write a page for each':
    /SEARCH g USING COVERING INDEX sqlite_autoindex_GlobalMessage_1/,
};
/** Filter of files that has no effect. */
const IGNORED = /files by active/;

interface Statement {
  text: string;
  values: unknown[];
}

let server: TestServer;
let key: string;
beforeAll(async () => {
  server = await TestServer.start();
  key = await server.createKey();
  await new GrownTenant(key).growTo(server.address, ROWS);
  if (isPostgres) await allRowsOf('statistics are collected only in time', server).$executeRawUnsafe('ANALYZE');
});
afterAll(() => server.stop());

interface Read {
  statements: Statement[];
  isFull: boolean;
}

/** Reads a list, and returns the statements for it. */
async function read(service: Service, query: string): Promise<Read> {
  const database = allRowsOf('no API shows the statements of a page', server) as any;
  const { $query } = database;
  const statements: Statement[] = [];
  database.$query = (compiled: Statement) => {
    if (LISTED.test(compiled.text)) statements.push(compiled);
    return $query.call(database, compiled);
  };
  try {
    const [page] = Object.values<any>(await new Api(server.address, service, key).ask(query));
    return { statements, isFull: (page.items ?? page).length >= FULL_PAGE };
  } finally {
    database.$query = $query;
  }
}

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Returns the most rows that one node of a plan reads from a table. */
function mostRead(node: PlanNode): number {
  const { 'Actual Rows': rows, 'Actual Loops': loops, 'Rows Removed by Filter': removed = 0, Plans: below = [] } = node;
  return Math.max(node['Relation Name'] ? (rows + removed) * loops : 0, ...below.map(mostRead));
}

/** Returns whether PostgreSQL reads many rows for a page that is not full. It reads few of a small table in any way. */
async function rowsRead({ text, values }: Statement): Promise<string[]> {
  const database = allRowsOf('no API shows the plan of a statement', server);
  const [row] = await database.$queryRawUnsafe<Record<string, any>[]>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, ...values);
  const rows = mostRead(row!['QUERY PLAN'][0].Plan);
  return rows > MOST_READ ? [`${rows} rows`] : [];
}

/** Returns the steps of SQLite that read all rows of a tenant. An index in the order of a list may be read from its start. */
async function wholeReads({ text }: Statement, by: string): Promise<string[]> {
  const plan = await explainedText(allRowsOf('no API shows the plan of a statement', server), text);
  if (by !== 'filter') return plan.match(/.*TEMP B-TREE.*/g) ?? [];
  return (plan.match(READS_ALL) ?? []).filter((step) => !Object.values(KNOWN).some((known) => known.test(step)));
}

it('a page of each list, by each filter or order, reads few entries of an index that it does not return', async () => {
  const probes = listProbes().filter(({ by, what }) => by !== 'search' && !IGNORED.test(what));
  expect(probes.length).toBeGreaterThan(100);
  const wrong: string[] = [];
  for (const { service, what, by, query } of probes) {
    const { statements, isFull } = await read(service, query);
    for (const statement of statements) {
      const found = isPostgres ? (isFull ? [] : await rowsRead(statement)) : await wholeReads(statement, by);
      if (found.length > 0) wrong.push(`${what}: ${found.join('; ')}\n${statement.text}`);
    }
  }
  expect(wrong).toEqual([]);
});
