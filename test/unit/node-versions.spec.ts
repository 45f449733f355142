import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Deployment } from '../support/process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Option of Node that reports another version of it. */
function pretending(version: string): string {
  const pretend = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;
  return `--import=data:text/javascript,${encodeURIComponent(pretend)}`;
}

/** Runs a command on a Node that reports another version. */
function startOn(version: string) {
  const args = [pretending(version), 'bin/platform-services.mjs', 'keys', 'generate'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the Node versions', () => {
  it('of package.json are those that Prisma and the SQLite driver support', () => {
    const enginesOf = (path: string) => JSON.parse(readFileSync(`${root}${path}package.json`, 'utf8')).engines.node;
    expect(enginesOf('')).toBe(enginesOf('node_modules/@prisma/client/').replace('22.12', '22.14'));
  });

  it.each(['18.20.8', '20.18.3', '21.7.3', '22.11.0', '23.11.0'])(
    '%s is refused in one line that names the supported ones',
    (version) => {
      expect(startOn(version)).toEqual({
        status: 1,
        stdout: '',
        stderr: `Node 20 from 20.19, Node 22 from 22.14, or Node 24 or newer is needed; this is ${version}\n`,
      });
    },
  );

  it.each([
    ['20.20.2', 1],
    ['22.14.0', 0],
    ['24.18.1', 0],
  ])('%s logs %i lines at its start, and warnings of doctor, about its end of life', async (version, count) => {
    const deployment = await Deployment.create({ PORT: '0', NODE_OPTIONS: pretending(version) });
    try {
      const server = deployment.start();
      await server.ready();
      const { stdout } = await deployment.outcome('doctor');
      await server.stop();
      const ending =
        /Node 20\.20\.2 has had no security fixes since 30 April 2026: install Node 24[^"]* 0\.3 is the last release line/g;
      expect(server.output.match(ending) ?? []).toHaveLength(count);
      const line =
        count === 0 ? `ok       Node         ${version}` : 'warning  Node         Node 20.20.2 has had no security fixes';
      expect(stdout).toContain(line);
      expect(JSON.parse(readFileSync(`${root}package.json`, 'utf8')).version).toMatch(/^0\.3\./);
    } finally {
      await deployment.remove();
    }
  });
});
