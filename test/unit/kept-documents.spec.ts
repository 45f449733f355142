import { parse } from 'graphql';
import { KeptDocuments } from '../../src/common/graphql/documents/kept-documents.js';

const documentOf = (length: number) => parse(`{ version }${'#'.repeat(length - 11)}`);

describe('parsed documents', () => {
  it('are cached by the size of their source, the most recent ones, however many arrive', async () => {
    const kept = new KeptDocuments();
    for (let index = 0; index < 1_000; index++) {
      await kept.set(`document ${index}`, documentOf(1_024));
      await kept.get('document 0');
    }
    const found = await Promise.all(Array.from({ length: 1_000 }, (_, index) => kept.get(`document ${index}`)));
    expect(found.filter((document) => document).length).toBe(256);
    expect([found[0], found[1], found[999]].map((document) => document !== undefined)).toEqual([true, false, true]);
  });

  it('are not cached when they are long, so that few of them cannot evict all others', async () => {
    const kept = new KeptDocuments();
    await kept.set('short', documentOf(100));
    await kept.set('long', documentOf(16 * 1_024 + 1));
    expect(await kept.get('long')).toBeUndefined();
    expect(await kept.get('short')).toBeDefined();
  });
});
