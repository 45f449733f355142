// @nightly: many starts of nodes, and a restore that is killed at each step
import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pack } from 'tar-stream';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { openSqlite } from './support/behind-the-api.js';
import { dataFolder } from './support/folders.js';
import { areMet, needing, program, SERVICE } from './support/needs.js';
import { Possessions } from './support/possessions.js';
import { CLI, Deployment, type ServerProcess } from './support/process.js';
import { until } from './support/websockets.js';

declare const databaseKind: string;
const onSqlite = databaseKind === 'sqlite' ? describe : describe.skip;
const onPostgres = databaseKind === 'postgresql' ? describe : describe.skip;
const { TEST_S3_ENDPOINT, TEST_S3_ACCESS_KEY, TEST_S3_SECRET_KEY } = process.env;

const root = fileURLToPath(new URL('../', import.meta.url));
const KILLER = fileURLToPath(new URL('./support/kill-at.mjs', import.meta.url));
const DATABASE = 'platform-services.db';
const folders: string[] = [];
const folder = () => {
  folders.push(dataFolder());
  return folders.at(-1)!;
};
afterAll(() => folders.forEach((one) => rmSync(one, { recursive: true, force: true })));

interface Files {
  input?: string;
  output?: string;
  env?: Record<string, string>;
}

/** Runs a command on a folder, with files for its standard streams. */
async function command(dataDir: string, args: string[], { input, output, env }: Files = {}) {
  const files = [input && openSync(input, 'r'), output && openSync(output, 'w')].filter((file) => typeof file === 'number');
  const child = spawn(CLI[0], [...CLI.slice(1), ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, ...env },
    stdio: [input ? files[0]! : 'ignore', output ? files.at(-1)! : 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += String(chunk)));
  const code = await new Promise((resolve) => child.once('close', (status, signal) => resolve(status ?? signal)));
  for (const file of files) closeSync(file);
  return { code, said };
}

/** Runs a program of PostgreSQL, or rclone, which has the store as a remote of that name. */
const tool = (program: string, ...args: string[]) =>
  promisify(execFile)(program, args, {
    timeout: 60_000,
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      RCLONE_CONFIG_STORE_TYPE: 's3',
      RCLONE_CONFIG_STORE_PROVIDER: 'Other',
      RCLONE_CONFIG_STORE_ENDPOINT: TEST_S3_ENDPOINT,
      RCLONE_CONFIG_STORE_ACCESS_KEY_ID: TEST_S3_ACCESS_KEY,
      RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY: TEST_S3_SECRET_KEY,
    },
  });

onSqlite('a backup', () => {
  let deployment: Deployment;
  let server: ServerProcess;
  let tenant: Possessions;
  let key: string;
  const start = async () => {
    server = deployment.start({ PORT: '0' });
    tenant = tenant?.at(await server.ready()) ?? new Possessions(await server.ready(), key);
  };
  beforeAll(async () => {
    deployment = await Deployment.create({ SECRET_KEY: '' });
    key = await deployment.keys('create', '--tenant', 'acme', '--scope', ALL_SCOPES);
    await start();
  });
  afterAll(() => deployment.remove());

  it('created while everything changes restores every service after a disaster', async () => {
    const mailId = await tenant.acquire();
    const mailFile = `${mailId}.eml`;
    await until(() => readdirSync(join(deployment.dataDir, 'mail')).includes(mailFile));

    const [kept, work] = [folder(), folder()];
    const [toFolder, toStream] = await tenant.changeDuring(() =>
      Promise.all([
        command(deployment.dataDir, ['backup', join(kept, 'new')]),
        command(deployment.dataDir, ['backup', '-'], { output: join(work, 'tar') }),
      ]),
    );
    expect([toFolder.code, toStream.code, toFolder.said + toStream.said]).toEqual([0, 0, expect.not.stringContaining('lost')]);
    expect(readdirSync(deployment.dataDir).filter((name) => name.startsWith('backup'))).toEqual([]);
    expect(statSync(join(kept, 'new', DATABASE)).mode & 0o077).toBe(0);
    await tenant.addLate();

    for (const source of [{ path: join(kept, 'new') }, { path: '-', input: join(work, 'tar') }]) {
      await server.stop('SIGKILL');
      rmSync(deployment.dataDir, { recursive: true });
      const { code, said } = await command(deployment.dataDir, ['restore', source.path], { input: source.input });
      expect([code, said]).toEqual([0, expect.stringMatching(/^\d+ files of \d{4}-.* were restored\n$/)]);
      await start();
      await tenant.expectRestored();
      expect(readFileSync(join(deployment.dataDir, 'mail', mailFile), 'utf8')).toContain('Subject: kept');
      const { said: found } = await command(deployment.dataDir, ['files', 'reconcile', '--dry-run']);
      expect(found).not.toMatch(/lostContents|wrongUsage/);
    }
  });

  it('names blobs that the store has lost, and contains everything else', async () => {
    const id = await tenant.file('lost');
    const [{ blobKey }] = (await deployment.query(
      'no API shows where a content is stored',
      `SELECT "blobKey" FROM "File" WHERE "id" = '${id}'`,
    )) as {
      blobKey: string;
    }[] as [{ blobKey: string }];
    await server.stop(); // or it may notice first
    rmSync(join(deployment.dataDir, 'blobs', blobKey));
    const target = join(folder(), 'new');
    const { code, said } = await command(deployment.dataDir, ['backup', target]);
    expect([code, said]).toEqual([3, expect.stringContaining(`lost\t${blobKey}\n`)]);
    expect(await command(folder(), ['restore', target])).toMatchObject({ code: 0 });
    await command(deployment.dataDir, ['files', 'reconcile']);
    await start();
  });

  it('never overwrites a file, and is not restored over data or under a running server', async () => {
    const target = folder();
    expect(await command(deployment.dataDir, ['backup', target])).toMatchObject({ code: 0 });
    expect(await command(deployment.dataDir, ['backup', target])).toEqual({
      code: 1,
      said: `${target} must be empty or not exist yet\n`,
    });
    const over = await command(deployment.dataDir, ['restore', target]);
    expect(over).toEqual({ code: 1, said: expect.stringMatching(/^DATA_DIR must be empty, but .* has .*--replace\n$/) });
    const under = await command(deployment.dataDir, ['restore', target, '--replace']);
    expect(under).toEqual({ code: 1, said: expect.stringMatching(/^DATA_DIR is in use by process \d+: stop that server/) });
    expect(await tenant.content(await tenant.file('still'))).toEqual(Buffer.from('still'));
  });
});

onSqlite('a damaged backup', () => {
  const source = folder();
  const damaged = folder();
  beforeAll(async () => {
    const origin = folder();
    await command(origin, ['keys', 'create', '--tenant', 'a', '--scope', 'email-api:query:*']);
    mkdirSync(join(origin, 'mail'));
    writeFileSync(join(origin, 'mail', 'a.eml'), 'Subject: a');
    expect(await command(origin, ['backup', source])).toMatchObject({ code: 0 });
  });

  const sumsOf = (names: string[]) =>
    names
      .map(
        (name) =>
          `${createHash('sha256')
            .update(readFileSync(join(source, name)))
            .digest('hex')}  ${name}\n`,
      )
      .join('');
  /** Changes files of a backup together with its checksums, like its creator could. */
  const sumUp = (at: string, files: Record<string, string | undefined>) => {
    for (const [name, content] of Object.entries(files)) {
      if (content === undefined) rmSync(join(at, name));
      else writeFileSync(join(at, name), content);
    }
    const hash = (name: string) => createHash('sha256').update(readFileSync(join(at, name))).digest('hex'); // prettier-ignore
    const names = ['backup.json', 'secret.key', 'mail/a.eml', DATABASE].filter((name) => existsSync(join(at, name)));
    writeFileSync(join(at, 'SHA256SUMS'), names.map((name) => `${hash(name)}  ${name}\n`).join(''));
  };
  /** Gives the database of a backup a history from before the first release. */
  const madeBefore = (at: string) => {
    const database = openSqlite('no command makes a backup of another release', join(at, DATABASE));
    database.exec(`UPDATE "_prisma_migrations" SET migration_name = '20261124000000_baseline_0_2_0'`);
    database.close();
    sumUp(at, {});
  };
  const CHANGES: [string, (folder: string) => void, RegExp][] = [
    ['was changed', (at) => writeFileSync(join(at, 'mail', 'a.eml'), 'Subject: b'), /^mail\/a\.eml does not match its checksum/],
    ['was cut', (at) => truncateSync(join(at, DATABASE), 8192), /^platform-services\.db does not match its checksum/],
    ['has lost a file', (at) => rmSync(join(at, 'secret.key')), /^The backup is missing secret\.key/],
    ['did not finish', (at) => rmSync(join(at, 'SHA256SUMS')), /it is not a backup, or an incomplete one/],
    ['leads elsewhere', (at) => writeFileSync(join(at, 'SHA256SUMS'), `${'0'.repeat(64)}  ../../etc/passwd\n`), /is not a file of a backup/],
    ['has a link in place of a file', (at) => {
      renameSync(join(at, 'secret.key'), join(at, 'kept'));
      symlinkSync('kept', join(at, 'secret.key'));
    }, /^secret\.key in the backup is a symbolic link; it must be/],
    ['has a link in place of a folder', (at) => {
      renameSync(join(at, 'mail'), join(at, 'kept'));
      symlinkSync('kept', join(at, 'mail'));
    }, /^mail in the backup is a symbolic link; it must be/],
    ['has no database', (at) => sumUp(at, { [DATABASE]: undefined }), /^The backup must contain platform-services\.db/],
    ['has a text as its database', (at) => sumUp(at, { [DATABASE]: 'text' }), /^platform-services\.db must be an SQLite database: /],
    ['was made before 0.3.0', madeBefore, /^DATABASE_URL names a database created before 0\.3\.0/],
    ['has no backup.json', (at) => sumUp(at, { 'backup.json': undefined }), /^The backup must contain backup\.json/],
    ['has a text as its backup.json', (at) => sumUp(at, { 'backup.json': '{"format":' }), /^backup\.json must be a JSON object/],
    ['has null as its backup.json', (at) => sumUp(at, { 'backup.json': 'null' }), /^backup\.json must be a JSON object/],
    ['has escapes in its release', (at) => sumUp(at, { 'backup.json': '{"format":1,"release":"\\u001b[31m\\u009b"}' }), /^release in backup\.json must be a version/],
    ['has a long backup.json', (at) => sumUp(at, { 'backup.json': ' '.repeat(65_537) }), /^backup\.json must have at most 65536 bytes/],
    ['has escapes in a name', (at) => writeFileSync(join(at, 'SHA256SUMS'), `${'0'.repeat(64)}  \u001b[31m\u009b\u202ex\n`), /^".*\\u009b\\u202ex" in SHA256SUMS is not a file/],
    ['has a line of another form', (at) => writeFileSync(join(at, 'SHA256SUMS'), 'secret.key\n'), /^SHA256SUMS has the line "secret\.key"; each must be/],
    ['has a line without an end', (at) => writeFileSync(join(at, 'SHA256SUMS'), '0'.repeat(100_000)), /^SHA256SUMS has a line longer than/],
    ['has a long name', (at) => writeFileSync(join(at, 'SHA256SUMS'), `${'0'.repeat(64)}  blobs/${'a'.repeat(300)}\n`), /is not a file of a backup/],
    ['is of a later format', (at) => {
      writeFileSync(join(at, 'backup.json'), '{"format":2}');
      const sum = createHash('sha256').update('{"format":2}').digest('hex');
      writeFileSync(join(at, 'SHA256SUMS'), `${sum}  backup.json\n${sumsOf(['secret.key', 'mail/a.eml', DATABASE])}`);
    }, /must have the format 1/],
  ]; // prettier-ignore

  if (areMet(program('mkfifo'))) {
    const makePipe = (at: string) => {
      rmSync(join(at, 'mail', 'a.eml'));
      execFileSync('mkfifo', [join(at, 'mail', 'a.eml')]);
    };
    CHANGES.push(['has a pipe', makePipe, /^mail\/a\.eml in the backup is a device, a pipe or a socket; it must be/]);
  }

  it.each(CHANGES)('is refused because it %s, and leaves the data unchanged', async (_, change, message) => {
    rmSync(damaged, { recursive: true });
    cpSync(source, damaged, { recursive: true });
    change(damaged);
    const target = folder();
    writeFileSync(join(target, 'own'), 'own');
    const { code, said } = await command(target, ['restore', damaged, '--replace']);
    expect([code, said]).toEqual([1, expect.stringMatching(message)]);
    expect(said).toMatch(/^\P{Cc}+\n$/u);
    expect(readdirSync(target)).toEqual(['own']);
  });

  it('is refused without creating a DATA_DIR', async () => {
    const target = join(folder(), 'new');
    expect(await command(target, ['restore', folder()])).toMatchObject({ code: 1 });
    expect(existsSync(target)).toBe(false);
  });

  it('as a tar with a 100 MiB record as a file name is refused before it is stored', async () => {
    const header = Buffer.alloc(512);
    header.write('x', 0);
    header.write('0000644\0'.padEnd(24, '0'), 100);
    header.write(`${(100 * 1024 * 1024).toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0${' '.repeat(8)}x`, 124);
    header.write('ustar\x0000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const [target, at] = [folder(), join(folder(), 'tar')];
    writeFileSync(at, Buffer.concat([header, Buffer.alloc(4 * 1024 * 1024)]));
    const { code, said } = await command(target, ['restore', '-'], { input: at });
    expect([code, said]).toEqual([1, expect.stringMatching(/^The archive cannot be read: Header exceeds max size\n$/)]);
    expect(readdirSync(target)).toEqual([]);
  });

  it.each([
    ['../evil', 'file'],
    ['/tmp/evil', 'file'],
    ['blobs/../../evil', 'file'],
    ['secret.key', 'symlink'],
  ] as const)('as a tar with %s, a %s, is refused', async (name, type) => {
    const archive = pack();
    if (type === 'file') archive.entry({ name }, 'evil');
    else archive.entry({ name, type, linkname: '/etc/passwd' });
    archive.finalize();
    const [target, at] = [folder(), join(folder(), 'tar')];
    const chunks: Buffer[] = [];
    for await (const chunk of archive) chunks.push(chunk as Buffer);
    writeFileSync(at, Buffer.concat(chunks));
    const { code, said } = await command(target, ['restore', '-'], { input: at });
    expect([code, said]).toEqual([1, expect.stringMatching(/is not a (plain )?file/)]);
    expect(readdirSync(target)).toEqual([]);
  });

  it('as a tar that was cut off is refused', async () => {
    const [target, origin, at] = [folder(), folder(), join(folder(), 'tar')];
    expect(await command(origin, ['restore', source])).toMatchObject({ code: 0 });
    expect(await command(origin, ['backup', '-'], { output: at })).toMatchObject({ code: 0 });
    const whole = statSync(at).size;
    for (const bytes of [whole - 2048, whole / 2, 700, 0]) {
      truncateSync(at, bytes);
      expect(await command(target, ['restore', '-'], { input: at })).toEqual({
        code: 1,
        said: expect.stringMatching(/^(The archive|\S+) cannot be read: .*\n$|truncated\n$/),
      });
      expect(readdirSync(target)).toEqual([]);
    }
  });

  it('killed at any step of a restore leaves the old data, or a folder that no server starts with', async () => {
    const target = folder();
    const old = await command(target, ['keys', 'create', '--tenant', 'old', '--scope', 'email-api:query:*']);
    expect(old.code).toBe(0);
    const plan = join(folder(), 'plan');
    const outcomes: string[] = [];
    for (let step = 2, ended: unknown = 'SIGKILL'; ended === 'SIGKILL'; step += 2) {
      writeFileSync(plan, `${step} before`);
      const env = { KILL_PLAN: plan, NODE_OPTIONS: `--import ${KILLER}` };
      ({ code: ended } = await command(target, ['restore', source, '--replace'], { env }));
      const { code, said } = await command(target, ['keys', 'list']);
      const outcome = code === 0 ? said.split('\t')[1]! : said.split(',')[0]!;
      if (outcomes.at(-1) !== outcome) outcomes.push(outcome);
    }
    expect(outcomes).toEqual(['old', 'DATA_DIR has only part of a backup', 'a']);
    expect(await command(target, ['restore', source, '--replace'])).toMatchObject({ code: 0 });
    expect((await command(target, ['keys', 'list'])).said).toMatch(/^\S+\ta\t/);
    expect(readdirSync(target).filter((name) => name.startsWith('restore'))).toEqual([]);
  });
});

onPostgres('PostgreSQL and S3', () => {
  it('are not copied by backup and restore, which say so', async () => {
    const env = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none', SECRET_KEY: 'x'.repeat(32) };
    for (const args of [
      ['backup', '-'],
      ['restore', '-'],
    ]) {
      expect(await command(folder(), args, { env })).toEqual({
        code: 1,
        said: expect.stringMatching(/^DATABASE_URL must not be set/),
      });
    }
  });

  const withTools = needing(SERVICE.s3, program('rclone'), program('pg_dump'), program('pg_restore')).it;
  withTools('copied with their own tools while everything changes come back after a disaster', async () => {
    const deployment = await Deployment.create();
    try {
      const { DATABASE_URL: url, S3_BUCKET: bucket } = deployment.settings as Record<string, string>;
      const key = await deployment.keys('create', '--tenant', 'acme', '--scope', ALL_SCOPES);
      const server = deployment.start({ PORT: '0' });
      const tenant = new Possessions(await server.ready(), key);
      await tenant.acquire();
      const [dump, copy] = [join(folder(), 'dump'), folder()];
      await tenant.changeDuring(async () => {
        await tool('pg_dump', '--format=custom', `--file=${dump}`, url!);
        await tool('rclone', 'sync', `store:${bucket}`, copy);
      });
      await tenant.addLate();

      await server.stop('SIGKILL');
      await tool('rclone', 'delete', `store:${bucket}`);
      await deployment.query('no command loses a database', 'DROP SCHEMA public CASCADE');
      await deployment.query('no command loses a database', 'CREATE SCHEMA public');
      await tool('rclone', 'sync', copy, `store:${bucket}`);
      await tool('pg_restore', '--clean', '--if-exists', '--exit-on-error', `--dbname=${url}`, dump);
      const found = await deployment.outcome('files', 'reconcile', '--dry-run');
      expect(found.stdout + found.stderr).not.toMatch(/wrongUsage/);
      await deployment.outcome('files', 'reconcile'); // for files deleted between the two copies
      await tenant.at(await deployment.start({ PORT: '0' }).ready()).expectRestored();
    } finally {
      await deployment.remove();
    }
  });
});
