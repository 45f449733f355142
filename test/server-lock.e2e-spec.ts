// @only sqlite: nodes share a PostgreSQL
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFolder } from './support/folders.js';
import { Deployment } from './support/process.js';

describe('the data of a running server', () => {
  let deployment: Deployment;
  let pid: number;
  const elsewhere = dataFolder();
  beforeAll(async () => {
    deployment = await Deployment.create({ PORT: '0' });
    const server = deployment.start();
    await server.ready();
    pid = server.child.pid!;
  });
  afterAll(async () => {
    await deployment.remove();
    rmSync(elsewhere, { recursive: true });
  });

  it.each([
    ['DATA_DIR', () => ({})],
    ['DATA_DIR', () => ({ DATABASE_URL: `file:${elsewhere}/other.db` })],
    ['DATABASE_URL', () => ({ DATA_DIR: elsewhere, DATABASE_URL: `file:${deployment.dataDir}/platform-services.db` })],
  ])('is refused to a second one with the same %s', async (setting, settings) => {
    const second = deployment.start(settings());
    expect(await second.exited).toBe(1);
    expect(second.output).toBe(
      `platform-services did not start: ${setting} is in use by process ${pid}: stop that server, or name another than ` +
        `${deployment.dataDir}${setting === 'DATA_DIR' ? '' : '/platform-services.db'}\n`,
    );
  });

  it('is open to commands, but not to a restore', async () => {
    const backup = mkdtempSync(join(tmpdir(), 'platform-services-backup-'));
    expect(await deployment.keys('create', '--tenant', 'acme', '--scope', 'email-api:query:*')).toMatch(/^psk_/);
    expect(await deployment.outcome('backup', backup)).toMatchObject({ code: 0 });
    const restored = await deployment.outcome('restore', backup, '--replace');
    rmSync(backup, { recursive: true });
    expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining(`DATA_DIR is in use by process ${pid}: `) });
  });

  it('is shown by doctor, as a warning if a server with its settings would be refused', async () => {
    const { code, stdout } = await deployment.outcome('doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; detail: string }[] };
    expect(code).toBe(0);
    expect(checks.find(({ check }) => check === 'data folder')).toMatchObject({
      state: 'warning',
      detail: `${deployment.dataDir} is in use by process ${pid}, which serves another PORT: a start would be refused`,
    });
  });
});

describe('the data of a killed server', () => {
  it('is free at once, even if another process has its PID, as in a container after a restart', async () => {
    const deployment = await Deployment.create({ PORT: '0' });
    const killed = deployment.start();
    await killed.ready();
    await killed.stop('SIGKILL');
    const holder = join(deployment.dataDir, 'platform-services.db.pid');
    const [, host] = readFileSync(holder, 'utf8').split(' ');
    writeFileSync(holder, `${process.pid} ${host}`);
    const next = deployment.start();
    await next.ready();
    expect(await next.stop()).toBe(0);
    await deployment.remove();
  });
});
