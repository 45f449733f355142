import { createHash, createHmac, createPublicKey, hkdfSync, randomInt, verify } from 'node:crypto';
import canonicalize from 'canonicalize';
import { Signing } from '../../src/common/signing/signer.js';
import { makeBlock } from '../../src/modules/document-log/seals/block.js';
import { isOfHash, LeafService } from '../../src/modules/document-log/records/leaf.service.js';
import {
  canonicalEdit,
  canonicalLog,
  canonicalRemainder,
  personalOfEdit,
  personalOfLog,
} from '../../src/modules/document-log/records/canonical.js';
import { auditPathOf, rootOf } from '../../src/modules/document-log/records/merkle.js';
import { makeCheckpoint } from '../../src/modules/document-log/seals/checkpoint.js';
import { SealKeys } from '../../src/modules/document-log/seals/seal-keys.js';

// The rules of docs/document-log-seals.md, written from that page and not from src.
const SECRET = 'a secret key that only tests are using';
const sha256 = (...parts: (string | Buffer)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const key = (purpose: string) => Buffer.from(hkdfSync('sha256', SECRET, '', `platform-services/${purpose}`, 32));
const leaf = (content: object) => sha256(Buffer.from([0]), canonicalize(content)!);
const mac = (hash: Buffer, { id, tenantId }: { id: string; tenantId: string }) =>
  createHmac('sha256', key('log-mac'))
    .update(Buffer.concat([hash, Buffer.from(`${id}\n${tenantId}`)]))
    .digest('base64url');
const split = (size: number) => {
  let k = 1;
  while (k * 2 < size) k *= 2;
  return k;
};
const tree = (leaves: Buffer[]): Buffer => {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0]!;
  const k = split(leaves.length);
  return sha256(Buffer.from([1]), tree(leaves.slice(0, k)), tree(leaves.slice(k)));
};
const audit = (leaves: Buffer[], index: number): Buffer[] => {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  return index < k
    ? [...audit(leaves.slice(0, k), index), tree(leaves.slice(k))]
    : [...audit(leaves.slice(k), index - k), tree(leaves.slice(0, k))];
};

const LOG = {
  id: '01900000-0000-7000-8000-000000000001',
  tenantId: 'tenant-1',
  documentId: 'D-1',
  documentType: 'order',
  dateTime: new Date('2026-11-21T10:00:00.000Z'),
  createdAt: new Date('2026-11-21T10:00:01.234Z'),
  attributeId: 'price',
  authorId: null,
  action: 'set',
  comment: 'ö "1"\n',
  custom1: null,
  custom2: null,
  details: '{"attribute":{"id":"price"}}',
};
const EDIT = {
  id: '01900000-0000-7000-8000-000000000002',
  tenantId: 'tenant-1',
  logId: LOG.id,
  field: 'comment',
  dateTime: new Date('2026-11-21T10:00:02.000Z'),
  oldValue: LOG.comment,
  newValue: null,
};
const PERSONAL = ['authorId', 'comment', 'custom1', 'custom2', 'details', 'oldValue', 'newValue', 'salt'];
const SALT = Buffer.from([...Array(16).keys()]).toString('base64url');
const salted = <T extends object>(row: T, personal: object) => {
  const personalHash = sha256(SALT, canonicalize(personal)!).toString('base64url');
  return { ...row, salt: SALT, personalHash };
};
const SALTED_LOG = salted(LOG, { comment: LOG.comment, details: LOG.details });
const SALTED_EDIT = salted(EDIT, { oldValue: EDIT.oldValue });
const ERASURE = { ...EDIT, id: '01900000-0000-7000-8000-000000000003', field: 'erased', oldValue: null, newValue: 'a hash' };
const without = (row: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => ![...PERSONAL, ...names].includes(name)));
const content = (type: string, row: object) => {
  const given = Object.entries(row).filter(([, value]) => value !== null);
  return {
    type,
    ...Object.fromEntries(given.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value])),
  };
};

describe('the seals of the log', () => {
  const signing = new Signing(Buffer.from(SECRET));
  const leaves = new LeafService(signing);
  const signer = new SealKeys(signing).current;

  it('have the roots of Certificate Transparency’s reference leaves', () => {
    const given = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
    const hashes = given.map((hex) => sha256(Buffer.from([0]), Buffer.from(hex, 'hex')));
    const roots = given.map((_, index) => rootOf(hashes.slice(0, index + 1)).toString('hex'));
    expect(roots).toEqual([
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ]);
    expect(rootOf([])).toEqual(sha256());
  });

  it('have roots and paths by the recursive definition, for every size and leaf', () => {
    for (let size = 1; size <= 40; size++) {
      const hashes = Array.from({ length: size }, (_, index) => sha256(String(index)));
      expect(rootOf(hashes)).toEqual(tree(hashes));
      for (let index = 0; index < size; index++) expect(auditPathOf(hashes, index)).toEqual(audit(hashes, index));
    }
  });

  it('have leaves and MACs as documented', () => {
    for (const [made, type, row, said] of [
      [leaves.leafOfLog(SALTED_LOG), 'log', LOG, without(SALTED_LOG)],
      [leaves.leafOfEdit(SALTED_EDIT), 'edit', EDIT, without(SALTED_EDIT)],
      [leaves.leafOfEdit(ERASURE), 'edit', ERASURE, ERASURE],
    ] as const) {
      const hash = leaf(content(type, said));
      expect(made).toEqual({ leafHash: hash.toString('base64url'), mac: mac(hash, row) });
      expect(leaves.isAuthentic({ ...made, id: row.id, tenantId: row.tenantId })).toBe(true);
      expect(leaves.isAuthentic({ ...made, id: 'another', tenantId: row.tenantId })).toBe(false);
    }
  });

  it('have blocks and checkpoints as documented', () => {
    const hashes = [leaf(content('log', LOG)), leaf(content('edit', EDIT))];
    const leafs = { ids: { logs: [LOG.id], edits: [[EDIT.id, LOG.id] as [string, string]] }, hashes };
    const block = makeBlock({ tenantId: 'tenant-1', toSeq: 1n, toEditSeq: 1n }, undefined, leafs, signer);
    const root = tree(hashes).toString('base64url');
    const previousHash = 'A'.repeat(43);
    const hash = sha256(canonicalize({ tenantId: 'tenant-1', number: 0, leafCount: 2, root, previousHash })!).toString(
      'base64url',
    );
    expect(block).toMatchObject({ number: 0, leafCount: 2, root, previousHash, hash });
    expect(block.leafIds).toBe(`{"edits":[["${EDIT.id}","${LOG.id}"]],"logs":["${LOG.id}"]}`);

    const [encoded, signature] = makeCheckpoint(block, signer).split('.') as [string, string];
    const text = Buffer.from(encoded, 'base64url').toString();
    const checkpoint = JSON.parse(text);
    expect(canonicalize(checkpoint)).toBe(text);
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: checkpoint.publicKey }, format: 'jwk' });
    expect(verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    const idsHash = sha256(block.leafIds).toString('base64url');
    const sealedAt = block.sealedAt.toISOString();
    const signed = canonicalize({ type: 'block', hash, idsHash, sealedAt, toSeq: '1', toEditSeq: '1' })!;
    expect(verify(null, Buffer.from(signed), publicKey, Buffer.from(block.signature, 'base64url'))).toBe(true);
  });

  it('have the canonical form of RFC 8785, whatever the texts', () => {
    const text = () =>
      String.fromCodePoint(
        ...Array.from({ length: randomInt(20) }, () => [randomInt(1, 0x300), 0x2028, 0x1f600, 34, 92][randomInt(5)]!),
      );
    const maybe = () => (randomInt(3) === 0 ? null : text());
    const time = () => new Date(randomInt(2 ** 45));
    for (let round = 0; round < 2_000; round++) {
      const texts = { documentId: text(), documentType: text(), details: text(), attributeId: maybe(), authorId: maybe() };
      const free = { action: maybe(), comment: maybe(), custom1: maybe(), custom2: maybe(), dateTime: time(), createdAt: time() };
      const log = { id: text(), tenantId: text(), personalHash: text(), ...texts, ...free };
      expect(canonicalLog(log)).toBe(canonicalize(content('log', without(log))));
      const edit = {
        id: text(),
        tenantId: text(),
        logId: text(),
        dateTime: time(),
        field: text(),
        oldValue: maybe(),
        newValue: maybe(),
        personalHash: text(),
      };
      expect(canonicalEdit(edit)).toBe(canonicalize(content('edit', without(edit))));
      const erasure = { ...edit, field: 'erased', personalHash: null };
      expect(canonicalEdit(erasure)).toBe(canonicalize(content('edit', erasure)));
    }
  });

  it('match the test vectors of the documentation', () => {
    expect([SALT, signer.publicKey]).toEqual(['AAECAwQFBgcICQoLDA0ODw', 'vq3kbGhcnAYeJY3zFKU2_nS7-VO14_-XIaw8PoEsZlg']);
    expect(isOfHash(personalOfLog(LOG), SALTED_LOG)).toBe(true);
    expect(isOfHash(personalOfEdit(EDIT), SALTED_EDIT)).toBe(true);
    expect(isOfHash(personalOfLog({ ...LOG, comment: 'a guess' }), SALTED_LOG)).toBe(false);
    expect(isOfHash(personalOfLog(LOG), { salt: null, personalHash: null })).toBe(false);
    const remainder = {
      edits: [[EDIT.id, 'comment', EDIT.dateTime.toISOString()]],
      log: canonicalize(content('log', without(SALTED_LOG, 'personalHash'))),
    };
    expect(canonicalRemainder(SALTED_LOG, [SALTED_EDIT])).toBe(canonicalize(remainder));
    const sealed = sha256(canonicalize(remainder)!).toString('base64url');
    expect([leaves.leafOfLog(SALTED_LOG), leaves.leafOfEdit(SALTED_EDIT), sealed]).toEqual([
      { leafHash: '1KupJ2ydHALzCq75Kd7grvcInUUfxpEh3Khgzy9IIDU', mac: 's1VIC2ogCmJ7arvt8X296mnDqXRHbo9zAcIUBuGK-9U' },
      { leafHash: 'zXhtrW4VhbCPykqxUT7-ekH-xTIn61REE16_2JciSBs', mac: '4s6u_pi4BnTvHExLIg87n_qEz7NVGiYM9X7Q_w1UA7M' },
      '3MmQSJA0ZpnsvkptThfMnhVYFQT-_AZohSv63bKRlSw',
    ]);
  });
});
