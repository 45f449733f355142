import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolders } from '../../src/common/disk/folders.js';
import { Api } from '../support/api.js';
import { SEND } from '../support/email.js';
import { ServerProcess } from '../support/process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
/** Everything below a folder that another user could open, by its mode. */
const openToOthers = (folder: string) =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => (statSync(join(folder, path), { throwIfNoEntry: false })?.mode ?? 0) & 0o077)
    .map((path) => `${modeOf(join(folder, path))} ${path}`);

/** Processes have the umask of the one that starts them. */
function withOpenUmask<T>(start: () => T): T {
  const before = process.umask(0);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}

describe('files of a node on a disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'private-files-'));
  const dataDir = join(folder, 'made', 'data');
  let node: ServerProcess | undefined;
  afterAll(async () => {
    await node?.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  const started = async () => {
    node = withOpenUmask(() => new ServerProcess({ PORT: '0', DATA_DIR: dataDir }));
    const address = await node.ready();
    const key = (await node.until(/shown only once:\s+\S+/)).split(/\s+/).at(-1)!;
    return { files: new Api(address, 'file-management', key), email: new Api(address, 'email', key) };
  };

  it('are closed to other users whatever the umask: database, key, blobs, parts and mails', async () => {
    const { files, email } = await started();
    const { id, uploadUrl } = (await files.ask('mutation{createFile{id uploadUrl}}')).createFile;
    expect((await fetch(uploadUrl, { method: 'PUT', body: Buffer.from('x') })).status).toBe(200);
    const { uploadId } = (await files.ask(`mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`))
      .initiateMultipartUpload;
    const generate = 'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}';
    const url = (await files.ask(generate, { input: { fileId: id, uploadId, partNumber: 1 } })).generatePartUploadUrl;
    expect((await fetch(url, { method: 'PUT', body: Buffer.from('x') })).status).toBe(200);
    await email.ask(SEND, { input: { to: { address: 'a@example.com' }, subject: 's', textBody: 't' } });
    await node!.until(/a mail was stored as a file instead of sent/);

    expect([modeOf(join(folder, 'made')), modeOf(dataDir)]).toEqual(['700', '700']);
    expect(openToOthers(dataDir)).toEqual([]);
    const kept = readdirSync(dataDir, { recursive: true }) as string[];
    for (const name of [
      /\.db$/,
      /\.db-wal$/,
      /\.db-shm$/,
      /^secret\.key$/,
      /^blobs\/.+-.+/,
      /^parts\/.+\/\d{5}\./,
      /^mail\/.+\.eml$/,
    ]) {
      expect(kept).toContainEqual(expect.stringMatching(name));
    }
    expect(node!.output).not.toContain('chmod 700');
  });

  it('go to a folder that several callers create concurrently, with its missing parents', async () => {
    const path = join(folder, 'at-once', 'b', 'c');
    const made = await Promise.all(Array.from({ length: 20 }, () => makeFolders(path)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(modeOf(path)).toBe('700');
  });

  it('are closed by the command line too, which may run before the first start', () => {
    const args = ['bin/platform-services.mjs', 'keys', 'create', '--tenant', 't', '--scope', 'email-api:query:*'];
    const env = { PATH: process.env.PATH!, DATA_DIR: join(folder, 'commands', 'data') };
    const { status } = withOpenUmask(() => spawnSync(process.execPath, args, { cwd: root, env }));
    expect(status).toBe(0);
    expect(modeOf(join(folder, 'commands'))).toBe('700');
    expect(openToOthers(join(folder, 'commands'))).toEqual([]);
  });

  it('are closed at the next start if an earlier version left them open; a given folder is only reported', async () => {
    await node!.stop();
    for (const name of readdirSync(dataDir))
      chmodSync(join(dataDir, name), statSync(join(dataDir, name)).isFile() ? 0o644 : 0o755);
    chmodSync(dataDir, 0o750);

    node = withOpenUmask(() => new ServerProcess({ PORT: '0', DATA_DIR: dataDir }));
    await node.ready();
    expect(existsSync(join(dataDir, 'platform-services.db-wal'))).toBe(true);
    expect(openToOthers(dataDir)).toEqual([]);
    expect(modeOf(dataDir)).toBe('750');
    expect(JSON.parse(await node.until(/\{[^\n]*chmod 700[^\n]*\}/))).toMatchObject({ folder: dataDir, mode: '0750' });
  });
});
