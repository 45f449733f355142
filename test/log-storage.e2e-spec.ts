import { randomUUID } from 'node:crypto';
// Past the API: statements whose plans are examined, and the lock that the sealer takes.
import { SEAL_LOCK } from '../src/modules/document-log/records/records.queries.js';
import { entryStatement, firstStepStatement, isExact, rowsStatement } from '../src/common/database/sql/index-walks.js';
import { cursorOf, logsList, type LogsQuery } from '../src/modules/document-log/logs/logs.queries.js';
import { allRowsOf, openPostgres } from './support/behind-the-api.js';
import { DocumentLog, input } from './support/document-log.js';
import { dialect, explained } from './support/plans.js';

declare const databaseKind: string;
const isPostgres = databaseKind === 'postgresql';

let log: DocumentLog;
beforeAll(async () => {
  log = await DocumentLog.start();
});
afterAll(() => log.stop());

describe('the plan of a page', () => {
  const FIELDS = {
    documentId: 'd7',
    documentType: 't1',
    authorId: 'u3',
    attributeId: 'a5',
    action: 'x2',
    custom1: 'c9',
    custom2: 'e4',
  };
  const TIMES = { from: new Date('2024-01-02'), to: new Date('2024-01-20') };
  type Field = keyof typeof FIELDS;
  const names = Object.keys(FIELDS) as Field[];
  const only = (...fields: Field[]) => Object.fromEntries(fields.map((field) => [field, FIELDS[field]]));
  const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other] as [Field, Field]));
  let tenantId: string;

  beforeAll(async () => {
    const own = await log.another();
    await own.createMany(
      Array.from({ length: 6_000 }, (_, i) => ({
        documentId: `d${i % 300}`, documentType: `t${i % 4}`, author: { id: `u${i % 50}` }, attribute: { id: `a${i % 20}` }, action: `x${i % 5}`,
        custom1: `c${i % 100}`, custom2: `e${i % 10}`, dateTime: new Date(Date.UTC(2024, 0, 1) + i * 300_000),
      })),
    ); // prettier-ignore
    const database = allRowsOf('no API makes the planner read its statistics', log.server);
    if (isPostgres) await database.$executeRawUnsafe('ANALYZE "Log"');
    tenantId = await log.server.tenantIdOf(own.api);
  });

  const planOf = async (statement: Parameters<typeof explained>[1]): Promise<string> =>
    (await explained(allRowsOf('no API shows the plan of a statement', log.server), statement)).plan;
  const listOf = (query: Partial<LogsQuery>) => logsList(dialect, { tenantId, wanted: {}, ...query });
  /** The plan of the first statement of a page. */
  const plan = async (query: Partial<LogsQuery>): Promise<string> => {
    const list = listOf(query);
    const [[walk]] = list.parts as [[any]];
    const range = { after: query.after };
    return planOf(isExact(walk) ? rowsStatement(list, walk, range, 101, 'rows') : firstStepStatement(list, walk, range, 101));
  };
  const id = '01a1fc71-ac8b-74ea-88bc-78167c5aaf33';
  const after = cursorOf({ dateTime: new Date('2024-01-10'), id });

  it('walks an index in its order, for every filter and pair of filters, from any cursor', async () => {
    const filters = [{}, ...names.map((name) => only(name)), ...pairs.map((pair) => only(...pair)), only(...names)];
    for (const filter of filters) {
      for (const query of [{ wanted: filter }, { wanted: { ...filter, ...TIMES } }, { wanted: { ...filter, ...TIMES }, after }]) {
        const text = `${JSON.stringify(query)}\n${await plan(query)}`;
        expect(text).toMatch(isPostgres ? /Index Scan Backward using "Log_tenantId_/ : /INDEX Log_tenantId_/);
        expect(text).not.toMatch(/Sort|TEMP B-TREE|Seq Scan/);
      }
    }
    expect(await plan({ wanted: { ...only(...names), id } })).toMatch(isPostgres ? /using "Log_id_key"/ : /INDEX Log_id_key/);
  });

  it('walks each index that can lead in its order, in steps of a bounded part of it', async () => {
    const downTo = cursorOf({ dateTime: new Date('2024-01-05'), id });
    for (const pair of pairs) {
      const list = listOf({ wanted: { ...only(...pair), ...TIMES } });
      for (const walk of list.parts.flat()) {
        for (const range of [{ after }, { after, downTo }]) {
          const step = await planOf(entryStatement(list, walk, range));
          const rows = await planOf(rowsStatement(list, walk, range, 101, 'rows'));
          for (const text of [step, rows]) expect(text).toMatch(isPostgres ? /"Log_tenantId_/ : /INDEX Log_tenantId_/);
          // PostgreSQL may sort rows that it expects to be fewer than a step.
          expect(step + rows).not.toMatch(isPostgres ? /Seq Scan/ : /TEMP B-TREE|SCAN m/);
        }
      }
    }
  });

  it('walks the index of the most selective filter', async () => {
    for (const [fields, index] of [
      [['documentId'], 'documentId_idx'],
      [['documentId', 'attributeId'], 'documentId_attributeId_idx'],
      [['documentId', 'authorId'], 'documentId_idx'],
      [['authorId', 'action'], 'authorId_idx'],
      [['documentType'], isPostgres ? '' : 'documentType_idx'],
    ] as [Field[], string][]) {
      expect(await plan({ wanted: only(...fields), after })).toContain(`Log_tenantId_${index}`);
    }
  });
});

describe('a write to the log', () => {
  if (isPostgres) {
    it('waits for the sealer before it reserves a seq', async () => {
      await log.create();
      const client = await openPostgres('no API holds the lock of the sealer', log.server.settings.DATABASE_URL!);
      await client.query('BEGIN');
      await client.query(`SELECT pg_advisory_xact_lock(${SEAL_LOCK})`);
      const last = async () => (await client.query(`SELECT last_value FROM "Log_seq_seq"`)).rows[0].last_value;
      const before = await last();
      let answered = false;
      const created = log.create().then(() => (answered = true));
      const waits = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      while ((await client.query(waits)).rowCount === 0) await new Promise((done) => setTimeout(done, 10));
      expect({ answered, seq: await last() }).toEqual({ answered: false, seq: before });
      await client.query('COMMIT');
      await created;
      expect(Number(await last())).toBeGreaterThan(Number(before));
      await client.end();
    });
  }

  it('of one caller that the database refuses does not fail the others', async () => {
    const { refuse, allow } = isPostgres
      ? {
          refuse: `ALTER TABLE "Log" ADD CONSTRAINT "refused" CHECK ("comment" <> 'poison') NOT VALID`,
          allow: 'ALTER TABLE "Log" DROP CONSTRAINT "refused"',
        }
      : {
          refuse: `CREATE TRIGGER "refused" BEFORE INSERT ON "Log" WHEN NEW."comment" = 'poison'
                   BEGIN SELECT RAISE(ABORT, 'refused'); END`,
          allow: 'DROP TRIGGER "refused"',
        };
    const database = allRowsOf('no API lets one row of a batch fail', log.server);
    await database.$executeRawUnsafe(refuse);
    try {
      const documentId = randomUUID();
      const answers = await Promise.all(
        ['a', 'poison', 'b', 'c'].map((comment) =>
          log.api.send('mutation($input:CreateLogInput!){createLog(input:$input){itemId}}', {
            input: input({ documentId, comment }),
          }),
        ),
      );
      expect(answers.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual([
        undefined,
        'INTERNAL_SERVER_ERROR',
        undefined,
        undefined,
      ]);
      expect((await log.page({ documentId })).items.map(({ comment }: any) => comment).sort()).toEqual(['a', 'b', 'c']);
    } finally {
      await database.$executeRawUnsafe(allow);
    }
  });
});
