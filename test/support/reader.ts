import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHROMIUM } from './chromium.js';
import { Deployment, freePort } from './process.js';

const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
export const SHELLS = { bash: ['--norc', '--noprofile', '--noediting', '-i'], zsh: ['-f', '-i', '-o', 'NO_PROMPT_SP'] };
/** Output of interactive shells without a terminal, and of a job in the background. */
const CHATTER = /^(bash: (cannot set terminal process group|no job control in this shell).*|\[\d+\].*|exit)$/;

/** Commands of a page for a reader to type. Commands that need more than the server, or never end, are blocks of `console`. */
export function blocksOf(page: string): string[] {
  const text = readFileSync(pathOf(page === 'README' ? 'README.md' : `docs/${page}.md`), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block!);
}

/** A reader of pages, with an empty folder, a running server and its first key. */
export class Reader {
  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly deployment: Deployment,
    private readonly key: string,
  ) {}

  static async start(): Promise<Reader> {
    const folder = mkdtempSync(join(tmpdir(), 'platform-services-readme-'));
    for (const name of ['bin', 'node_modules']) symlinkSync(pathOf(name), join(folder, name));
    const port = await freePort();
    const settings = { PORT: String(port), DATA_DIR: join(folder, 'data'), CHROMIUM_PATH: CHROMIUM };
    const deployment = await Deployment.create(settings);
    const server = deployment.start();
    await server.ready();
    return new Reader(folder, port, deployment, await server.until(/psk_\w+(?=\n)/));
  }

  /** Types blocks into an interactive shell, which expands what scripts do not. */
  async type(shell: keyof typeof SHELLS, blocks: string[], times = 1): Promise<{ shown: string; complaints: string[] }> {
    const text = blocks.join('\n').replaceAll('localhost:3000', `localhost:${this.port}`);
    const env = { ...process.env, ...this.deployment.settings, PS1: '', PS2: '', PROMPT: '' };
    const child = spawn(shell, SHELLS[shell], { cwd: this.folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk) => (output[name] += String(chunk)));
    const ended = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
    child.stdin.end(`KEY=${this.key}\n${text.repeat(times)}`);
    await ended;
    const complaints = output.stderr.split('\n').filter((line) => line.trim() && !CHATTER.test(line));
    return { shown: output.stdout, complaints };
  }

  async stop(): Promise<void> {
    await this.deployment.remove();
    rmSync(this.folder, { recursive: true });
  }
}
