import { randomUUID } from 'node:crypto';
import { BATCH, CREATE, DocumentLog, EMPTY, FULL, input, SINGLE, UPDATE } from './support/document-log.js';
import { badInput } from './support/rendering.js';

const UNKNOWN = '01a1fc71-ac8b-74ea-88bc-78167c5aaf33';
const long = (length: number) => 'x'.repeat(length);
const many = (count: number, given: (index: number) => object) => Array.from({ length: count }, (_, index) => given(index));

let log: DocumentLog;
beforeAll(async () => {
  log = await DocumentLog.start();
});
afterAll(() => log.stop());

describe('a record', () => {
  it('is returned as given', async () => {
    const before = Date.now();
    const item = await log.create(FULL);
    expect(item).toEqual({
      ...FULL, id: item.id, attributeId: 'price', authorId: 'u1', createdAt: item.createdAt, updateAt: null, erasedAt: null, edits: [],
    }); // prettier-ignore
    expect(Date.parse(item.createdAt)).toBeGreaterThanOrEqual(before);
    expect(await log.find(item.id)).toEqual(item);
  });

  it('requires only document and time, given with or without zone', async () => {
    const item = await log.create({ dateTime: '2024-07-16T12:00:00+02:00' });
    expect(item).toEqual({ ...EMPTY, ...input(), id: item.id, createdAt: item.createdAt });
    expect(await log.find(item.id)).toEqual(item);
    expect((await log.create({ dateTime: '2024-07-16' })).dateTime).toBe('2024-07-16T00:00:00.000Z');
  });

  it.each(['0001-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'])(
    'accepts %s',
    async (dateTime) => {
      const { id } = await log.create({ dateTime, documentId: `at ${dateTime}` });
      expect(await log.find(id)).toMatchObject({ dateTime });
    },
  );

  it.each(['a name', '', { en: 'Price' }, {}, { 'de-CH': 'ü "1"', '': undefined }])('returns the name %j', async (name) => {
    const given = typeof name === 'object' ? JSON.parse(JSON.stringify(name)) : name;
    const { id } = await log.create({ attribute: { name: given }, eventSource: { name: given } });
    expect(await log.find(id)).toMatchObject({ attribute: { name: given }, eventSource: { name: given } });
  });

  it('accepts a name written in the query, with variables in it', async () => {
    const query = `mutation($de:Name){createLog(input:{documentId:5,documentType:"t",dateTime:"2024-01-01",
      attribute:{name:{en:"Price",de:$de}},eventSource:{name:"App"},eventLocation:{geoLocation:[1,2.5]}}){item{documentId attribute{name} eventSource{name}}}}`;
    const { createLog } = await log.api.ask(query, { de: 'Preis' });
    expect(createLog.item).toEqual({
      documentId: '5',
      attribute: { name: { en: 'Price', de: 'Preis' } },
      eventSource: { name: 'App' },
    });
  });

  it.each([[5], [true], [['a']], [{ en: 5 }], [{ en: null }], [{ en: { a: 'b' } }]])(
    'refuses a name of the shape %j',
    async (name) => {
      const { data, errors } = await log.api.send(CREATE, { input: input({ attribute: { name } }) });
      expect({ data, code: errors![0]!.extensions }).toEqual({ data: undefined, code: { code: 'BAD_USER_INPUT' } });
      expect(errors![0]!.message).toMatch(/Name must be a string or an object/);
    },
  );

  const FAULTS: [given: object, field: string, message: RegExp][] = [
    [{ documentId: '' }, 'documentId', /must not be empty/],
    [{ documentId: long(1_025) }, 'documentId', /at most 1024/],
    [{ documentType: '' }, 'documentType', /must not be empty/],
    [{ documentType: long(1_025) }, 'documentType', /at most 1024/],
    [{ documentType: 'a\0' }, 'documentType', /NUL/],
    [{ attribute: { id: long(1_025) } }, 'attribute.id', /at most 1024/],
    [{ attribute: { name: long(1_025) } }, 'attribute.name', /at most 1024/],
    [{ attribute: { name: { en: long(1_025) } } }, 'attribute.name', /at most 1024/],
    [{ attribute: { name: { en: '\ud800' } } }, 'attribute.name', /lone surrogate/],
    [{ attribute: { name: { 'a\0': 'x' } } }, 'attribute.name', /NUL/],
    [
      { attribute: { name: Object.fromEntries(many(101, () => ({})).map((_, i) => [`l${i}`, ''])) } },
      'attribute.name',
      /languages; send at most 100/,
    ],
    [{ attributeNewValue: { raw: long(65_537) } }, 'attributeNewValue.raw', /at most 65536/],
    [{ attributeNewValue: { display: '\udc00' } }, 'attributeNewValue.display', /lone surrogate/],
    [{ attributeOldValue: { raw: 'a\0b' } }, 'attributeOldValue.raw', /NUL/],
    [{ attributeOldValue: { display: long(65_537) } }, 'attributeOldValue.display', /at most 65536/],
    [{ author: { id: long(1_025) } }, 'author.id', /at most 1024/],
    [{ author: { name: long(1_025) } }, 'author.name', /at most 1024/],
    [{ author: { profile: long(1_025) } }, 'author.profile', /at most 1024/],
    [{ eventSource: { id: long(1_025) } }, 'eventSource.id', /at most 1024/],
    [{ eventSource: { name: long(1_025) } }, 'eventSource.name', /at most 1024/],
    [{ eventLocation: { id: long(1_025) } }, 'eventLocation.id', /at most 1024/],
    [{ eventLocation: { geoLocation: [] } }, 'eventLocation.geoLocation', /two numbers/],
    [{ eventLocation: { geoLocation: [1] } }, 'eventLocation.geoLocation', /two numbers/],
    [{ eventLocation: { geoLocation: [1, 2, 3] } }, 'eventLocation.geoLocation', /two numbers/],
    [{ eventLocation: { geoLocation: [1, null] } }, 'eventLocation.geoLocation', /two numbers/],
    [{ eventLocation: { geoLocation: [180.1, 0] } }, 'eventLocation.geoLocation', /-180 to 180/],
    [{ eventLocation: { geoLocation: [0, -90.1] } }, 'eventLocation.geoLocation', /-90 to 90/],
    [{ comment: long(4_097) }, 'comment', /at most 4096/],
    [{ custom1: long(4_097) }, 'custom1', /at most 4096/],
    [{ custom2: '\ud800' }, 'custom2', /lone surrogate/],
    [{ action: long(1_025) }, 'action', /at most 1024/],
    [{ idempotencyKey: long(257) }, 'idempotencyKey', /at most 256/],
    [{ idempotencyKey: '' }, 'idempotencyKey', /must not be empty/],
    [{ dateTime: '0000-12-31' }, 'dateTime', /0001-01-01 to 9999-12-31/],
    [{ dateTime: '9999-12-31T23:59:59-01:00' }, 'dateTime', /0001-01-01 to 9999-12-31/],
  ];

  it('that breaks a rule is refused, naming the field', async () => {
    for (const [given, field, message] of FAULTS) {
      expect(await log.refusedCreate(given)).toEqual(badInput(`input.${field}`, message));
    }
  });

  it('that breaks a rule in a batch gets its error, and the others are stored', async () => {
    const documentId = randomUUID();
    const records = FAULTS.flatMap(([given]) => [
      { documentId, comment: 'right' },
      { documentId, ...given },
    ]);
    const results = await log.batch(...records);
    expect(results).toHaveLength(records.length);
    FAULTS.forEach(([, field, message], index) => {
      expect(results[2 * index]).toMatchObject({ error: null, item: { documentId, comment: 'right' } });
      const { itemId, item, error } = results[2 * index + 1];
      expect({ itemId, item }).toEqual({ itemId: null, item: null });
      expect(error.message).toMatch(message);
      expect(error.message).toMatch(new RegExp(`^input\\.${2 * index + 1}\\.${field.replaceAll('.', '\\.')}: `));
    });
    expect((await log.page({ documentId })).items).toHaveLength(FAULTS.length);
  });

  it('can have every field at its maximum length', async () => {
    const text = (length: number) =>
      Array.from({ length }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7_919) % 20_000))).join('');
    const given = {
      documentId: text(1_024), documentType: text(1_024), action: text(1_024),
      attribute: { id: text(1_024), name: text(1_024) },
      attributeNewValue: { raw: text(65_536), display: text(65_536) },
      author: { id: text(1_024), name: text(1_024), profile: text(1_024) },
      eventLocation: { id: text(1_024), geoLocation: [180, -90] },
      comment: text(4_096), custom1: text(4_096), custom2: text(4_096), idempotencyKey: text(256),
    }; // prettier-ignore
    const { id } = await log.create(given);
    const { idempotencyKey, ...shown } = given;
    expect(await log.find(id)).toMatchObject(shown);
    const { documentId, custom1, custom2, action } = given;
    const filter = {
      documentId,
      custom1,
      custom2,
      action,
      documentType: documentId,
      attributeId: documentId,
      authorId: documentId,
    };
    expect((await log.page(filter)).items.map((item: { id: string }) => item.id)).toEqual([id]);
    expect((await log.page({ documentId: `${documentId.slice(0, -1)}x` })).items).toEqual([]);
    expect(idempotencyKey).toHaveLength(256);
  });
});

describe('a batch of records', () => {
  it('answers in the order of its records', async () => {
    const results = await log.batch(...many(2_000, (index) => ({ documentId: `n${index}` })));
    expect(results.map(({ item }: any) => item.documentId)).toEqual(many(2_000, () => ({})).map((_, index) => `n${index}`));
    expect(new Set(results.map(({ itemId }: any) => itemId)).size).toBe(2_000);
  });

  it.each([0, 2_001])('of %s records is refused whole', async (count) => {
    const inputs = many(count, () => input());
    expect(await log.api.refusal(BATCH, { input: inputs })).toEqual(badInput('input', /1 to 2000 records/));
    const changes = many(count, () => ({}));
    expect(await log.api.refusal(SINGLE, { input: input({ changes }) })).toEqual(badInput('input.changes', /1 to 2000/));
  });

  it('for one document shares what its changes have in common', async () => {
    const documentId = randomUUID();
    const shared = {
      documentId,
      author: FULL.author,
      eventSource: FULL.eventSource,
      eventLocation: FULL.eventLocation,
      action: 'u',
    };
    const { attribute, attributeNewValue, comment } = FULL;
    const results = await log.single({
      ...shared,
      changes: [{ attribute, attributeNewValue, comment }, { custom1: long(4_097) }, { custom2: 'b' }],
    });
    expect(results[0].item).toMatchObject({
      ...shared,
      attribute,
      attributeNewValue,
      comment,
      authorId: 'u1',
      attributeId: 'price',
    });
    expect(results[1]).toMatchObject({ item: null, error: { message: expect.stringMatching(/^input\.changes\.1\.custom1: /) } });
    expect(results[2].item).toMatchObject({ ...shared, custom2: 'b', attribute: null });
    expect((await log.page({ documentId })).items).toHaveLength(2);
    const [refused] = await log.single({ documentId: '', changes: [{}] });
    expect(refused.error.message).toMatch(/^input\.documentId: must not be empty/);
  });
});

describe('an idempotency key of a record', () => {
  it('answers a repeat with the first record, and other content with CONFLICT', async () => {
    const given = { ...FULL, idempotencyKey: randomUUID() };
    const first = await log.create(given);
    expect(await log.create(given)).toEqual(first);
    expect(await log.refusedCreate({ ...given, comment: 'other' })).toMatchObject({
      code: 'CONFLICT',
      field: 'input.idempotencyKey',
    });
    expect((await log.page({ documentId: FULL.documentId })).items.filter(({ id }: any) => id === first.id)).toHaveLength(1);
  });

  it('is scoped to tenant and operation', async () => {
    const given = { documentId: randomUUID(), idempotencyKey: randomUUID() };
    const other = await log.another();
    const ids = [
      (await log.create(given)).id,
      (await log.batch(given))[0].itemId,
      (await log.single({ documentId: given.documentId, changes: [{ idempotencyKey: given.idempotencyKey }] }))[0].itemId,
      (await other.create(given)).id,
    ];
    expect(new Set(ids).size).toBe(4);
  });

  it('twice in one batch stores one record, or is a conflict if the content differs', async () => {
    const documentId = randomUUID();
    const idempotencyKey = randomUUID();
    const same = { documentId, idempotencyKey };
    const results = await log.batch(same, { documentId }, same, { ...same, comment: 'other' }, { documentId });
    expect(results[2].itemId).toBe(results[0].itemId);
    expect(results[3]).toMatchObject({ itemId: null, error: { message: expect.stringMatching(/^input\.3\.idempotencyKey: /) } });
    expect((await log.page({ documentId })).items).toHaveLength(3);
    const again = await log.batch(same, { documentId, comment: 'new' });
    expect(again[0].itemId).toBe(results[0].itemId);
    expect(again[1].error).toBeNull();
  });

  it('twice in one batch with other content stores the first record and refuses the second', async () => {
    const documentId = randomUUID();
    const changes = [
      { idempotencyKey: 'k', comment: 'first' },
      { idempotencyKey: 'k', comment: 'second' },
    ];
    const [stored, refused] = await log.single({ documentId, changes });
    expect(stored).toMatchObject({ itemId: expect.any(String), error: null });
    expect(refused.error.message).toMatch(/^input\.changes\.1\.idempotencyKey: /);
    const { items } = await log.page({ documentId });
    expect(items.map(({ id, comment }: any) => [id, comment])).toEqual([[stored.itemId, 'first']]);
  });

  it('in concurrent requests stores one record each, whatever their order', async () => {
    const documentId = randomUUID();
    const keys = many(200, () => ({})).map(() => randomUUID());
    const given = keys.map((idempotencyKey) => ({ documentId, idempotencyKey }));
    const answers = await Promise.all(
      many(12, (index) => ({ index })).map((_, index) => log.batch(...(index % 2 ? given.toReversed() : given))),
    );
    const singles = await Promise.all(
      keys.slice(0, 1).flatMap((idempotencyKey) => many(30, () => ({ idempotencyKey, documentId: 's' })).map(log.create)),
    );
    for (const [index, answer] of answers.entries()) {
      const ids = answer.map(({ itemId }: any) => itemId);
      expect(index % 2 ? ids.toReversed() : ids).toEqual(answers[0]!.map(({ itemId }: any) => itemId));
    }
    expect(new Set(singles.map(({ id }) => id)).size).toBe(1);
    expect((await log.page({ documentId }, null, 1_000)).items).toHaveLength(200);
  });
});

describe('updateLog', () => {
  it('changes the three fields, retains the old values, and touches nothing else', async () => {
    const item = await log.create(FULL);
    const after = await log.update(item.id, { comment: 'new', custom1: null });
    expect(after).toEqual({
      ...item, comment: 'new', custom1: null, updateAt: after.updateAt,
      edits: [
        { id: expect.any(String), dateTime: after.updateAt, field: 'comment', oldValue: FULL.comment, newValue: 'new' },
        { id: expect.any(String), dateTime: after.updateAt, field: 'custom1', oldValue: 'c1', newValue: null },
      ],
    }); // prettier-ignore
    const last = await log.update(item.id, { custom1: 'again' });
    expect(last.edits.map(({ field, newValue }: any) => [field, newValue])).toEqual([['comment', 'new'], ['custom1', null], ['custom1', 'again']]); // prettier-ignore
    expect(await log.find(item.id)).toEqual(last);
    expect((await log.page({ custom1: 'again' })).items).toEqual([last]);
  });

  it('with the current values changes nothing', async () => {
    const item = await log.create({ comment: 'same' });
    expect(await log.update(item.id, { comment: 'same', custom1: null })).toEqual(item);
    expect(await log.update(item.id, {})).toEqual(item);
  });

  it('loses no concurrent change', async () => {
    const { id } = await log.create({ custom1: 'start' });
    const values = many(20, () => ({})).map((_, index) => `v${index}`);
    await Promise.all([
      ...values.map((custom1) => log.update(id, { custom1 })),
      ...values.map((custom2) => log.update(id, { custom2 })),
    ]);
    const { custom1, custom2, edits } = await log.find(id);
    for (const [field, start, end] of [['custom1', 'start', custom1], ['custom2', null, custom2]]) {
      const of = edits.filter((edit: any) => edit.field === field);
      expect(of.map(({ newValue }: any) => newValue).sort()).toEqual(values.toSorted());
      expect(of.map(({ oldValue }: any) => oldValue)).toEqual([start, ...of.slice(0, -1).map(({ newValue }: any) => newValue)]);
      expect(of.at(-1).newValue).toBe(end);
    } // prettier-ignore
  });

  it('refuses what is too long, and ids that the tenant does not have', async () => {
    const { id } = await log.create();
    const other = await log.another();
    expect(await log.api.refusal(UPDATE, { input: { id, comment: long(4_097) } })).toEqual(badInput('input.comment', /4096/));
    for (const [as, unknown] of [[other, id], [log, UNKNOWN], [log, 'x'], [log, '']] as const) {
      expect(await as.api.refusal(UPDATE, { input: { id: unknown, comment: 'x' } })).toMatchObject({ code: 'NOT_FOUND' });
    } // prettier-ignore
    expect((await log.find(id)).edits).toEqual([]);
  });
});

describe('records in a list', () => {
  const ids = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);
  const time = (index: number) => new Date(Date.UTC(2024, 0, 1, 0, 0, Math.floor(index / 3))).toISOString();

  it('come newest event first, each once, while others are written', async () => {
    const own = await log.another();
    const made = await own.createMany(many(250, (index) => ({ dateTime: time(index) })));
    const seen: string[] = [];
    for (let nextToken: string | null = null, first = true; first || nextToken; first = false) {
      const page = await own.page({ documentType: 'invoice' }, nextToken, 60);
      seen.push(...ids(page));
      ({ nextToken } = page);
      await own.create({ dateTime: '2030-01-01' });
    }
    const expected = made
      .map((id, index) => ({ id, at: time(index) }))
      .sort((a, b) => (a.at + a.id < b.at + b.id ? 1 : -1))
      .map(({ id }) => id);
    expect(seen).toEqual(expected);
    expect(ids(await own.page())).toHaveLength(100);
  });

  it('are found by each field and all of them together, exactly', async () => {
    const own = await log.another();
    const item = await own.create(FULL);
    await own.create({ documentId: 'x', documentType: 'x', dateTime: '2020-01-01' });
    const { id, documentId, documentType, attributeId, authorId, action, custom1, custom2 } = item;
    const all = { id, documentId, documentType, attributeId, authorId, action, custom1, custom2 };
    for (const [field, value] of Object.entries(all)) {
      expect(ids(await own.page({ [field]: value }))).toEqual([id]);
      expect(ids(await own.page({ [field]: `${value} ` }))).toEqual([]);
      expect(ids(await own.page({ [field]: String(value).toUpperCase() }))).toEqual([]);
      expect(ids(await own.page({ ...all, [field]: 'x' }))).toEqual([]);
    }
    expect(ids(await own.page({ ...all, dateTime: { from: '2024-07-16', to: '2024-07-16' } }))).toEqual([id]);
    expect(ids(await (await log.another()).page(all))).toEqual([]);
  });

  it('are found by time, both bounds inclusive', async () => {
    const own = await log.another();
    const times = [
      '2024-07-15T23:59:59.999Z',
      '2024-07-16T00:00:00.000Z',
      '2024-07-16T23:59:59.999Z',
      '2024-07-17T00:00:00.000Z',
    ];
    const made = await own.createMany(times.map((dateTime) => ({ dateTime })));
    const found = async (dateTime: object) =>
      ids(await own.page({ dateTime }))
        .map((id) => made.indexOf(id))
        .toReversed();
    expect(await found({ from: '2024-07-16', to: '2024-07-16' })).toEqual([1, 2]);
    expect(await found({ from: '2024-07-16' })).toEqual([1, 2, 3]);
    expect(await found({ to: '2024-07-16T00:00:00' })).toEqual([0, 1]);
    expect(await found({ from: '2024-07-16T02:00:00+02:00', to: '2024-07-17T00:00:00Z' })).toEqual([1, 2, 3]);
    expect(await found({})).toEqual([0, 1, 2, 3]);
    expect(await found({ from: '0000-01-01', to: '9999-12-31T23:59:59-23:00' })).toEqual([0, 1, 2, 3]);
  });

  it('refuse invalid filters', async () => {
    await log.createMany(many(3, () => ({})));
    const { nextToken } = await log.page({ documentId: 'd1' }, null, 1);
    const other = await log.another();
    const token = badInput('nextToken');
    expect(await log.refusedPage({ filter: { dateTime: { from: 'yesterday' } } })).toEqual(badInput('filter.dateTime.from'));
    expect(await log.refusedPage({ filter: { dateTime: { to: '2024-02-30' } } })).toEqual(badInput('filter.dateTime.to'));
    expect(await log.refusedPage({ filter: { dateTime: { from: '2024-01-02', to: '2024-01-01' } } })).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await log.refusedPage({ filter: { documentId: 'a\0' } })).toEqual(badInput('filter.documentId', /NUL/));
    expect(await log.refusedPage({ filter: { custom1: long(4_097) } })).toEqual(badInput('filter.custom1', /4096/));
    expect(await log.refusedPage({ limit: 1_001 })).toEqual(badInput('limit'));
    expect(await log.refusedPage({ limit: 0 })).toEqual(badInput('limit'));
    expect(await log.refusedPage({ nextToken })).toEqual(token);
    expect(await log.refusedPage({ nextToken: `${nextToken}x`, filter: { documentId: 'd1' } })).toEqual(token);
    expect(await other.refusedPage({ nextToken, filter: { documentId: 'd1' } })).toEqual(token);
  }); // prettier-ignore
});

describe('documentState', () => {
  it('returns the latest value of each attribute as of a time, whatever the order of recording', async () => {
    const documentId = randomUUID();
    const change = (id: string | null, raw: string | null, dateTime: string, more: object = {}) =>
      ({ documentId, dateTime, attribute: { id, name: `name ${raw}` }, ...(raw && { attributeNewValue: { raw } }), ...more }); // prettier-ignore
    const made = await log.createMany([
      change('price', '3', '2024-03-01'),
      change('price', '1', '2024-01-01'),
      change('title', 'a', '2024-02-01'),
      change('title', null, '2024-04-01'),
      change(null, 'skipped', '2024-04-01'),
      change('price', 'later', '2999-01-01'),
      change('price', 'elsewhere', '2024-05-01', { documentType: 'order' }),
      change(`${long(100)}a`, 'la', '2024-01-01'),
      change(`${long(100)}b`, 'lb', '2024-01-01'),
      change('same', 'first', '2024-01-01'),
      change('same', 'second', '2024-01-01'),
    ]);
    const values = async (at?: string) =>
      Object.fromEntries(
        (await log.state({ documentId, at })).map((one: any) => [one.attributeId.slice(-5), one.value?.raw ?? null]),
      );
    expect(await values()).toEqual({ price: '3', title: null, xxxxa: 'la', xxxxb: 'lb', same: 'second' });
    expect(await values('2024-02-01')).toEqual({ price: '1', title: 'a', xxxxa: 'la', xxxxb: 'lb', same: 'second' });
    expect(await values('2023-12-31')).toEqual({});
    const [price] = await log.state({ documentId, at: '2024-03-01' });
    expect(price).toEqual({ attributeId: 'price', attribute: { id: 'price', name: 'name 3' }, value: { raw: '3', display: null }, dateTime: '2024-03-01T00:00:00.000Z', logId: made[0] }); // prettier-ignore
    expect(await (await log.another()).state({ documentId })).toEqual([]);
  });
});
