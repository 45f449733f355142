import { createHash, createPublicKey, verify } from 'node:crypto';

// A verifier written from docs/document-log-seals.md alone, without src.

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const text = (hash: Buffer): string => hash.toString('base64url');
const bytes = (hash: string): Buffer => Buffer.from(hash, 'base64url');

/** RFC 8785 of an object with texts and whole numbers. */
const canonical = (value: Record<string, unknown>): string =>
  `{${Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(value[name])}`)
    .join()}}`;

const ed25519 = (publicKey: string, message: string, signature: string): boolean =>
  verify(
    null,
    Buffer.from(message),
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' }),
    bytes(signature),
  );

const node = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.from([1]), left, right);
function merkleRoot(leaves: Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0]!;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return node(merkleRoot(leaves.slice(0, split)), merkleRoot(leaves.slice(split)));
}

export const leafHash = (content: string): string => text(sha256(Buffer.from([0]), content));

export const blockHash = (tenantId: string, { number, leafCount, root, previousHash }: Record<string, unknown>): string =>
  text(sha256(canonical({ leafCount, number, previousHash, root, tenantId })));

/** RFC 9162, 2.1.3.2. */
export function rootOfPath(leaf: string, leafIndex: number, leafCount: number, path: string[]): string {
  let [hash, fn, sn] = [bytes(leaf), leafIndex, leafCount - 1];
  for (const sibling of path.map(bytes)) {
    if (fn % 2 === 1 || fn === sn) {
      hash = node(sibling, hash);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1];
    } else hash = node(hash, sibling);
    [fn, sn] = [fn >> 1, sn >> 1];
  }
  if (sn !== 0) throw new Error('the path is too short');
  return text(hash);
}

const same = (what: string, a: unknown, b: unknown): void => {
  if (a !== b) throw new Error(`${what}: ${String(a)} is not ${String(b)}`);
};

export function readCheckpoint(checkpoint: string, ...publicKeys: string[]): Record<string, any> {
  const [encoded, signature] = checkpoint.split('.') as [string, string];
  same('the spelling of the checkpoint', `${text(bytes(encoded))}.${text(bytes(signature))}`, checkpoint);
  const message = bytes(encoded).toString();
  const said = JSON.parse(message);
  same('the key of the checkpoint', publicKeys.includes(said.publicKey), true);
  same('the signature of the checkpoint', ed25519(said.publicKey, message, signature), true);
  same('the type', said.type, 'checkpoint');
  same('the hash of the checkpoint', blockHash(said.tenantId, said), said.hash);
  return said;
}

/** Verifies a bundle, and returns the contents of its records and edits. @throws at the first fault */
export function verifyBundle(bundle: string, publicKey: string, checkpoints: string[] = []): Record<string, any>[] {
  const lines = bundle
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const [header, end] = [lines.shift(), lines.pop()];
  same('the first line', header.kind, 'header');
  same('the format', header.format, 'document-log-bundle');
  same('the last line', end.kind, 'end');
  const keys: string[] = [header.publicKey];
  const contents: Record<string, any>[] = [];
  const hashes = new Map<number, string>();
  const counts: Record<string, number> = { block: 0, record: 0, edit: 0 };
  let number = header.fromBlock - 1;
  const missing = new Set<string>();
  let [lastRemoved, horizon] = [-1, -1];
  for (let at = 0; at < lines.length;) {
    const block = lines[at++];
    same('the kind', block.kind, 'block');
    same('the number', block.number, ++number);
    if (number === 0) same('the first previousHash', block.previousHash, 'A'.repeat(43));
    else if (hashes.has(number - 1)) same(`the hash before block ${number}`, block.previousHash, hashes.get(number - 1));
    else hashes.set(number - 1, block.previousHash);
    const isRemoved = lines[at]?.kind === 'removed';
    const leaves = isRemoved ? [] : lines.slice(at, at + block.leafCount);
    at += isRemoved ? 1 : block.leafCount;
    if (isRemoved) lastRemoved = number;
    const ids = { edits: [] as string[][], logs: [] as string[] };
    let newKey: string | undefined;
    if (leaves[0]?.kind === 'key') {
      const { oldKey, newSignature, ...change } = leaves.shift();
      newKey = change.newKey as string;
      same('the members of a key', JSON.stringify(Object.keys(change).sort()), '["kind","newKey"]');
      same('further leaves beside a key', leaves.length, 0);
      same('the old key', oldKey, keys.at(-1));
      const signed = canonical({ hash: block.hash, newKey, oldKey, type: 'key' });
      same('the spelling of the signature', text(bytes(newSignature)), newSignature);
      same('the signature of the new key', ed25519(newKey, signed, newSignature), true);
      leaves.push({ leafHash: leafHash(canonical({ newKey, oldKey, tenantId: header.tenantId, type: 'key' })) });
    }
    if (leaves[0]?.kind === 'horizon') {
      same('further leaves beside a horizon', leaves.length, 1);
      const said = JSON.parse(leaves[0].content);
      same('the horizon', `${said.type} ${said.tenantId}`, `horizon ${header.tenantId}`);
      horizon = said.upToBlock;
      leaves[0].leafHash = leafHash(leaves[0].content);
    }
    const isEmpty = newKey !== undefined || leaves[0]?.kind === 'horizon';
    for (const { kind, id, logId, leafHash: given, content, personal, salt, erased, ...rest } of isEmpty ? [] : leaves) {
      same('further members', Object.keys(rest).length, 0);
      if (erased) missing.add(kind === 'record' ? id : logId);
      if (kind === 'record') ids.logs.push(id);
      else if (kind === 'edit') ids.edits.push([id, logId]);
      else throw new Error(`${kind} is no leaf`);
      if (content === undefined) continue;
      same(`the leaf of ${id}`, leafHash(content), given);
      const said = JSON.parse(content);
      same('the type', said.type, kind === 'record' ? 'log' : 'edit');
      same('the id', said.id, id);
      same('the tenant', said.tenantId, header.tenantId);
      if (kind === 'edit') same('the record of the edit', said.logId, logId);
      if (said.field === 'erased') missing.delete(logId);
      if (erased)
        same('the values of an erased leaf', `${personal} ${salt} ${typeof said.personalHash}`, 'undefined undefined string');
      else if (said.field === 'erased') same('the values of an erasure', `${personal} ${salt}`, 'undefined undefined');
      else same('the personalHash', text(sha256(salt, personal)), said.personalHash);
      contents.push(personal === undefined ? said : { ...said, ...JSON.parse(personal) });
    }
    if (!isRemoved) {
      same('the root', text(merkleRoot(leaves.map((leaf) => bytes(leaf.leafHash)))), block.root);
      same('the idsHash', text(sha256(JSON.stringify(ids))), block.idsHash);
    }
    same('the hash', blockHash(header.tenantId, block), block.hash);
    const { hash, idsHash, sealedAt, toEditSeq, toSeq } = block;
    const signed = canonical({ hash, idsHash, sealedAt, toEditSeq, toSeq, type: 'block' });
    same('the signature', ed25519(keys.at(-1)!, signed, block.signature), true);
    if (newKey) keys.push(newKey);
    hashes.set(number, hash);
    counts.block!++;
    counts.record! += ids.logs.length;
    counts.edit! += ids.edits.length;
  }
  same('the counts', `${end.blocks} ${end.records} ${end.edits}`, `${counts.block} ${counts.record} ${counts.edit}`);
  same('the version', header.version, keys.length === 1 ? 3 : 4);
  same('the horizon of removed blocks', horizon >= lastRemoved, true);
  if (lastRemoved < 0 && header.fromBlock === 0) same('records without values and erasure', missing.size, 0);
  same('the given key', keys.includes(publicKey), true);
  const kept = checkpoints.map((one) => readCheckpoint(one, ...keys));
  if (end.checkpoint !== null) kept.push(readCheckpoint(end.checkpoint, keys.at(-1)!));
  for (const checkpoint of kept) {
    same('the tenant of the checkpoint', checkpoint.tenantId, header.tenantId);
    same(`block ${checkpoint.number}`, hashes.get(checkpoint.number), checkpoint.hash);
  }
  return contents;
}
