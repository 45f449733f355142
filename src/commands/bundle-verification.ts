import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type BundleReport } from '../modules/document-log/verification/bundle-report.js';
import { verifyBundle } from '../modules/document-log/verification/verify-bundle.js';

const KEY = /^[\w-]{43}$/;

export interface VerifyOptions {
  checkpoint: string[];
  publicKey: string;
}

/**
 * Returns the report of a verified bundle, line by line. Reads only the named files.
 * @throws InvalidBundle; an error of Node if a file cannot be read
 */
export async function verifyBundleFile(bundle: string, { checkpoint, publicKey }: VerifyOptions): Promise<string[]> {
  const checkpoints = await Promise.all(checkpoint.map(async (file) => (await readFile(file, 'utf8')).trim()));
  const content = bundle === '-' ? process.stdin : createReadStream(bundle);
  return reportLines(await verifyBundle(content, { publicKeys: await keysOf(publicKey), checkpoints }));
}

/** Returns the given key, or reads the keys from a file with the JWK set of the well-known URL. */
async function keysOf(keyOrFile: string): Promise<string[]> {
  if (KEY.test(keyOrFile)) return [keyOrFile];
  const { keys } = JSON.parse(await readFile(keyOrFile, 'utf8')) as { keys?: { x?: unknown }[] };
  const found = (keys ?? []).map(({ x }) => x).filter((x) => typeof x === 'string');
  if (found.length === 0) throw new Error('--public-key must be 43 characters, or a file with a JWK set');
  return found;
}

function reportLines({ tenantId, fromBlock, blocks, records, edits, hidden, last, ...report }: BundleReport): string[] {
  const { checkpoints, publicKeys } = report;
  const lines = [
    `tenant ${tenantId}`,
    `${blocks} blocks from ${fromBlock} on, ${records} records and ${edits} edits: all as sealed`,
  ];
  if (last) lines.push(`the last block is ${last.number}, sealed at ${last.sealedAt}`);
  if (hidden > 0) lines.push(`${hidden} records and edits are in the bundle as hashes only, without their content`);
  if (report.erasedRecords > 0) lines.push(`${report.erasedRecords} records were erased, as sealed edits say`);
  if (report.removedBlocks > 0)
    lines.push(`the records of ${report.removedBlocks} blocks were removed, as a sealed horizon says`);
  if (publicKeys.length > 1) lines.push(`the key was changed, each time signed by both keys: ${publicKeys.join(', then ')}`);
  if (checkpoints.length > 0) lines.push(`fits the checkpoint of block ${checkpoints.join(', and of block ')}`);
  else lines.push('no checkpoint was given, so a cut at the newest blocks would go unnoticed');
  return lines;
}
