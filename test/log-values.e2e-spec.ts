// Past the API: statements whose plans are examined.
import { LogField } from '../src/modules/document-log/logs/log-results.model.js';
import { valuesStatement } from '../src/modules/document-log/logs/log-values.queries.js';
import { allRowsOf } from './support/behind-the-api.js';
import { DocumentLog } from './support/document-log.js';
import { dialect, explained } from './support/plans.js';

const VALUES =
  'query($field:LogField!,$startsWith:String,$limit:Int){logValues(field:$field,startsWith:$startsWith,limit:$limit)}';

let log: DocumentLog;
beforeAll(async () => {
  log = await DocumentLog.start();
});
afterAll(() => log.stop());

const values = async (field: string, given: object = {}, of = log): Promise<string[]> =>
  (await of.api.ask(VALUES, { field, ...given })).logValues;

describe('values of a log field', () => {
  const LONG = 'x'.repeat(100);
  beforeAll(async () => {
    const texts = ['b', 'a', 'ä', 'B', 'a%', 'a_', '日本', '😀', '\u{10ffff}', "a'", 'a b', `${LONG}1`, `${LONG}2`];
    await log.createMany(
      texts.flatMap((text, index) => [
        { documentType: text, documentId: `d${index}` },
        { documentType: text, documentId: `e${index}`, action: `do ${text}`.slice(0, 1_000), author: { id: `by ${text}` } },
        { documentType: 'b', documentId: 'f', attribute: { id: `of ${text}` } },
      ]),
    );
  });

  it('are returned once each, in the order of code points, of types, actions, attributes and authors', async () => {
    const order = ['B', 'a', "a'", 'a b', 'a%', 'a_', 'b', `${LONG}1`, 'ä', '日本', '😀', '\u{10ffff}'].toSorted((a, b) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    );
    expect(await values('DOCUMENT_TYPE')).toEqual(order);
    for (const [field, word] of [
      ['ACTION', 'do '],
      ['AUTHOR', 'by '],
      ['ATTRIBUTE', 'of '],
    ] as const) {
      const found = await values(field);
      expect(found).toHaveLength(order.length);
      expect(found.every((value) => value.startsWith(word))).toBe(true);
    }
  });

  it('are those that begin with a text, as given, and as many as requested', async () => {
    expect(await values('DOCUMENT_TYPE', { startsWith: 'a' })).toEqual(['a', 'a b', 'a%', "a'", 'a_']);
    expect(await values('DOCUMENT_TYPE', { startsWith: 'a%' })).toEqual(['a%']);
    expect(await values('DOCUMENT_TYPE', { startsWith: 'nothing' })).toEqual([]);
    expect(await values('DOCUMENT_TYPE', { startsWith: '\u{10ffff}' })).toEqual(['\u{10ffff}']);
    expect(await values('DOCUMENT_TYPE', { startsWith: LONG })).toEqual([`${LONG}1`]);
    expect(await values('DOCUMENT_TYPE', { limit: 2 })).toEqual(['B', 'a']);
  });

  it('exclude those of another tenant', async () => {
    const other = await log.another();
    expect(await values('DOCUMENT_TYPE', {}, other)).toEqual([]);
    await other.createMany([{ documentType: 'theirs' }]);
    expect(await values('DOCUMENT_TYPE', {}, other)).toEqual(['theirs']);
    expect(await values('DOCUMENT_TYPE')).not.toContain('theirs');
  });

  it('are refused with a limit or a beginning out of bounds', async () => {
    const refused = (given: object) => log.api.refusal(VALUES, { field: 'ACTION', ...given });
    expect(await refused({ limit: 0 })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'limit' });
    expect(await refused({ limit: 1_001 })).toMatchObject({ field: 'limit', message: 'limit: must be from 1 to 1000' });
    expect(await refused({ startsWith: 'x'.repeat(101) })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'startsWith' });
    expect(await refused({ startsWith: 'a\0' })).toMatchObject({ field: 'startsWith' });
  });

  it('take one index lookup each, whatever the field and however many records have it', async () => {
    const many = await log.another();
    await many.createMany(
      Array.from({ length: 2_000 }, (_, index) => ({
        documentType: `t${index % 3}`,
        action: `a${index % 3}`,
        attribute: { id: `b${index % 3}` },
        author: { id: `u${index % 3}` },
      })),
    );
    const database = allRowsOf('no API shows the plan of a statement', log.server);
    if (dialect.pick({ sqlite: false, postgresql: true })) await database.$executeRawUnsafe('ANALYZE "Log"');
    const [tenantId] = (await database.log.findMany({ where: { documentType: 't0' }, take: 1 })).map((row) => row.tenantId);
    for (const field of Object.values(LogField)) {
      expect(await values(field, {}, many)).toHaveLength(3);
      for (const startsWith of ['', 'a']) {
        const { plan } = await explained(
          database,
          valuesStatement(dialect, { tenantId: tenantId!, field, startsWith, limit: 100 }),
        );
        expect(plan).toMatch(/Log_tenantId_(documentType|action|attributeId|authorId)_idx/);
        expect(plan).not.toMatch(/Seq Scan|SCAN m\b|TEMP B-TREE|Sort/);
      }
    }
  });
});
