import { Signing } from '../../src/common/signing/signer.js';
import { BundleVerifier } from '../../src/modules/document-log/verification/bundle-verifier.js';
import { makeKeyChange, readKeyChange } from '../../src/modules/document-log/seals/key-change.js';
import { SealKeys } from '../../src/modules/document-log/seals/seal-keys.js';
import type { SealSigner } from '../../src/modules/document-log/seals/seal-signer.js';
import { makeHorizonBlock } from '../../src/modules/document-log/retention/horizon.js';
import { makeBlock, makeChangeBlock } from '../../src/modules/document-log/seals/block.js';
import type { Block } from '../../src/modules/document-log/seals/block-row.js';
import { makeCheckpoint } from '../../src/modules/document-log/seals/checkpoint.js';
import { verifyBundle } from '../support/independent-verifier.js';

const tenantId = 'tenant-1';
const signerOf = (secret: string): SealSigner => new SealKeys(new Signing(Buffer.from(secret))).current;
const owner = signerOf('a secret key that only tests are using');
const thief = signerOf('a secret that an intruder made up');
const leafHash = 'A'.repeat(43);

const first = makeBlock(
  { tenantId, toSeq: 1n, toEditSeq: 0n },
  undefined,
  { ids: { logs: ['id-1'], edits: [] }, hashes: [Buffer.from(leafHash, 'base64url')] },
  owner,
);
const checkpoint = makeCheckpoint(first, owner);

const blockLine = (block: Block) => {
  const { number, leafCount, root, previousHash, hash, idsHash, sealedAt, signature } = block;
  const seqs = { toSeq: String(block.toSeq), toEditSeq: String(block.toEditSeq) };
  return { kind: 'block', number, leafCount, root, previousHash, hash, idsHash, ...seqs, sealedAt, signature };
};
const horizonBlock = (previous: Block, signer: SealSigner) =>
  makeHorizonBlock(
    previous,
    { tenantId, upToBlock: 0, olderThan: '2026-11-21T10:00:00.000Z', removedRecords: 1, removedEdits: 0 },
    signer,
  );
const bundleOf = (lines: object[], last: Block, signer: SealSigner): string => {
  const header = {
    kind: 'header',
    format: 'document-log-bundle',
    version: 4,
    tenantId,
    publicKey: owner.publicKey,
    fromBlock: 0,
  };
  const end = { kind: 'end', blocks: last.number + 1, records: 0, edits: 0, checkpoint: makeCheckpoint(last, signer) };
  return [header, ...lines, end].map((line) => `${JSON.stringify(line)}\n`).join('');
};
const verify = (text: string) => {
  const verifier = new BundleVerifier({ publicKeys: [owner.publicKey], checkpoints: [checkpoint] });
  for (const line of text.split('\n').slice(0, -1)) verifier.readLine(line);
  return verifier.finish();
};

describe('a bundle with a removed block', () => {
  it('is verified when the key is changed by a block of its own', () => {
    const change = makeChangeBlock(first, owner, thief);
    const horizon = horizonBlock(change, thief);
    const changed = { kind: 'key', ...readKeyChange(change.keyChange!) };
    const lines = [blockLine(first), { kind: 'removed' }, blockLine(change), changed];
    const text = bundleOf([...lines, blockLine(horizon), { kind: 'horizon', content: horizon.horizon }], horizon, thief);
    expect(verify(text)).toMatchObject({ blocks: 3, removedBlocks: 1, publicKeys: [owner.publicKey, thief.publicKey] });
    expect(verifyBundle(text, owner.publicKey, [checkpoint])).toEqual([]);
  });

  it('is refused when an intruder hands the log over to a key of his own in place of the removed records', () => {
    const keys = { oldKey: owner.publicKey, newKey: thief.publicKey };
    const change = { kind: 'key', ...makeKeyChange(first.hash, keys, thief) };
    const horizon = horizonBlock(first, thief);
    const rest = [blockLine(horizon), { kind: 'horizon', content: horizon.horizon }];
    for (const leaves of [[{ kind: 'removed' }, change], [change, { kind: 'removed' }], [change]]) {
      const text = bundleOf([blockLine(first), ...leaves, ...rest], horizon, thief);
      expect(() => verify(text)).toThrow(/must be the only l(eaf|ine) of its block|do not match its root/);
      expect(() => verifyBundle(text, owner.publicKey, [checkpoint])).toThrow();
    }
  });
});
