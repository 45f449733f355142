// The container engine of this machine: Docker, or Podman with docker-compose, whose socket is served and whose health checks
// are run while it is used, since nothing else does that without systemd.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LIMIT_MS = 15 * 60_000;
const PULL_MS = 60_000;
const HEALTH_CHECK_MS = 2_000;
const root = new URL('../../', import.meta.url).pathname;

/** Returns the engine with its compose, or undefined where there is none. */
export async function findEngine() {
  const engine = await findBareEngine();
  if (engine?.program === 'docker') return (await succeeds('docker', ['compose', 'version'])) ? engine : undefined;
  if (!engine || !(await succeeds('docker-compose', ['version']))) return undefined;
  await engine.servePodman();
  return engine;
}

/** Returns the engine, which may have no compose, or undefined where there is none. */
export async function findBareEngine() {
  if (await succeeds('docker', ['version'])) return new Engine('docker', ['docker', 'compose']);
  if (await succeeds('podman', ['info'])) return new Engine('podman', ['docker-compose']);
  return undefined;
}

async function succeeds(program, args, timeout = 30_000) {
  return run(program, args, { timeout }).then(
    () => true,
    () => false,
  );
}

class Engine {
  env = { ...process.env };
  #stops = [];

  constructor(program, compose) {
    this.program = program;
    this.composeProgram = compose;
  }

  async servePodman() {
    const folder = mkdtempSync(join(tmpdir(), 'podman-'));
    const socket = `unix://${folder}/socket`;
    const service = spawn('podman', ['system', 'service', '--time=0', socket], { stdio: 'ignore' });
    this.env.DOCKER_HOST = socket;
    this.#stops.push(() => {
      service.kill();
      rmSync(folder, { recursive: true, force: true });
    });
    const { until } = await import('../nodes/journey.mjs'); // needs packages, which `test:bare` does without
    await until(() => succeeds('podman', ['--url', socket, 'version']));
  }

  /** Runs the program of the engine, and returns its standard output. */
  async run(...args) {
    return (await run(this.program, args, { cwd: root, timeout: LIMIT_MS, maxBuffer: 1 << 28 })).stdout.trim();
  }

  /** Runs the program of the engine, and passes each line of its standard output on. Returns its exit code. */
  follow(args, onLine) {
    const child = spawn(this.program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface(child.stdout).on('line', onLine);
    return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  }

  /** Returns the name of an image that was built here, which Podman would look up in registries without its own. */
  fullName(image) {
    return this.program === 'podman' ? `localhost/${image}:latest` : `${image}:latest`;
  }

  /** Returns the image if it is here or can be pulled, else one that is built to stand in for it. */
  async imageOrStandIn(image, name) {
    if ((await succeeds(this.program, ['image', 'inspect', image])) || (await this.pulls(image))) return image;
    const tag = `platform-services-${name}-stand-in`;
    await this.build(tag, 'test', `test/containers/stand-ins/${name}.Dockerfile`);
    return tag;
  }

  /** Returns whether it has these images, or can pull them, and can run a container of each. */
  async runs(images) {
    for (const image of images) {
      const hasImage = (await succeeds(this.program, ['image', 'inspect', image])) || (await this.pulls(image));
      if (!hasImage || !(await succeeds(this.program, ['run', '--rm', image, 'true']))) return false;
    }
    return true;
  }

  pulls(image) {
    return succeeds(this.program, ['pull', '--quiet', image], PULL_MS);
  }

  build(tag, context, file, values = {}) {
    const args = Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
    return this.run('build', '--network=host', '--quiet', '--tag', tag, '--file', file, ...args, context);
  }

  /** Runs compose on the project's file, and returns its standard output. */
  async compose(project, settings, ...args) {
    const [program, ...first] = this.composeProgram;
    const options = { cwd: root, env: { ...this.env, ...settings }, timeout: LIMIT_MS, maxBuffer: 1 << 28 };
    return (await run(program, [...first, '--project-name', project, ...args], options)).stdout.trim();
  }

  /** Types commands of docker compose, as documents have them, into a shell whose files go to `cwd`. */
  async type(project, settings, cwd, commands) {
    const program = [...this.composeProgram, '--project-name', project].join(' ');
    const script = `set -eu\ndocker() { shift; command ${program} "$@"; }\n${commands}`;
    const env = { ...this.env, ...settings, COMPOSE_FILE: join(root, 'docker-compose.yml') };
    return (await run('bash', ['-c', script], { cwd, env, timeout: LIMIT_MS, maxBuffer: 1 << 28 })).stdout.trim();
  }

  /** Runs the health checks of a project's containers until the engine is closed, where the engine does not. */
  watchHealth(project) {
    if (this.program !== 'podman') return;
    let isOver = false;
    const filter = `label=com.docker.compose.project=${project}`;
    const check = async () => {
      const ids = (await this.run('ps', '--quiet', '--filter', filter).catch(() => '')).split('\n').filter(Boolean);
      await Promise.all(ids.map((id) => succeeds('podman', ['healthcheck', 'run', id])));
    };
    const loop = (async () => {
      for (; !isOver; await sleep(HEALTH_CHECK_MS)) await check();
    })();
    this.#stops.unshift(async () => {
      isOver = true;
      await loop;
    });
  }

  async close() {
    for (const stop of this.#stops) await stop();
  }
}
