// @nightly: examples run at night, and a first build in Go takes 20 s
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { needing, program } from '../support/needs.js';
import { until } from '../support/websockets.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(root, 'examples', 'webhooks');
const secretOf = (letter: string) => `whsec_${Buffer.from(letter.repeat(24)).toString('base64')}`;
const [OLD, NEW, OTHER] = ['a', 'b', 'c'].map(secretOf) as [string, string, string];
const RECEIVERS = {
  'receiver.js': [process.execPath, 'receiver.js'],
  'receiver.py': ['python3', 'receiver.py'],
  'receiver.go': ['go', 'run', 'receiver.go'],
};

let count = 0;
const newId = () => `01a213c1-e673-70fc-9945-${String(++count).padStart(12, '0')}`;

interface Sent {
  id?: string;
  secret?: string;
  ageSeconds?: number;
  /** Replaces the body after it was signed. */
  body?: string | Buffer;
  headers?: Record<string, string>;
}

/** A receiver as its own process, which its user starts again. */
class Receiver {
  readonly lines: string[] = [];
  address = '';
  private child?: ChildProcess;

  constructor(
    private readonly command: string[],
    readonly inbox: string,
  ) {}

  async start(): Promise<void> {
    const env = { ...process.env, PORT: '0', INBOX: this.inbox, WEBHOOK_SECRETS: `${OLD} ${NEW}` };
    // A group of its own, since `go run` starts a further process.
    const ofClients = {
      PYTHONPATH: join(root, 'clients', 'python', 'src'),
      CGO_ENABLED: '0',
      GOTOOLCHAIN: 'local',
      GOPROXY: 'off',
    };
    const options = { cwd: FOLDER, env: { ...env, ...ofClients }, detached: true } as const;
    this.child = spawn(this.command[0]!, this.command.slice(1), { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
    const lines = createInterface(this.child.stdout!);
    const first = await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      this.child!.once('error', reject).once('exit', (code) => reject(new Error(`${this.command.join(' ')} ended with ${code}`)));
    });
    lines.on('line', (line) => this.lines.push(line));
    this.address = `http://127.0.0.1:${/^listening on (\d+)$/.exec(first)![1]}/hooks`;
  }

  async kill(): Promise<void> {
    const { pid, exitCode } = this.child!;
    if (exitCode !== null) return;
    process.kill(-pid!, 'SIGKILL');
    await once(this.child!, 'exit');
  }

  /** Sends an event, signed by the official package, and returns the status of the answer. */
  async send({ id = newId(), secret = NEW, ageSeconds = 0, body, headers }: Sent = {}): Promise<number> {
    const whole = { specversion: '1.0', id, source: '/file-management', type: 'file.done', subject: `of-${id}` };
    const text = JSON.stringify({ ...whole, datacontenttype: 'application/json', data: { name: 'Größe 🎉' } });
    const time = new Date(Date.now() - ageSeconds * 1_000);
    const signed = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, time, text),
    };
    const answer = await fetch(this.address, { method: 'POST', headers: { ...signed, ...headers }, body: body ?? text });
    await answer.arrayBuffer();
    return answer.status;
  }
}

for (const [name, command] of Object.entries(RECEIVERS)) needing(program(command[0]!)).describe(name, () => judge(command));

function judge(command: string[]): void {
  const inbox = mkdtempSync(join(tmpdir(), 'platform-services-inbox-'));
  const receiver = new Receiver(command, inbox);
  beforeAll(() => receiver.start());
  afterAll(async () => {
    await receiver.kill();
    rmSync(inbox, { recursive: true });
  });

  it('the example receiver works once on a repeated event, whichever of its secrets signed', async () => {
    const [one, other] = [newId(), newId()];
    expect(await receiver.send({ id: one, secret: OLD })).toBe(204);
    expect(await receiver.send({ id: one, secret: NEW })).toBe(204);
    const together = Array.from({ length: 8 }, () => receiver.send({ id: other }));
    expect(new Set(await Promise.all(together))).toEqual(new Set([204]));
    const last = newId();
    await receiver.send({ id: last });
    await until(() => receiver.lines.includes(`file.done of-${last}`));
    expect(receiver.lines).toEqual([one, other, last].map((id) => `file.done of-${id}`));
  });

  it('the example receiver refuses an unsigned request, and does nothing with it', async () => {
    const before = [readdirSync(inbox).length, receiver.lines.length];
    expect(await receiver.send({ secret: OTHER })).toBe(400);
    expect(await receiver.send({ body: '{"type":"file.done"}' })).toBe(400);
    expect(await receiver.send({ ageSeconds: 302 })).toBe(400);
    expect(await receiver.send({ ageSeconds: -303 })).toBe(400);
    expect(await receiver.send({ headers: { 'webhook-signature': '' } })).toBe(400);
    expect(await receiver.send({ headers: { 'webhook-signature': 'v2,AAAA v1,' } })).toBe(400);
    expect(await receiver.send({ headers: { 'webhook-id': '../../a' } })).toBe(400);
    expect(await receiver.send({ headers: { 'webhook-timestamp': 'now' } })).toBe(400);
    const tooLarge = await receiver.send({ body: Buffer.alloc(1024 * 1024 + 1) }).catch(() => 413); // cut while it is sent
    expect(tooLarge).toBe(413);
    expect([readdirSync(inbox).length, receiver.lines.length]).toEqual(before);
  });

  it('the example receiver loses no event that it answered when it is killed, and remembers it after a restart', async () => {
    const ids = Array.from({ length: 20 }, newId);
    const answers = ids.map((id) => receiver.send({ id }).catch(() => 0)); // 0: killed before it answered
    await until(() => readdirSync(inbox).some((file) => ids.includes(file)));
    await receiver.kill();
    const statuses = await Promise.all(answers);
    const answered = ids.filter((_, at) => statuses[at] === 204);
    await receiver.start();
    await until(() => answered.every((id) => receiver.lines.includes(`file.done of-${id}`)));
    await Promise.all(ids.map((id) => receiver.send({ id })));
    await until(() => ids.every((id) => statSync(join(inbox, id)).size === 0));
    await receiver.kill();
    const before = receiver.lines.length;
    await receiver.start();
    await Promise.all(ids.map((id) => receiver.send({ id })));
    const last = newId();
    await receiver.send({ id: last });
    await until(() => receiver.lines.includes(`file.done of-${last}`));
    expect(receiver.lines.slice(before)).toEqual([`file.done of-${last}`]);
  });
}

it.each(Object.keys(RECEIVERS))('docs/events.md links to %s', (name) => {
  expect(readFileSync(join(root, 'docs', 'events.md'), 'utf8')).toContain(`(../examples/webhooks/${name})`);
});
