import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Api } from '../support/api.js';
import { Deployment, type ServerProcess } from '../support/process.js';

const KILLER = fileURLToPath(new URL('../support/kill-at.mjs', import.meta.url));
const FIRST = Buffer.alloc(5 * 1024 * 1024, 1);
const LAST = Buffer.from('the last part');
const hash = (...buffers: Buffer[]) => createHash('md5').update(Buffer.concat(buffers)).digest('hex');
const BEFORE = { status: 'done', text: hash(Buffer.from('before')) };
const AFTER = { status: 'done', text: hash(Buffer.from('after')) };
const JOINED = { status: 'done', text: hash(FIRST, LAST) };
const EXPIRED = { status: 'expired', text: null };

/** What each operation does to files and database, in the order of a run: killed before or after each of them. */
const MOMENTS = {
  upload: ['rename:1:before', 'rename:1:after', 'write:1:before', 'write:1:after', 'rm:1:before', 'rm:1:after'],
  completion: [
    'rename:1:before',
    'rename:1:after',
    'rename:2:before',
    'rename:2:after',
    'write:1:before',
    'write:1:after',
    'write:2:before',
  ],
  delete: ['write:1:before', 'write:1:after', 'rm:1:before', 'rm:1:after'],
  sweep: ['rm:1:before', 'rm:1:after', 'write:2:before', 'write:2:after'],
};

type Operation = (api: Api) => Promise<unknown>;

/** One folder and database live through all kills, each restart being the next test's start, as in a bad night. */
describe('a node that is killed with SIGKILL', () => {
  let deployment: Deployment;
  let armed: string;
  let key: string;
  const left: { id: string; allowed: unknown[] }[] = [];
  beforeAll(async () => {
    deployment = await Deployment.create({ PORT: '0' });
    armed = join(deployment.dataDir, 'armed');
    key = await deployment.keys(
      'create',
      '--tenant',
      'crash',
      '--scope',
      'file-management-api:query:* file-management-api:mutation:*',
    );
  });
  afterAll(() => deployment.remove());

  const apiOf = async (server: ServerProcess) => new Api(await server.ready(), 'file-management', key);
  const create = async (api: Api, input: object = {}) => {
    const file = (
      await api.ask('mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl(expiresIn:600)}}', { input })
    ).createFile;
    expect((await fetch(file.uploadUrl, { method: 'PUT', body: Buffer.from('before') })).status).toBe(200);
    return file as { id: string; uploadUrl: string };
  };
  const contentOf = async (api: Api, id: string) => {
    const { file } = await api.ask(`{file(ID:"${id}"){status contentLength downloadUrl}}`);
    if (!file?.downloadUrl) return file && { status: file.status, text: null };
    const bytes = Buffer.from(await (await fetch(file.downloadUrl)).arrayBuffer());
    expect(bytes.length).toBe(file.contentLength);
    return { status: file.status, text: hash(bytes) };
  };
  const startKiller = (moment: string) =>
    deployment.start({ KILL_AT: moment, KILL_ARMED: armed, NODE_OPTIONS: `--import ${KILLER}` });

  /** Prepares, then runs an operation into the kill; answers with what it said if it got that far. */
  const crash = async (moment: string, prepare: (api: Api) => Promise<Operation>) => {
    const server = startKiller(moment);
    const api = await apiOf(server);
    const operation = await prepare(api);
    writeFileSync(armed, '');
    const answer = await Promise.race([operation(api).catch(() => undefined), server.exited.then(() => undefined)]);
    await expectKill(server, moment);
    return answer;
  };

  /** A moment that the operation never reaches would make the test say nothing. */
  const expectKill = async (server: ServerProcess, moment: string) => {
    const end = await Promise.race([server.exited, new Promise((done) => setTimeout(done, 20_000, 'not killed').unref())]);
    rmSync(armed, { force: true });
    expect([moment, end]).toEqual([moment, 'SIGKILL']);
  };

  it.each(MOMENTS.upload)('in an upload (%s) has the content as before or as after', async (moment) => {
    let id = '';
    const answer = await crash(moment, async (api) => {
      const file = await create(api);
      id = file.id;
      return async () => (await fetch(file.uploadUrl, { method: 'PUT', body: Buffer.from('after') })).status;
    });
    left.push({ id, allowed: answer === 200 ? [AFTER] : [BEFORE, AFTER] });
  });

  it.each(MOMENTS.completion)(
    'in a completion (%s) has the content as before or as after, and can complete again',
    async (moment) => {
      let id = '';
      let input: Record<string, unknown> = {};
      const complete: Operation = async (api) =>
        (
          await api.ask('mutation($input:completeMultipartUploadInput!){completeMultipartUpload(input:$input){status}}', {
            input,
          })
        ).completeMultipartUpload;
      await crash(moment, async (api) => {
        id = (await create(api)).id;
        const { uploadId } = (await api.ask(`mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`))
          .initiateMultipartUpload;
        const etags = [];
        for (const [index, body] of [FIRST, LAST].entries()) {
          const part = { fileId: id, uploadId, partNumber: index + 1 };
          const url = await api.ask('mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}', {
            input: part,
          });
          const response = await fetch(url.generatePartUploadUrl, { method: 'PUT', body: body as never });
          etags.push({ partNumber: index + 1, ETag: response.headers.get('etag') });
        }
        input = { fileId: id, uploadId, etags };
        return complete;
      });
      const server = deployment.start();
      const api = await apiOf(server);
      expect([BEFORE, JOINED]).toContainEqual(await contentOf(api, id));
      expect(await complete(api)).toEqual({ status: 'done' });
      await server.stop('SIGKILL');
      left.push({ id, allowed: [JOINED] });
    },
  );

  it.each(MOMENTS.delete)('in a delete (%s) has the file whole, or not at all', async (moment) => {
    let id = '';
    await crash(moment, async (api) => {
      id = (await create(api)).id;
      return () => api.ask(`mutation{deleteFile(id:"${id}"){id}}`);
    });
    left.push({ id, allowed: [BEFORE, null] });
  });

  it.each(MOMENTS.sweep)('in a sweep (%s) has the file expired', async (moment) => {
    const before = deployment.start();
    const { id } = await create(await apiOf(before), { expiresIn: 1 });
    await before.stop('SIGKILL'); // its sweeper looked before the file expired
    await deployment.releaseLeases();
    writeFileSync(armed, '');
    await expectKill(startKiller(moment), moment); // sweeps in its first second
    await deployment.releaseLeases();
    left.push({ id, allowed: [EXPIRED] });
  });

  it('has after its restart every file as before or as after, and nothing in the store that belongs to none', async () => {
    const server = deployment.start();
    const api = await apiOf(server);
    const found = await Promise.all(left.map(async ({ id, allowed }) => ({ id, allowed, content: await contentOf(api, id) })));
    for (const { allowed, content } of found) expect(allowed).toContainEqual(content);
    await deployment.command('files', 'reconcile', '--min-age', '0');
    expect(await deployment.command('files', 'reconcile', '--min-age', '0', '--dry-run')).toBe('');
    for (const { id, content } of found) expect(await contentOf(api, id)).toEqual(content);
    expect(await server.stop()).toBe(0);
  });
});
