// @nightly: types all blocks of the pages into two shells
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHROMIUM } from '../support/chromium.js';
import { needing, program } from '../support/needs.js';
import { Deployment, freePort } from '../support/process.js';

const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
/** In this order, since later pages use functions of earlier ones. */
const PAGES = [
  'README',
  'rest',
  'file-management',
  'document-rendering',
  'email',
  'websockets',
  'document-log',
  'run',
  'upgrade',
  'admin',
];
const textOf = (page: string) => readFileSync(pathOf(page === 'README' ? 'README.md' : `docs/${page}.md`), 'utf8');
/** Commands for a reader to type. Commands that need more than the server, or never end, are blocks of `console`. */
const blocksOf = (page: string) => [...textOf(page).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block!);
const blocks = PAGES.flatMap((page) => blocksOf(page));
const SHELLS = { bash: ['--norc', '--noprofile', '--noediting', '-i'], zsh: ['-f', '-i', '-o', 'NO_PROMPT_SP'] };
/** How often each shell types them. Once shows whether the second expands alike; what is left from before, the first finds. */
const TIMES = { bash: 2, zsh: 1 };
/** Output of interactive shells without a terminal, and of a job in the background. */
const CHATTER = /^(bash: (cannot set terminal process group|no job control in this shell).*|\[\d+\].*|exit)$/;

/** Each run shows these, in this order. */
const SHOWN = [
  '"status":"done"',
  '{"data":{"version":',
  'Ann &lt;Smith&gt;',
  '"status":"PENDING"',
  '"itemId"',
  '"raw":"paid"',
  '{"sendMessage":{"id"',
  'psk_',
  '"status":"done"',
  '<p>120 EUR</p>',
  '"status":"PENDING"',
  '"itemId"',
  '{"id":"',
  '{"nextToken":',
  '"contentType":"application/json"',
  '"status": "done"',
  'byte for byte the same',
  '"contentLength": 12000000',
  '"subject": "Invoice 2026-17"',
  '"pages":1',
  '"status": "SENT"',
  'Content-Disposition: attachment',
  '"name":"2026-17.pdf","contentType":"application/pdf"',
  '"address":"shop@example.com"',
  '"message":"Your order has shipped"',
  '{"disconnectRecipient":1}',
  'documentId,',
  '"valid": true',
  '"status":"ok"',
  'psk_',
  'acme',
  'stored-bytes\t10737418240',
  'psk_',
  '{"name":"files","limit":1000,"used":0,"isOwn":true}',
  '["email-api:query:*"]',
  'SUSPENDED',
  'ACTIVE',
  'DELETING',
  '"deleteTenant"',
];

describe('the commands of README and docs', () => {
  let deployment: Deployment;
  let folder: string;
  let prelude: string;
  let port: number;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'platform-services-readme-'));
    for (const name of ['bin', 'node_modules']) symlinkSync(pathOf(name), join(folder, name));
    port = await freePort();
    deployment = await Deployment.create({ PORT: String(port), DATA_DIR: join(folder, 'data'), CHROMIUM_PATH: CHROMIUM });
    const server = deployment.start();
    await server.ready();
    prelude = `KEY=${await server.until(/psk_\w+(?=\n)/)}\n`;
  });
  afterAll(async () => {
    await deployment.remove();
    rmSync(folder, { recursive: true });
  });

  /** Types everything into an interactive shell, which expands what scripts do not. */
  async function typeInto(shell: keyof typeof SHELLS, typed = blocks): Promise<{ shown: string; complaints: string[] }> {
    const script = prelude + typed.join('\n').replaceAll('localhost:3000', `localhost:${port}`).repeat(TIMES[shell]);
    const env = { ...process.env, ...deployment.settings, PS1: '', PS2: '', PROMPT: '' };
    const child = spawn(shell, SHELLS[shell], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk) => (output[name] += String(chunk)));
    const ended = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
    child.stdin.end(script);
    await ended;
    const complaints = output.stderr.split('\n').filter((line) => line.trim() && !CHATTER.test(line));
    return { shown: output.stdout, complaints };
  }

  const inBash = needing(...['bash', 'curl', 'jq'].map(program)).it;
  inBash('begin on the email page with a block that needs no other page', async () => {
    const { shown, complaints } = await typeInto('bash', blocksOf('email').slice(0, 1));
    expect(complaints).toEqual([]);
    expect(shown).toContain('"status": "SENT"');
    expect(shown).toContain('Content-Disposition: attachment');
  });

  for (const shell of Object.keys(SHELLS) as (keyof typeof SHELLS)[]) {
    const typed = needing(...[shell, 'curl', 'jq', CHROMIUM].map(program));
    typed.it(`run as printed, ${TIMES[shell] === 2 ? 'twice in a row ' : ''}in ${shell}`, () => check(shell));
  }

  async function check(shell: keyof typeof SHELLS): Promise<void> {
    const { shown, complaints } = await typeInto(shell);
    expect(complaints).toEqual([]);
    expect(shown).not.toMatch(/"errors":|^null$/m);
    let from = 0;
    for (let time = 1; time <= TIMES[shell]; time++) {
      for (const text of SHOWN) {
        const found = shown.indexOf(text, from);
        expect({ time, text, isShown: found >= from }).toEqual({ time, text, isShown: true });
        from = found;
      }
    }
  }
});
