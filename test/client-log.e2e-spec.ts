// @nightly postgresql: no SQL of its own
import { audit, BadUserInputError, RateLimitedError } from '../clients/js/dist/index.js';
import { ClientAndServer, cutOnce } from './support/client.js';

const record = (documentId: string) => ({ documentType: 'order', documentId, dateTime: '2026-01-01T00:00:00Z' });

describe('the JavaScript client for the log', () => {
  let both: ClientAndServer;
  beforeAll(async () => void (both = await ClientAndServer.start()));
  afterEach(() => both.proxy.pass());
  afterAll(() => both.stop());
  const idsOf = async (documentType: string) => {
    const ids: string[] = [];
    for await (const { id } of both.client.log.allLogs({ filter: { documentType } }, { id: true })) ids.push(id);
    return ids.sort();
  };

  it('groups records into few requests; each write resolves with the id of its record', async () => {
    let requests = 0;
    both.proxy.toStore = (bytes) => ((requests += bytes.includes('POST /document-log') ? 1 : 0), 'pass');
    const writer = both.client.log.writer();
    const ids = await Promise.all(Array.from({ length: 300 }, (_, index) => writer.write(record(`many-${index}`))));
    await writer.close();
    expect(new Set(ids).size).toBe(300);
    expect(await idsOf('order')).toEqual([...ids].sort());
    expect(requests).toBeLessThan(10);
    await expect(writer.write(record('late'))).rejects.toThrow('The writer is closed');
  });

  it('resends a batch whose response was cut, and stores it once', async () => {
    const cuts = cutOnce(both.proxy, /HTTP\/1\.1 200/);
    const writer = both.client.log.writer({ gatherMs: 1 });
    const ids = await Promise.all(['a', 'b'].map((id) => writer.write({ ...record(id), documentType: 'cut' })));
    expect(cuts()).toBe(1);
    expect(await idsOf('cut')).toEqual(ids.sort());
  });

  it('refuses invalid records only, even those for which the server refuses the whole batch', async () => {
    const refused: string[] = [];
    const writer = both.client.log.writer({ onError: (_, { documentId }) => refused.push(documentId) });
    const given = ['', 'good', 'bad time', 'better', 'best'].map((id) => ({
      ...record(id),
      documentType: 'mixed',
      ...(id === 'bad time' && { dateTime: 'yesterday' }),
    }));
    const outcomes = await Promise.allSettled(given.map((one) => writer.write(one)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect((outcomes[0] as PromiseRejectedResult).reason).toBeInstanceOf(BadUserInputError);
    expect(refused).toEqual(['', 'bad time']);
    expect(await idsOf('mixed')).toHaveLength(3);
  });

  it('is flushed once earlier records are stored, while others are being written', async () => {
    const writer = both.client.log.writer({ gatherMs: 1 });
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await writer.write({ ...record('again'), documentType: 'flushed' });
    })();
    const before = writer.write({ ...record('before'), documentType: 'flushed' });
    let isStored = false;
    void before.then(() => (isStored = true));
    await writer.flush();
    expect(isStored).toBe(true);
    isOver = true;
    await writing;
    await writer.close();
  });

  it('queues no more records than its limit', async () => {
    const writer = both.client.log.writer({ maxWaiting: 2, gatherMs: 60_000 });
    const waiting = [writer.write(record('1')), writer.write(record('2'))];
    const refusal = await writer.write(record('3')).catch((error: RateLimitedError) => error);
    expect(refusal).toBeInstanceOf(RateLimitedError);
    expect(refusal).toMatchObject({ mayHaveHappened: false });
    await writer.close();
    await Promise.all(waiting);
  });

  it('stores the changes of an object, so that its state can be read back', async () => {
    const before = { status: 'open', total: 12.5, address: { city: 'Ulm', zip: '89073' }, tags: [{ b: 1, a: 2 }], password: 'x' };
    const after = {
      status: 'paid',
      total: 12.5,
      address: { city: 'Bonn', zip: null },
      tags: [{ a: 2, b: 1 }],
      note: 'n',
      password: 'y',
    };
    const subject = { documentType: 'invoice', documentId: '7', author: { id: 'ann' }, ignore: ['password'] };
    const records = audit(before, after, subject);
    expect(
      records.map(({ attribute, attributeOldValue, attributeNewValue }) => [
        attribute!.id,
        attributeOldValue?.raw,
        attributeNewValue?.raw,
      ]),
    ).toEqual([
      ['status', 'open', 'paid'],
      ['address.city', 'Ulm', 'Bonn'],
      ['address.zip', '89073', undefined],
      ['note', undefined, 'n'],
    ]);
    const writer = both.client.log.writer();
    await Promise.all(records.map((one) => writer.write(one)));
    const state = await both.client.log.documentState(
      { documentType: 'invoice', documentId: '7' },
      { attributeId: true, value: { raw: true } },
    );
    expect(state).toContainEqual({ attributeId: 'address.city', value: { raw: 'Bonn' } });
    expect(
      audit(null, { a: 1, at: new Date(0), big: 5n }, subject).map((one) => [one.action, one.attributeNewValue?.raw]),
    ).toEqual([
      ['create', '1'],
      ['create', '1970-01-01T00:00:00.000Z'],
      ['create', '5'],
    ]);
    expect(audit({ a: 1 }, null, subject)).toMatchObject([{ action: 'delete', attributeNewValue: null }]);
    expect(audit(before, structuredClone(before), subject)).toEqual([]);
  });
});
