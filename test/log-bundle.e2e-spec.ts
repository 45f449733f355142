// @nightly postgresql: no SQL of its own
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// Past the API: a run of the sealer without its pause, and the verifier without a process for each bundle.
import { LogSealer } from '../src/modules/document-log/seals/log-sealer.job.js';
import { BundleVerifier } from '../src/modules/document-log/verification/bundle-verifier.js';
import { allRowsOf } from './support/behind-the-api.js';
import { DocumentLog, FULL } from './support/document-log.js';
import { blockHash, leafHash, readCheckpoint, rootOfPath, verifyBundle } from './support/independent-verifier.js';

describe('a bundle of the log', () => {
  let log: DocumentLog;
  let publicKey: string;
  beforeAll(async () => {
    log = await DocumentLog.start();
    const response = await fetch(`${log.server.address}/.well-known/platform-services/document-log-keys`);
    publicKey = ((await response.json()) as { keys: [{ x: string }] }).keys[0].x;
  });
  afterAll(() => log.stop());

  const until = async (isSealed: () => Promise<unknown>) => {
    for (const end = Date.now() + 100_000; !(await isSealed());) {
      if (Date.now() > end) throw new Error('was not sealed in 100 s');
      await log.server.app.get(LogSealer, { strict: false }).seal();
    }
  };
  const latest = async (own: DocumentLog): Promise<string> => (await own.api.ask('{latestSeal}')).latestSeal;
  const sealed = async (own: DocumentLog, id: string): Promise<string> => {
    const query = 'query($id:ID!){logProof(id:$id){block}}';
    await until(async () => (await own.api.ask(query, { id })).logProof);
    return latest(own);
  };
  const bundle = async (own: DocumentLog, query = '') => {
    const response = await own.export(`?format=bundle${query}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    return response.text();
  };
  const editOf = async (own: DocumentLog, id: string, change: object): Promise<void> => {
    const before = await latest(own);
    await own.update(id, change);
    // The edits alone make a block.
    await until(async () => (await latest(own)) !== before);
  };
  /** Records with all fields and with few, a block that holds only edits, and one after it. */
  const example = async () => {
    const own = await log.another();
    const full = await own.create({ ...FULL, comment: 'u+2028 \u2028 and “ö”' });
    const few = await own.create({ documentId: 'd-2', custom1: 'before' });
    const first = await sealed(own, few.id);
    await editOf(own, few.id, { custom1: 'between', comment: 'new' });
    await editOf(own, few.id, { custom1: null });
    const last = await own.create({ documentId: 'order-3' });
    return { own, full, few, last, first, newest: await sealed(own, last.id) };
  };
  const verify = (text: string, checkpoints: string[] = []) => {
    const verifier = new BundleVerifier({ publicKeys: [publicKey], checkpoints });
    for (const line of text.split('\n').slice(0, -1)) verifier.readLine(line);
    return verifier.finish();
  };

  it('contains every record and edit as stored, for a verifier built from the docs alone', async () => {
    const { own, full, few, last, first, newest } = await example();
    const text = await bundle(own);
    const contents = verifyBundle(text, publicKey, [first, newest]);
    const records = contents.filter(({ type }) => type === 'log');
    expect(records.map(({ id }) => id)).toEqual([full.id, few.id, last.id]);
    expect(records[0]).toMatchObject({ documentId: FULL.documentId, comment: 'u+2028 \u2028 and “ö”', dateTime: FULL.dateTime });
    expect(JSON.parse(records[0]!.details).author).toEqual(FULL.author);
    expect(records[1]).toMatchObject({ id: few.id, custom1: 'before', details: '{}' });
    expect(records[1]).not.toHaveProperty('comment');
    const edits = contents.filter(({ type }) => type === 'edit');
    expect(edits.map(({ logId, field, oldValue, newValue }) => [logId, field, oldValue, newValue]).sort()).toEqual([
      [few.id, 'comment', undefined, 'new'],
      [few.id, 'custom1', 'before', 'between'],
      [few.id, 'custom1', 'between', undefined],
    ]);
    const { fromBlock, records: count, hidden } = verify(text, [first, newest]);
    expect({ fromBlock, count, hidden }).toEqual({ fromBlock: 0, count: 3, hidden: 0 });
  });

  it('of an empty log has no block', async () => {
    const own = await log.another();
    expect(verify(await bundle(own))).toMatchObject({ blocks: 0, last: undefined });
  });

  it('can begin after a checkpoint, to which it is linked', async () => {
    const { own, first, newest, last } = await example();
    const { number } = JSON.parse(Buffer.from(first.split('.')[0]!, 'base64url').toString());
    const text = await bundle(own, `&fromBlock=${number + 1}`);
    expect(verifyBundle(text, publicKey, [first, newest]).map(({ id }) => id)).toContain(last.id);
    expect(verify(text, [first, newest])).toMatchObject({ fromBlock: number + 1, records: 1, edits: 3 });
    const end = JSON.parse(Buffer.from(newest.split('.')[0]!, 'base64url').toString()).number;
    const none = await bundle(own, `&fromBlock=${end + 1}`);
    expect(verify(none, [newest])).toMatchObject({ blocks: 0, fromBlock: end + 1 });
    expect(() => verify(none, [first])).toThrow(/cannot be linked/);
    const refused = await own.export(`?format=bundle&fromBlock=${end + 2}`);
    expect([refused.status, ((await refused.json()) as { message: string }).message]).toEqual([
      400,
      expect.stringContaining('fromBlock: must be at most'),
    ]);
  });

  it.each(['&documentId=d-2', '&custom1=before', '&from=2020-01-01&to=2020-12-31', '&id=x', '&authorId=u1'])(
    'with %s contains the matching records, and the hash of all others',
    async (query) => {
      const { own, full, few, newest } = await example();
      const text = await bundle(own, query);
      const expected: Record<string, string[]> = { '&documentId=d-2': [few.id], '&authorId=u1': [full.id] };
      const shown = verifyBundle(text, publicKey, [newest]).filter(({ type }) => type === 'log');
      expect(shown.map(({ id }) => id)).toEqual(expected[query] ?? []);
      const { records, edits, hidden } = verify(text, [newest]);
      expect([records, edits]).toEqual([3, 3]);
      expect(hidden).toBe(query === '&documentId=d-2' ? 2 : query === '&authorId=u1' ? 5 : 6);
    },
  );

  it('is rejected when any member of any line was changed, removed or added, or a line removed, doubled or moved', async () => {
    const { own, newest } = await example();
    const whole = (await bundle(own)) + '';
    for (const text of [whole, await bundle(own, '&documentId=d-2')]) {
      const lines = text.split('\n').slice(0, -1);
      const isFound = (changed: string[], what: string) => {
        const verified = [
          () => verifyBundle(`${changed.join('\n')}\n`, publicKey, [newest]),
          () => verify(`${changed.join('\n')}\n`, [newest]),
        ];
        for (const verifying of verified) expect([what, fails(verifying)]).toEqual([what, true]);
      };
      for (const [index, line] of lines.entries()) {
        const given = JSON.parse(line);
        const withLine = (...replaced: string[]) => lines.toSpliced(index, 1, ...replaced);
        for (const [name, value] of Object.entries(given)) {
          for (const other of others(value)) isFound(withLine(JSON.stringify({ ...given, [name]: other })), `${index} ${name}`);
          const { [name]: _, ...without } = given;
          if (name !== 'content') isFound(withLine(JSON.stringify(without)), `${index} without ${name}`);
        }
        isFound(withLine(), `${index} removed`);
        isFound(withLine(line, line), `${index} doubled`);
        const next = lines[index + 1];
        if (next) isFound(lines.toSpliced(index, 2, next, line), `${index} moved`);
      }
    }
  });

  it('is refused for another tenant, for another key, and when it is older than the checkpoint', async () => {
    const [{ own, first, newest }, other] = [await example(), await example()];
    const text = await bundle(own);
    expect(() => verify(text, [other.newest])).toThrow(/another/);
    expect(() => new BundleVerifier({ publicKeys: ['A'.repeat(43)], checkpoints: [] }).readLine(text.split('\n')[0]!)).toThrow(
      /public key/,
    );
    const { number } = JSON.parse(Buffer.from(first.split('.')[0]!, 'base64url').toString());
    const lines = text.split('\n').slice(0, -1);
    const cut = lines.findIndex((line) => line.includes(`"kind":"block","number":${number + 1}`));
    const counts = { blocks: number + 1, records: 2, edits: 0 };
    const shorter = [...lines.slice(0, cut), JSON.stringify({ kind: 'end', ...counts, checkpoint: first })].join('\n') + '\n';
    expect(verify(shorter, [first])).toMatchObject({ blocks: number + 1 });
    expect(() => verify(shorter, [newest])).toThrow(/truncated/);
  });

  it('shows changes made in the database', async () => {
    const { own, few } = await example();
    const database = allRowsOf('no API forges a record', log.server);
    await database.log.update({ where: { id: few.id }, data: { documentId: 'forged' } });
    const text = await bundle(own);
    expect(() => verify(text)).toThrow(`record ${few.id}`);
  });

  it('is verified by the command line without database, secret or server', async () => {
    const { own, first, newest } = await example();
    const folder = mkdtempSync(join(tmpdir(), 'log-bundle-'));
    const file = (name: string, content: string) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    try {
      const text = await bundle(own);
      const keys = await (await fetch(`${log.server.address}/.well-known/platform-services/document-log-keys`)).text();
      const [kept, later] = [file('first', first), file('newest', `${newest}\n`)];
      const checkpoints = ['--checkpoint', kept, '--checkpoint', later];
      const fine = await command('verify', file('bundle', text), ...checkpoints, '--public-key', file('keys', keys));
      expect(fine).toMatchObject({ code: 0, stdout: expect.stringContaining('3 records and 3 edits: all as sealed') });
      const forged = file('forged', text.replace('order-3', 'order-4'));
      expect(await command('verify', forged, ...checkpoints, '--public-key', publicKey)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^line \d+: the content of record [-\w]+ does not match its leafHash\n$/),
      });
      const cut = file('cut', text.slice(0, -20));
      expect(await command('verify', cut, '--public-key', publicKey)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('truncated'),
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const PROOF = `query($id:ID!){logProof(id:$id){
    logId editId content checkpoint block leafIndex leafCount leafHash path root previousBlockHash blockHash}}`;
  it('of one record or one edit is a logProof, which needs nothing else', async () => {
    const { own, few } = await example();
    const { edits } = await own.find(few.id);
    expect(edits).toHaveLength(3);
    for (const id of [few.id, ...edits.map((edit: { id: string }) => edit.id)]) {
      const { logProof: proof } = await own.api.ask(PROOF, { id });
      const said = JSON.parse(proof.content);
      expect(said.id).toBe(id);
      expect([proof.logId, proof.editId]).toEqual(id === few.id ? [id, null] : [few.id, id]);
      expect(leafHash(proof.content)).toBe(proof.leafHash);
      expect(rootOfPath(proof.leafHash, proof.leafIndex, proof.leafCount, proof.path)).toBe(proof.root);
      const { hash, number, tenantId } = readCheckpoint(proof.checkpoint, publicKey);
      const { leafCount, previousBlockHash: previousHash, root } = proof;
      expect(blockHash(tenantId, { leafCount, number, previousHash, root })).toBe(hash);
      expect([proof.blockHash, proof.block, said.tenantId]).toEqual([hash, number, tenantId]);
    }
    const stranger = await log.another();
    expect((await stranger.api.refusal(PROOF, { id: edits[0].id })).code).toBe('NOT_FOUND');
  });

  const CONSISTENCY = `query($from:String!,$to:String!){logConsistency(from:$from,to:$to){
    fromBlock toBlock steps{leafCount root} checkpoint}}`;
  it('is not needed to prove that one checkpoint continues another: logConsistency does', async () => {
    const [{ own, first, newest }, other] = [await example(), await example()];
    const { logConsistency: proof } = await own.api.ask(CONSISTENCY, { from: first, to: newest });
    const [from, to] = [readCheckpoint(first, publicKey), readCheckpoint(newest, publicKey)];
    expect([proof.fromBlock, proof.toBlock]).toEqual([from.number, to.number]);
    let hash = from.hash;
    for (const [index, { leafCount, root }] of proof.steps.entries()) {
      hash = blockHash(from.tenantId, { leafCount, number: from.number + index + 1, previousHash: hash, root });
    }
    expect(hash).toBe(to.hash);
    expect(readCheckpoint(proof.checkpoint, publicKey)).toEqual(to);
    expect((await own.api.ask(CONSISTENCY, { from: newest, to: newest })).logConsistency.steps).toEqual([]);
    const refused = (given: object) => own.api.refusal(CONSISTENCY, { from: first, to: newest, ...given });
    expect(await refused({ from: newest, to: first })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'from' });
    expect(await refused({ from: other.first })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'from' });
    expect(await refused({ to: other.newest })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'to' });
    expect(await refused({ to: newest.slice(0, -9) })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'to' });
    const database = allRowsOf('no API forges a block', log.server);
    const changed = { tenantId: from.tenantId, number: from.number + 1 };
    await database.logBlock.updateMany({ where: changed, data: { root: 'A'.repeat(43) } });
    expect((await refused({})).code).toBe('FAILED_PRECONDITION');
  });

  it('stops reading the database once nobody reads it, so its length uses no memory', async () => {
    const own = await log.another();
    const details = { attributeNewValue: { raw: 'x'.repeat(60_000) } };
    let last = '';
    for (let batch = 0; batch < 6; batch++) last = (await own.createMany(Array.from({ length: 120 }, () => details))).at(-1)!;
    await sealed(own, last);
    const database = allRowsOf('no API shows how much is read', log.server) as any;
    const query = database.$query;
    let reads = 0;
    let running = 0;
    database.$query = (...args: unknown[]) => {
      if (String((args[0] as any).text).includes('l."leafHash"')) reads++;
      running++;
      return query.apply(database, args).finally(() => running--);
    };
    try {
      const abort = new AbortController();
      const address = `${log.server.address}/document-log/export?format=bundle`;
      const response = await fetch(address, { headers: { 'x-api-key': own.api.key! }, signal: abort.signal });
      await response.body!.getReader().read();
      let before = -1;
      while (before !== reads || running > 0) {
        before = reads;
        await new Promise((done) => setTimeout(done, 300));
      }
      abort.abort();
      const readsUnread = reads;
      reads = 0;
      expect(verifyBundle(await bundle(own), publicKey)).toHaveLength(720);
      expect(readsUnread).toBeLessThan(reads / 2);
    } finally {
      database.$query = query;
    }
  });
});

const fails = (run: () => unknown): boolean => {
  try {
    run();
    return false;
  } catch {
    return true;
  }
};

/** Returns copies of a value that differ from it in one place. */
function others(value: unknown): unknown[] {
  if (typeof value === 'number') return [value + 1, -1];
  if (typeof value !== 'string') return ['x'];
  const flipped = (at: number) => value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1);
  return [flipped(0), flipped(value.length >> 1), `${value}A`, ''];
}

function command(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH!, HOME: process.env.HOME ?? '/' };
  return new Promise((resolve) => {
    execFile(process.execPath, ['bin/platform-services.mjs', 'log', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}
