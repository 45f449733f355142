import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A command as a version of Node would run it that says it is `version`. */
function startOn(version: string) {
  const pretend = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(pretend)}`,
    'bin/platform-services.mjs',
    'keys',
    'generate',
  ];
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
});
