import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BlobMissing, type BlobStore } from '../../src/modules/file-management/blob-store/blob-store.js';

export interface StoreUnderTest {
  store: BlobStore;
  /** How many things the store holds, finished or not. */
  count(): Promise<number>;
  remove(): Promise<void>;
}

/** What every blob store promises; each adapter runs it on the real thing. */
export function blobStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the blob store on ${name}`, () => {
    let subject: StoreUnderTest;
    let store: BlobStore;
    beforeAll(async () => {
      subject = await open();
      store = subject.store;
    });
    afterAll(() => subject.remove());

    let keys = 0;
    const freshKey = () => `tenant/ab/file-${keys++}`;
    const put = (key: string, bytes: Buffer) => store.put(key, Readable.from([bytes]), bytes.length);

    it.each([0, 1, 5_000_000])('gives back what was put: %d bytes', async (size) => {
      const key = freshKey();
      const bytes = randomBytes(size);
      await put(key, bytes);
      expect((await buffer(await store.open(key))).equals(bytes)).toBe(true);
    });

    it('gives back a range, both ends included', async () => {
      const key = freshKey();
      await put(key, Buffer.from('0123456789'));
      expect(String(await buffer(await store.open(key, { start: 2, end: 4 })))).toBe('234');
      expect(String(await buffer(await store.open(key, { start: 9, end: 9 })))).toBe('9');
    });

    it('keeps nothing of content that breaks off, and fails with what the content failed with', async () => {
      const before = await subject.count();
      const key = freshKey();
      const broken = new Error('the sender went away');
      const content = Readable.from(
        (async function* () {
          yield randomBytes(300_000);
          throw broken;
        })(),
      );
      await expect(store.put(key, content, 600_000)).rejects.toBe(broken);
      await expect(store.open(key)).rejects.toBeInstanceOf(BlobMissing);
      expect(await subject.count()).toBe(before);
    });

    it.each([9, 11])('keeps nothing of content with another length than announced: %d', async (announced) => {
      const before = await subject.count();
      const key = freshKey();
      await expect(store.put(key, Readable.from([Buffer.from('0123456789')]), announced)).rejects.toThrow();
      await expect(store.open(key)).rejects.toBeInstanceOf(BlobMissing);
      expect(await subject.count()).toBe(before);
    });

    it('removes what is there, and what is not there without an error', async () => {
      const key = freshKey();
      await put(key, Buffer.from('x'));
      await store.remove(key);
      await expect(store.open(key)).rejects.toBeInstanceOf(BlobMissing);
      await store.remove(key);
    });

    it('refuses keys that could lead elsewhere', async () => {
      for (const key of ['../x', '/etc/passwd', 'a/../b', 'a//b', 'a/b\0', '.', '']) {
        await expect(put(key, Buffer.from('x'))).rejects.toThrow('Not a blob key');
        await expect(store.open(key)).rejects.toThrow('Not a blob key');
      }
    });

    it('says that it can be used', async () => {
      await store.check();
    });
  });
}
