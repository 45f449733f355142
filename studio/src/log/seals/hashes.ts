const encoder = new TextEncoder();

/** Whether this page may compute hashes: browsers allow it over HTTPS and from localhost only. */
export const canHash = (): boolean => globalThis.crypto.subtle !== undefined;

export const sha256 = async (...parts: (Uint8Array | string)[]): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', joined(parts)));

function joined(parts: readonly (Uint8Array | string)[]): Uint8Array<ArrayBuffer> {
  const bytes = parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part));
  const all = new Uint8Array(bytes.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of bytes) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCodePoint(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** @throws Error for text that is not base64url */
export const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.codePointAt(0)!);

export interface BlockFields {
  leafCount: number;
  number: number;
  previousHash: string;
  root: string;
  tenantId: string;
}

/** Returns the hash of a block, over its canonical JSON. */
export const blockHash = async ({ leafCount, number, previousHash, root, tenantId }: BlockFields): Promise<string> =>
  toBase64Url(await sha256(JSON.stringify({ leafCount, number, previousHash, root, tenantId })));

/** Computes the root of a tree from a leaf and its path, by RFC 6962, 2.1.1. Returns undefined for a path of the wrong length. */
export async function rootFrom(
  leaf: string,
  { index, count, path }: { index: number; count: number; path: readonly string[] },
): Promise<string | undefined> {
  let hash: Uint8Array = fromBase64Url(leaf);
  let node = index;
  let last = count - 1;
  for (const text of path) {
    if (last === 0) return undefined;
    const sibling = fromBase64Url(text);
    const isRight = node % 2 === 1 || node === last;
    hash = isRight ? await sha256(NODE, sibling, hash) : await sha256(NODE, hash, sibling);
    while (isRight && node % 2 === 0 && node !== 0) {
      node = Math.floor(node / 2);
      last = Math.floor(last / 2);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? toBase64Url(hash) : undefined;
}

const NODE = Uint8Array.of(1);
export const LEAF = Uint8Array.of(0);
