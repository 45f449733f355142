import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  BlobMissing,
  type BlobStore,
  PartMismatch,
  type StoredBlob,
  UploadMissing,
} from '../../src/modules/file-management/blob-store/blob-store.js';

export interface StoreUnderTest {
  store: BlobStore;
  /** Number of objects in the store: blobs, parts, leftovers. */
  count(): Promise<number>;
  remove(): Promise<void>;
}

const MIB = 1024 * 1024;
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');
const md5OfParts = (parts: Buffer[]) =>
  `${createHash('md5')
    .update(Buffer.concat(parts.map((bytes) => Buffer.from(md5(bytes), 'hex'))))
    .digest('hex')}-${parts.length}`;

/** Guarantees of every blob store. Each adapter runs these tests on the real technology. */
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
    const read = async (key: string, range?: { start: number; end: number }) => buffer(await store.open(key, range));
    const listed = async () => {
      const blobs: StoredBlob[] = [];
      for await (const blob of store.list()) blobs.push(blob);
      return blobs;
    };
    const isMissing = async (key: string) => {
      await expect(store.open(key)).rejects.toBeInstanceOf(BlobMissing);
      expect(await store.stat(key)).toBeUndefined();
      expect((await listed()).map((blob) => blob.key)).not.toContain(key);
    };
    const broken = new Error('the sender went away');
    const breakingOff = (bytes: Buffer) =>
      Readable.from(
        (async function* () {
          yield bytes;
          throw broken;
        })(),
      );

    it('lists the blobs of one folder, and removes a folder once it is empty', async () => {
      const [mine, foreign] = ['one/ab/file', 'one-more/ab/file'];
      for (const key of [mine, foreign]) await put(key, Buffer.from('x'));
      const inFolder = async (folder: string) => {
        const keys: string[] = [];
        for await (const { key } of store.list(folder)) keys.push(key);
        return keys;
      };
      expect(await inFolder('one')).toEqual([mine]);
      await store.remove(mine);
      await store.removeFolder('one');
      await store.removeFolder('never-there');
      expect([await inFolder('one'), await inFolder('one-more')]).toEqual([[], [foreign]]);
      await store.remove(foreign);
    });

    describe('content in one piece', () => {
      it.each([0, 1, 5_000_000])('returns the bytes that were put: %d', async (size) => {
        const key = freshKey();
        const bytes = randomBytes(size);
        await put(key, bytes);
        expect((await read(key)).equals(bytes)).toBe(true);
        expect((await store.stat(key))?.sizeBytes).toBe(size);
      });

      it('returns a range, both ends included', async () => {
        const key = freshKey();
        await put(key, Buffer.from('0123456789'));
        expect(String(await read(key, { start: 2, end: 4 }))).toBe('234');
        expect(String(await read(key, { start: 9, end: 9 }))).toBe('9');
        expect(String(await read(key, { start: 0, end: 0 }))).toBe('0');
      });

      it.each([300_000, 600_000])(
        'keeps nothing when it breaks off after %d bytes, and fails as the content did',
        async (size) => {
          const before = await subject.count();
          const key = freshKey();
          await expect(store.put(key, breakingOff(randomBytes(size)), 600_000)).rejects.toBe(broken);
          await isMissing(key);
          expect(await subject.count()).toBe(before);
        },
      );

      it('keeps nothing when the connection of the sender breaks', async () => {
        const before = await subject.count();
        const key = freshKey();
        const content = new Readable({ read: () => undefined });
        content.push(randomBytes(1_000));
        const refused = expect(store.put(key, content, 2_000)).rejects.toThrow();
        content.destroy();
        await refused;
        await isMissing(key);
        expect(await subject.count()).toBe(before);
      });

      it.each([0, 9, 11])('keeps nothing when its length is not the announced one: %d', async (announced) => {
        const before = await subject.count();
        const key = freshKey();
        await expect(store.put(key, Readable.from([Buffer.from('0123456789')]), announced)).rejects.toThrow(/, expected \d+/);
        await isMissing(key);
        expect(await subject.count()).toBe(before);
      });

      it('is removed, and removing a missing blob is not an error', async () => {
        const key = freshKey();
        await put(key, Buffer.from('x'));
        await store.remove(key);
        await isMissing(key);
        await store.remove(key);
      });

      it('is copied to a key of its own, which stays when the other is removed', async () => {
        const [key, copy] = [freshKey(), freshKey()];
        await put(key, Buffer.from('0123456789'));
        await store.copy(key, copy);
        await store.remove(key);
        await isMissing(key);
        expect(String(await read(copy))).toBe('0123456789');
        await store.copy(copy, key);
        await store.remove(copy);
        expect(String(await read(key, { start: 2, end: 4 }))).toBe('234');
      });

      it('is dated by its copying, so that a new copy is not taken for an old leftover', async () => {
        const [key, copy] = [freshKey(), freshKey()];
        await put(key, Buffer.from('x'));
        const before = Date.now() - 1_000; // some stores round
        await store.copy(key, copy);
        expect((await listed()).find((blob) => blob.key === copy)!.modifiedAt.getTime()).toBeGreaterThanOrEqual(before);
      });

      it('cannot be copied when it is missing, and nothing is kept', async () => {
        const before = await subject.count();
        const copy = freshKey();
        await expect(store.copy(freshKey(), copy)).rejects.toBeInstanceOf(BlobMissing);
        await isMissing(copy);
        expect(await subject.count()).toBe(before);
      });

      it('has one ETag for a blob, without quotes', async () => {
        const key = freshKey();
        await put(key, Buffer.from('x'));
        const first = await store.stat(key);
        expect(first?.etag).toMatch(/^[\w-]+$/);
        expect(await store.stat(key)).toEqual(first);
      });

      it('finds no blob by a part of a key', async () => {
        const key = `deep/${freshKey()}`;
        await put(key, Buffer.from('x'));
        await isMissing('deep/tenant');
        await store.remove('deep/tenant');
        await isMissing(`${key}/x`);
        expect(String(await read(key))).toBe('x');
      });
    });

    it('lists every blob once, with its time, and no open upload', async () => {
      const whole = freshKey();
      const inParts = freshKey();
      const unfinished = freshKey();
      const startedAt = Date.now();
      await put(whole, Buffer.from('x'));
      const uploadId = await store.beginMultipart(inParts);
      const etag = await store.putPart(inParts, uploadId, { partNumber: 1, sizeBytes: 1 }, Readable.from([Buffer.from('x')]));
      await store.completeMultipart(inParts, uploadId, [{ partNumber: 1, etag }]);
      const open = await store.beginMultipart(unfinished);
      await store.putPart(unfinished, open, { partNumber: 1, sizeBytes: 1 }, Readable.from([Buffer.from('x')]));
      const found = await listed();
      for (const key of [whole, inParts]) {
        const [blob, ...more] = found.filter((blob) => blob.key === key);
        expect(more).toEqual([]);
        expect(Math.abs(blob!.modifiedAt.getTime() - startedAt)).toBeLessThan(60_000);
      }
      expect(found.map(({ key }) => key)).not.toContain(unfinished);
      await store.abortMultipart(unfinished, open);
    });

    describe('content in parts', () => {
      const first = randomBytes(5 * MIB);
      const second = randomBytes(1_000);
      const begin = async () => {
        const key = freshKey();
        const uploadId = await store.beginMultipart(key);
        const send = (partNumber: number, bytes: Buffer) =>
          store.putPart(key, uploadId, { partNumber, sizeBytes: bytes.length }, Readable.from([bytes]));
        return { key, uploadId, send };
      };
      const named = (...parts: [number, Buffer][]) => parts.map(([partNumber, bytes]) => ({ partNumber, etag: md5(bytes) }));

      it('becomes one blob in whatever order the parts came, exact at every boundary', async () => {
        const { key, uploadId, send } = await begin();
        expect(await Promise.all([send(7, second), send(2, first)])).toEqual([md5(second), md5(first)]);
        expect(await store.listParts(key, uploadId)).toEqual([
          { partNumber: 2, etag: md5(first), sizeBytes: first.length },
          { partNumber: 7, etag: md5(second), sizeBytes: second.length },
        ]);
        await isMissing(key);
        const etag = await store.completeMultipart(key, uploadId, named([2, first], [7, second]));
        expect(etag).toBe(md5OfParts([first, second]));
        const whole = Buffer.concat([first, second]);
        expect(await store.stat(key)).toEqual({ sizeBytes: whole.length, etag });
        expect((await read(key)).equals(whole)).toBe(true);
        const edge = first.length;
        for (const [start, end] of [
          [edge - 1, edge - 1],
          [edge, edge],
          [edge - 1, edge],
          [edge - 300_000, edge + 500],
          [0, edge - 1],
          [edge, whole.length - 1],
          [whole.length - 1, whole.length - 1],
          [0, whole.length - 1],
        ] as const) {
          expect((await read(key, { start, end })).equals(whole.subarray(start, end + 1))).toBe(true);
        }
        await store.remove(key);
        await isMissing(key);
      });

      it('counts the version of a part that was sent last, and completes with no other', async () => {
        const { key, uploadId, send } = await begin();
        const before = await subject.count();
        await send(1, second);
        await send(1, first.subarray(0, 2_000));
        await send(1, second);
        await send(1, first.subarray(0, 500));
        expect(await subject.count()).toBe(before + 1);
        const completion = store.completeMultipart(key, uploadId, named([1, second]));
        await expect(completion).rejects.toBeInstanceOf(PartMismatch);
        expect(await store.listParts(key, uploadId)).toMatchObject([{ partNumber: 1, sizeBytes: 500 }]);
        await store.completeMultipart(key, uploadId, named([1, first.subarray(0, 500)]));
        expect((await read(key)).equals(first.subarray(0, 500))).toBe(true);
      });

      it('keeps one version of a part that is sent twice at the same time', async () => {
        const { key, uploadId, send } = await begin();
        await Promise.all(Array.from({ length: 8 }, (_, n) => send(1, Buffer.from(`version ${n}`))));
        const [part, ...more] = await store.listParts(key, uploadId);
        expect(more).toEqual([]);
        await store.completeMultipart(key, uploadId, [part!]);
        expect(md5(await read(key))).toBe(part!.etag);
      });

      it('refuses a missing part and an empty list, and can be completed afterwards', async () => {
        const { key, uploadId, send } = await begin();
        await send(1, second);
        for (const wrong of [named([1, first]), named([1, second], [2, second]), named([2, second]), []]) {
          await expect(store.completeMultipart(key, uploadId, wrong)).rejects.toBeInstanceOf(PartMismatch);
        }
        await isMissing(key);
        await store.completeMultipart(key, uploadId, named([1, second]));
        expect((await read(key)).equals(second)).toBe(true);
      });

      it('drops parts that are not named', async () => {
        const { key, uploadId, send } = await begin();
        const before = await subject.count();
        for (const partNumber of [1, 2, 10_000]) await send(partNumber, second);
        await store.completeMultipart(key, uploadId, named([2, second]));
        expect((await read(key)).equals(second)).toBe(true);
        expect(await subject.count()).toBe(before + 1);
      });

      it('keeps a part as it was when a repeat breaks off or has a wrong length', async () => {
        const { key, uploadId, send } = await begin();
        await send(1, second);
        const before = await subject.count();
        const resent = store.putPart(key, uploadId, { partNumber: 1, sizeBytes: 900_000 }, breakingOff(randomBytes(900_000)));
        await expect(resent).rejects.toBe(broken);
        for (const sizeBytes of [9, 11]) {
          const content = Readable.from([Buffer.from('0123456789')]);
          await expect(store.putPart(key, uploadId, { partNumber: 1, sizeBytes }, content)).rejects.toThrow(/, expected \d+/);
        }
        expect(await store.listParts(key, uploadId)).toMatchObject([{ partNumber: 1, etag: md5(second) }]);
        expect(await subject.count()).toBe(before);
        await store.abortMultipart(key, uploadId);
      });

      const resend = (key: string, uploadId: string) =>
        store.putPart(key, uploadId, { partNumber: 1, sizeBytes: 4 }, Readable.from([Buffer.from('late')]));
      const isGone = async (key: string, uploadId: string) => {
        await expect(store.listParts(key, uploadId)).rejects.toBeInstanceOf(UploadMissing);
        const completion = store.completeMultipart(key, uploadId, named([1, second]));
        await expect(completion).rejects.toBeInstanceOf(UploadMissing);
        await store.abortMultipart(key, uploadId);
      };

      it('completes no upload twice, and aborts no completed upload', async () => {
        const { key, uploadId, send } = await begin();
        await send(1, second);
        await store.completeMultipart(key, uploadId, named([1, second]));
        for (const parts of [named([1, second]), named([1, first])]) {
          await expect(store.completeMultipart(key, uploadId, parts)).rejects.toBeInstanceOf(UploadMissing);
        }
        await store.abortMultipart(key, uploadId);
        expect((await read(key)).equals(second)).toBe(true);
      });

      it('forgets an aborted upload, and keeps nothing of it', async () => {
        const before = await subject.count();
        const { key, uploadId, send } = await begin();
        await send(1, second);
        await store.abortMultipart(key, uploadId);
        await isGone(key, uploadId);
        await expect(resend(key, uploadId)).rejects.toBeInstanceOf(UploadMissing);
        expect(await subject.count()).toBe(before);
      });

      it.each(['', '..', '../blobs', 'a/b', 'x&partNumber=2', '00000000-0000-4000-8000-000000000000'])(
        'knows no upload "%s"',
        async (uploadId) => {
          const key = freshKey();
          await isGone(key, uploadId);
          await expect(resend(key, uploadId)).rejects.toBeInstanceOf(UploadMissing);
        },
      );

      it('makes one blob when it is completed several times at the same time', async () => {
        const { key, uploadId, send } = await begin();
        await send(1, second);
        const completions = await Promise.allSettled(
          Array.from({ length: 5 }, () => store.completeMultipart(key, uploadId, named([1, second]))),
        );
        const etags = completions.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
        expect(new Set(etags)).toEqual(new Set([md5OfParts([second])]));
        for (const result of completions) {
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(UploadMissing);
        }
        expect((await read(key)).equals(second)).toBe(true);
      });
    });

    it('refuses keys that could lead elsewhere', async () => {
      for (const key of ['../x', '/etc/passwd', 'a/../b', 'a//b', 'a/b\0', '.', '']) {
        await expect(put(key, Buffer.from('x'))).rejects.toThrow('Not a blob key');
        await expect(store.open(key)).rejects.toThrow('Not a blob key');
        await expect(store.beginMultipart(key)).rejects.toThrow('Not a blob key');
      }
    });

    it('says that it can be used', async () => {
      await store.check();
    });
  });
}
