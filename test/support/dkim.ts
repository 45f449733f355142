import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programPath } from '../nodes/programs.mjs';

const run = promisify(execFile);
const SIGNATURE = /^DKIM-Signature:.*\r\n(?:[\t ].*\r\n)*/;

/** Returns the signature headers at the top of a mail, and the mail without them. */
export function signaturesOf(mail: Buffer): { signatures: string[]; rest: string } {
  const signatures: string[] = [];
  for (let rest = mail.toString('latin1'); ;) {
    const [signature] = SIGNATURE.exec(rest) ?? [];
    if (signature === undefined) return { signatures, rest };
    signatures.push(signature);
    rest = rest.slice(signature.length);
  }
}

/**
 * Verifies each signature of a mail separately with OpenDKIM, an independent implementation, against given DNS records. Returns its
 * results.
 */
export async function openDkim(mail: Buffer, records: { name: string; value: string }[]): Promise<string[]> {
  const { signatures, rest } = signaturesOf(mail);
  return Promise.all(signatures.map((signature) => openDkimOnce(Buffer.from(signature + rest, 'latin1'), records)));
}

async function openDkimOnce(mail: Buffer, records: { name: string; value: string }[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dkim-'));
  try {
    const at = (name: string) => join(folder, name);
    await writeFile(at('keys'), records.map(({ name, value }) => `${name} ${value}\n`).join(''));
    await writeFile(at('conf'), `Mode v\nTestPublicKeys ${at('keys')}\nSocket local:${at('socket')}\nBackground no\nSyslog no\n`);
    await writeFile(at('mail'), mail);
    const { stdout, stderr } = await run(programPath('opendkim'), ['-x', at('conf'), '-t', at('mail')], {
      timeout: 20_000,
    });
    return `${stdout}${stderr}`;
  } finally {
    await rm(folder, { recursive: true });
  }
}
