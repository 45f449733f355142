// @nightly: a node is killed again and again
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Api } from './support/api.js';
import { storeSettings } from './support/databases.js';
import { Deployment, type ServerProcess } from './support/process.js';

const KILLER = fileURLToPath(new URL('./support/kill-at.mjs', import.meta.url));
const FIRST = Buffer.alloc(5 * 1024 * 1024, 1);
const LAST = Buffer.from('the last part');
const UNNAMED = Buffer.from('sent, and then not wanted');
const hash = (...buffers: Buffer[]) => createHash('md5').update(Buffer.concat(buffers)).digest('hex');
const BEFORE = { status: 'done', text: hash(Buffer.from('before')) };
const AFTER = { status: 'done', text: hash(Buffer.from('after')) };
const JOINED = { status: 'done', text: hash(FIRST, LAST) };
const EXPIRED = { status: 'expired', text: null };

/** Steps of an operation, in order: between two of them a crash finds the same state, so one kill before each is enough. */
const FOLDER_STEPS = {
  upload: ['rename', 'write', 'rm', 'answer'],
  completion: ['rename', 'rm', 'rename', 'write', 'rm', 'write', 'answer'],
  delete: ['write', 'rm', 'rename', 'rm', 'write', 'answer'],
  /** Steps of three runs of the expiry job on one file, the first two killed before their last step. A removed file needs no rm. */
  expiries: [['rm'], ['rm', 'write'], ['write']],
};
const S3_STEPS: typeof FOLDER_STEPS = {
  upload: ['PUT', 'write', 'DELETE', 'answer'],
  completion: ['POST', 'write', 'DELETE', 'write', 'answer'],
  delete: ['write', 'DELETE', 'DELETE', 'write', 'answer'],
  expiries: [['DELETE'], ['DELETE', 'write'], ['DELETE', 'write']],
};
const STEPS = 'S3_ENDPOINT' in storeSettings() ? S3_STEPS : FOLDER_STEPS;

type Operation = 'upload' | 'completion' | 'delete';

/** The steps until a kill: a moment that is never reached, or a step that is not listed, fails its test. */
interface Kill {
  operation: Operation;
  name: string;
  steps: string[];
}

const KILLS: Kill[] = (['upload', 'completion', 'delete'] as const).flatMap((operation) =>
  STEPS[operation].map((step, index) => ({
    operation,
    name: `${operation}-before-${index + 1}-${step}`,
    steps: STEPS[operation].slice(0, index + 1),
  })),
);

/**
 * One SIGKILL ends several operations, each of a file of its own and each right before another step: all stay there until
 * the last comes to its own. That one is a write, which cannot be held on SQLite, so there are as many rounds as writes.
 */
const isWrite = ({ steps }: Kill) => steps.at(-1) === 'write';
const ROUNDS = KILLS.filter(isWrite).map((last, round, writes) => {
  const held = KILLS.filter((kill) => !isWrite(kill)).filter((_, index) => index % writes.length === round);
  return { moments: [...held, last].map(({ name }) => name).join(', '), kills: [...held, last] };
});
/** Only the first write of each operation counts. */
const wasWritten = (steps: string[]) => steps.slice(0, -1).includes('write');

interface File {
  id: string;
  uploadUrl: string;
  expiresAt: string | null;
}

/** One store and database survive all kills: the server that starts after a kill is killed next. */
describe('a node killed with SIGKILL', () => {
  let deployment: Deployment;
  let server: ServerProcess;
  let api: Api;
  let plan: string;
  let key: string | undefined;
  const left: { id: string; content: unknown }[] = [];

  const start = async () => {
    rmSync(plan, { force: true });
    server = deployment.start({ KILL_PLAN: plan, NODE_OPTIONS: `--import ${KILLER}` });
    const address = await server.ready();
    key ??= (await server.until(/psk_\w+(?=\n)/))!;
    api = new Api(address, 'file-management', key);
  };
  beforeAll(async () => {
    deployment = await Deployment.create({ PORT: '0' });
    plan = join(deployment.dataDir, 'kill-plan');
  });
  beforeEach(async () => {
    if (!server || server.child.signalCode) await start();
  });
  afterAll(() => deployment.remove());

  const create = async (input: object = {}): Promise<File> => {
    const { createFile } = await api.ask(
      'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl(expiresIn:600) expiresAt}}',
      { input },
    );
    expect(await put(createFile, 'before')).toBe(200);
    return createFile;
  };
  const put = async ({ uploadUrl }: File, content: string, headers = {}) =>
    (await fetch(uploadUrl, { method: 'PUT', body: Buffer.from(content), headers })).status;
  const contentOf = async (id: string) => {
    const { file } = await api.ask(`{file(ID:"${id}"){status contentLength downloadUrl}}`);
    if (!file?.downloadUrl) return file && { status: file.status, text: null };
    const bytes = Buffer.from(await (await fetch(file.downloadUrl)).arrayBuffer());
    expect(bytes.length).toBe(file.contentLength);
    return { status: file.status, text: hash(bytes) };
  };
  const found = async (id: string, content: unknown) => {
    expect(await contentOf(id)).toEqual(content);
    left.push({ id, content });
  };

  const initiate = async (fileId: string, ...parts: Buffer[]) => {
    const { initiateMultipartUpload } = await api.ask(`mutation{initiateMultipartUpload(input:{fileId:"${fileId}"}){uploadId}}`);
    const { uploadId } = initiateMultipartUpload;
    const etags = [];
    for (const [index, body] of parts.entries()) {
      const input = { fileId, uploadId, partNumber: index + 1 };
      const url = await api.ask('mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}', { input });
      const response = await fetch(url.generatePartUploadUrl, { method: 'PUT', body: body as never });
      etags.push({ partNumber: index + 1, ETag: response.headers.get('etag') });
    }
    return { fileId, uploadId, etags };
  };
  const complete = async (input: object, headers = {}) => {
    const mutation = 'mutation($input:completeMultipartUploadInput!){completeMultipartUpload(input:$input){status}}';
    return (await api.send(mutation, { input }, headers)).data.completeMultipartUpload;
  };

  /** Creates a file; `run` is the operation to kill, and `check` verifies the result. */
  const victims = {
    async upload() {
      const file = await create();
      return {
        run: (headers: object) => put(file, 'after', headers),
        check: (written: boolean) => found(file.id, written ? AFTER : BEFORE),
      };
    },
    async completion() {
      const { id } = await create();
      const input = await initiate(id, FIRST, LAST, UNNAMED);
      input.etags.pop();
      const check = async (written: boolean) => {
        expect(await contentOf(id)).toEqual(written ? JOINED : BEFORE);
        expect(await complete(input)).toEqual({ status: 'done' });
        await found(id, JOINED);
      };
      return { run: (headers: object) => complete(input, headers), check };
    },
    async delete() {
      const { id } = await create();
      await initiate(id, LAST);
      return {
        run: (headers: Record<string, string>) => api.send(`mutation{deleteFile(id:"${id}"){id}}`, {}, headers),
        check: (written: boolean) => found(id, written ? null : BEFORE),
      };
    },
  };

  /** The steps that began, by the name of their request. */
  const begun = () => {
    const steps: Record<string, string[]> = {};
    for (const line of readFileSync(plan, 'utf8').trimEnd().split('\n').slice(1)) {
      const [step, name = 'no request'] = line.split(' ') as [string, string?];
      (steps[name] ??= []).push(step);
    }
    return steps;
  };
  /** The server dies with each operation at the last of its steps, having begun no others. */
  const expectKill = async (steps: Record<string, string[]>) => {
    const end = await Promise.race([server.exited, new Promise((done) => setTimeout(done, 100_000, 'not killed').unref())]);
    expect({ begun: begun(), end }).toEqual({ begun: steps, end: 'SIGKILL' });
  };

  it.each(ROUNDS)(
    'leaves each file as before or after the change, with the next change possible, at $moments',
    async ({ kills }) => {
      const ended = [];
      for (const kill of kills) ended.push({ ...kill, ...(await victims[kill.operation]()) });
      writeFileSync(plan, `${kills.map(({ name, steps }) => `${steps.length} before ${name}`).join()}\n`);
      for (const { name, steps, run } of ended) {
        void run({ 'x-killed-as': name }).catch(() => undefined);
        const isThere = () => server.child.signalCode !== null || (begun()[name] ?? []).length >= steps.length;
        while (!isThere()) await new Promise((done) => setTimeout(done, 5));
      }
      await expectKill(Object.fromEntries(kills.map(({ name, steps }) => [name, steps])));
      await start();
      for (const { steps, check } of ended) await check(wasWritten(steps));
    },
  );

  it('leaves each file expired in every run of the expiry job, and no blob after the last', async () => {
    const used = async () => (await api.ask('{storageUsed{fileSize}}')).storageUsed.fileSize;
    const usedBefore = await used();
    const { id, expiresAt } = await create({ expiresIn: 1 });
    await server.stop('SIGKILL'); // its expiry job looked before the file expired
    while (Date.now() < Date.parse(expiresAt!)) await new Promise((done) => setTimeout(done, 20));
    for (const [index, steps] of STEPS.expiries.entries()) {
      await deployment.releaseLeases();
      writeFileSync(plan, `${steps.length} ${index < STEPS.expiries.length - 1 ? 'before' : 'after'}\n`);
      server = deployment.start({ KILL_PLAN: plan, NODE_OPTIONS: `--import ${KILLER}` }); // expires the file in its first second
      await expectKill({ 'no request': steps });
    }
    await start();
    await found(id, EXPIRED);
    expect(await used()).toBe(usedBefore);
  });

  it('leaves what it had after each kill, and no blob without a file', async () => {
    await deployment.command('files', 'reconcile', '--min-age', '0');
    expect(await deployment.command('files', 'reconcile', '--min-age', '0', '--dry-run')).toBe('');
    for (const { id, content } of left) expect(await contentOf(id)).toEqual(content);
    expect(await server.stop()).toBe(0);
  });
});
