import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Verifies the signature of a mail with OpenDKIM, which nobody here wrote, by the records that a name server would have. Returns what it says. */
export async function openDkim(mail: Buffer, records: { name: string; value: string }[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dkim-'));
  try {
    const at = (name: string) => join(folder, name);
    await writeFile(at('keys'), records.map(({ name, value }) => `${name} ${value}\n`).join(''));
    await writeFile(at('conf'), `Mode v\nTestPublicKeys ${at('keys')}\nSocket local:${at('socket')}\nBackground no\nSyslog no\n`);
    await writeFile(at('mail'), mail);
    const { stdout, stderr } = await run('opendkim', ['-x', at('conf'), '-t', at('mail')], {
      timeout: 20_000,
      env: { PATH: `${process.env.PATH}:/usr/sbin` },
    });
    return `${stdout}${stderr}`;
  } finally {
    await rm(folder, { recursive: true });
  }
}
