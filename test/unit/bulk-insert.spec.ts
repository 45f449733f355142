import type Sqlite from 'better-sqlite3';
import { bulkInsert, jsonRows } from '../../src/common/database/sql/bulk-insert.js';
import { Columns, mapper } from '../../src/common/database/sql/columns.js';
import { POSTGRESQL, SQLITE } from '../../src/common/database/sql/dialect.js';
import { sizesOf } from '../../src/common/database/sql/sized-rows.js';
import { raw, sql } from '../../src/common/database/sql/sql.js';
import { openSqlite } from '../support/behind-the-api.js';

interface Note {
  id: string;
  author: string | null;
  text: string;
  at: Date;
  isPublic: boolean;
  position: number;
}

const NOTE = new Columns<Note>('Note', {
  id: 'key',
  author: 'text',
  text: 'long text',
  at: 'time',
  isPublic: 'boolean',
  position: 'integer',
});
const NOTES = bulkInsert(NOTE, { status: `'NEW'` });
const at = new Date('2026-11-25T12:00:00.123Z');
const stored = { id: '1', author: null, text: 'a "quoted" text', at: at.getTime(), isPublic: 1, position: 7, status: 'NEW' };

describe('rows inserted as one JSON list', () => {
  let db: Sqlite.Database;
  beforeEach(() => {
    db = openSqlite('the SQL of the insert is the subject', ':memory:');
    db.exec(`CREATE TABLE "Note" (position INTEGER, text TEXT, status TEXT, author TEXT, id TEXT, isPublic INTEGER, at INTEGER)`);
  });
  afterEach(() => db.close());

  const run = ({ text, values }: { text: string; values: unknown[] }) => db.prepare(text).run(...values);

  it('have each value in the column of its name, whatever the order of the members and of the columns', () => {
    const rows: Note[] = [
      { id: '1', author: null, text: 'a "quoted" text', at, isPublic: true, position: 7 },
      { position: 8, isPublic: false, at, text: 'Ann', author: 'a text', id: '2' },
    ];
    const list = `[${rows.map((row) => NOTES.element(SQLITE, row)).join()}]`;
    run(SQLITE.compile(sql`${NOTES.insert(SQLITE)} FROM ${NOTES.table(SQLITE, sql`${list}`)} WHERE true`));
    expect(db.prepare('SELECT * FROM "Note" ORDER BY id').all()).toEqual([
      stored,
      { ...stored, id: '2', author: 'a text', text: 'Ann', isPublic: 0, position: 8 },
    ]);
  });

  it('are read by the same columns as the values that were written', () => {
    const row: Note = { id: '1', author: null, text: 'a "quoted" text', at, isPublic: true, position: 7 };
    run(SQLITE.compile(sql`${NOTES.insert(SQLITE)} FROM ${NOTES.table(SQLITE, sql`${`[${NOTES.element(SQLITE, row)}]`}`)}`));
    const notes = mapper(NOTE);
    const cells = db
      .prepare(`SELECT ${notes.columns(SQLITE, 'n')} FROM "Note" AS n`)
      .raw()
      .get();
    expect(notes.row(cells as unknown[])).toEqual(row);
    const shown = mapper(NOTE.without('author', 'at'));
    expect(shown.columns(SQLITE, 'n', { text: 'NULL' })).toBe('n."id",NULL,n."isPublic",n."position"');
    expect(shown.row(['1', null, 0, '7', 'further'])).toEqual({ id: '1', text: null, isPublic: false, position: 7 });
  });

  it('are measured by their texts, other than keys', () => {
    expect(sizesOf(NOTE, 'n')).toEqual({
      key: 'n."id"',
      bytes: 'coalesce(octet_length(n."author"), 0) + coalesce(octet_length(n."text"), 0)',
      long: ['n."text"'],
    });
  });

  it('can be nested, with common values once', () => {
    const groups = jsonRows<{ notes: string; author: string }>({ notes: 'json', author: 'text' });
    const parts = bulkInsert(NOTE.pick('id', 'text'), { author: 'g."author"' });
    const notes = [{ text: 'one', id: '1' }, { id: '2', text: 'two' }].map((row) => parts.element(SQLITE, row)); // prettier-ignore
    const list = `[${groups.element(SQLITE, { notes: `[${notes.join()}]`, author: 'Ann' })}]`;
    run(
      SQLITE.compile(sql`
        WITH g AS MATERIALIZED (SELECT ${groups.columns(SQLITE)} FROM ${groups.table(SQLITE, sql`${list}`)})
        ${parts.insert(SQLITE)} FROM g, ${parts.table(SQLITE, raw('g."notes"'))} WHERE true`),
    );
    expect(db.prepare('SELECT id, author, text FROM "Note" ORDER BY id').all()).toEqual([
      { id: '1', author: 'Ann', text: 'one' },
      { id: '2', author: 'Ann', text: 'two' },
    ]);
  });

  it('are read by PostgreSQL by their names and types', () => {
    const { text, values } = POSTGRESQL.compile(NOTES.table(POSTGRESQL, sql`${'[]'}`));
    expect(text).toBe(
      'json_to_recordset(($1)::json) AS r("id" text,"author" text,"text" text,"at" timestamp(3),"isPublic" boolean,"position" integer)',
    );
    expect(values).toEqual(['[]']);
    const nested = jsonRows<{ notes: string; at: Date }>({ notes: 'json', at: 'time' });
    expect(JSON.parse(nested.element(POSTGRESQL, { notes: '[{"id":"1"}]', at }))).toEqual({
      notes: [{ id: '1' }],
      at: at.toISOString(),
    });
  });

  it('do not compile with a missing column, or one of another type', () => {
    // @ts-expect-error: a column is missing
    jsonRows<Pick<Note, 'id' | 'text'>>({ id: 'key' });
    // @ts-expect-error: a time is no text
    jsonRows<Pick<Note, 'at'>>({ at: 'text' });
    expect(jsonRows<Pick<Note, 'at'>>({ at: 'time' })).toBeDefined();
  });
});
