import { fromBase64Url } from './hashes';

/** A checkpoint in readable form. */
export interface Checkpoint {
  hash: string;
  leafCount: number;
  number: number;
  previousHash: string;
  publicKey: string;
  root: string;
  sealedAt: string;
  tenantId: string;
}

const TEXTS = ['hash', 'previousHash', 'publicKey', 'root', 'sealedAt', 'tenantId'] as const;

/** Parses a checkpoint. @throws Error, in words, for an invalid text */
export function readCheckpoint(text: string): Checkpoint {
  const parts = text.trim().split('.');
  const content = parts.length === 2 ? parsed(parts[0]!) : undefined;
  const isWhole =
    content?.['type'] === 'checkpoint' &&
    TEXTS.every((name) => typeof content[name] === 'string') &&
    Number.isInteger(content['number']) &&
    Number.isInteger(content['leafCount']);
  if (!isWhole) throw new Error('Not a valid checkpoint.');
  return content as unknown as Checkpoint;
}

function parsed(base64: string): Record<string, unknown> | undefined {
  try {
    const content: unknown = JSON.parse(new TextDecoder().decode(fromBase64Url(base64)));
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether the signature of a checkpoint matches its key; undefined in a browser without Ed25519. */
export async function isSigned(text: string): Promise<boolean | undefined> {
  const [content = '', signature = ''] = text.trim().split('.');
  let key: CryptoKey;
  try {
    key = await crypto.subtle.importKey('raw', fromBase64Url(readCheckpoint(text).publicKey), 'Ed25519', false, ['verify']);
  } catch {
    return undefined;
  }
  return crypto.subtle.verify('Ed25519', key, fromBase64Url(signature), fromBase64Url(content));
}

/** Reads the public keys that the server publishes. */
export async function servedKeys(signal?: AbortSignal): Promise<string[]> {
  const response = await fetch('/.well-known/platform-services/document-log-keys', { ...(signal && { signal }) });
  const { keys } = (await response.json()) as { keys: { x: string }[] };
  return keys.map(({ x }) => x);
}

/** Parses a checkpoint from a person or the server; `fault` says why it is invalid. */
export function readGiven(text: string): { checkpoint?: Checkpoint; fault?: string } {
  if (text.trim() === '') return {};
  try {
    return { checkpoint: readCheckpoint(text) };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}
