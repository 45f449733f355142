// @nightly: fills a disk
import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Api } from '../support/api.js';
import { SEND } from '../support/email.js';
import { dataFolder } from '../support/folders.js';
import { ServerProcess } from '../support/process.js';
import { TestServer } from '../support/server.js';
import { describeOnSmallDisk, SmallDisk } from '../support/small-disk.js';

const MIB = 1024 * 1024;
const FULL = { code: 'SERVICE_UNAVAILABLE', message: expect.stringMatching(/^The disk of the (database|store) is full/) };

const until = async (condition: () => boolean | Promise<boolean>) => {
  for (const end = Date.now() + 20_000; !(await condition());) {
    if (Date.now() > end) throw new Error(`never happened: ${String(condition)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
};
const create = async (api: Api) =>
  (await api.ask('mutation{createFile(input:{public:true}){id uploadUrl}}')).createFile as { id: string; uploadUrl: string };
const put = async (url: string, sizeBytes: number) => {
  const response = await fetch(url, { method: 'PUT', body: randomBytes(sizeBytes) });
  return { status: response.status, body: (await response.text()) as string };
};
const remove = (api: Api, id: string) => api.ask(`mutation{deleteFile(id:"${id}"){id}}`);
const download = (api: Api, id: string) => fetch(`${api.address}/file-management/files/${id}`);
const stored = async (api: Api, sizeBytes: number) => {
  const { id, uploadUrl } = await create(api);
  expect((await put(uploadUrl, sizeBytes)).status).toBe(200);
  return id;
};
const isSettled = (disk: SmallDisk) => () => {
  const reserve = statSync(join(disk.folder, 'platform-services.db-reserve'), { throwIfNoEntry: false });
  return reserve !== undefined && reserve.size > 6 * MIB;
};
/** Until rows find no place any more, and another program has taken all that was left. */
const exhaust = async (api: Api, disk: SmallDisk) => {
  for (;;) {
    disk.fill();
    const { errors } = await api.send('mutation($c:String){createFile(input:{comment:$c}){id}}', { c: 'x'.repeat(4_000) });
    if (errors) return { ...errors[0]!.extensions, message: errors[0]!.message };
  }
};

describeOnSmallDisk('a disk of 60 MB with database and blobs that another program has filled', () => {
  let disk: SmallDisk;
  let server: TestServer;
  let api: Api;
  beforeEach(async () => {
    disk = SmallDisk.mount(60);
    server = await TestServer.start({ DATA_DIR: disk.folder });
    api = await server.api('file-management');
    await until(isSettled(disk));
  });
  afterEach(async () => {
    await server.app.close();
    disk.unmount();
  });

  const health = async () => {
    const response = await fetch(`${server.address}/health/ready`);
    return { code: response.status, ...((await response.json()) as object) };
  };
  const short = async () =>
    /^disk_short\{folder="data"\} (\d)$/m.exec(await (await fetch(`${server.address}/metrics`)).text())?.[1];

  it('refuses what would grow, still deletes, says so, and recovers', async () => {
    const ids = [await stored(api, MIB), await stored(api, MIB), await stored(api, 10)];
    const waiting = await create(api);
    const { uploadId } = (await api.ask(`mutation{initiateMultipartUpload(input:{fileId:"${waiting.id}"}){uploadId}}`))
      .initiateMultipartUpload;
    const input = { fileId: waiting.id, uploadId, partNumber: 1 };
    const generate = 'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}';
    const partUrl = (await api.ask(generate, { input })).generatePartUploadUrl;
    expect([(await health()).code, await short()]).toEqual([200, '0']);

    expect(await exhaust(api, disk)).toEqual(FULL);
    for (const url of [waiting.uploadUrl, partUrl]) {
      const { status, body } = await put(url, 1_000);
      expect([status, JSON.parse(body)]).toEqual([503, FULL]);
    }
    expect(await health()).toMatchObject({ code: 200, status: 'degraded', checks: { database: 'ok', disk: 'degraded' } });
    expect(await short()).toBe('1');
    expect((await download(api, ids[2]!)).status).toBe(200);

    for (const id of ids) {
      disk.fill();
      await remove(api, id);
      expect((await download(api, id)).status).toBe(404);
    }
    expect((await server.blobKeys()).length).toBe(0);
    await api.ask(`mutation{abortMultipartUpload(input:{fileId:"${waiting.id}",uploadId:"${uploadId}"}){id}}`);
    expect(server.logLines.filter((line) => line.includes('internal error'))).toEqual([]);

    disk.makeRoom();
    await until(isSettled(disk));
    await until(async () => ((await health()) as { status?: string }).status === 'ok');
    expect(await short()).toBe('0');
    await stored(api, MIB);
  });

  it('lets hundreds of rows be deleted while it is full, and their room be reused', async () => {
    const made = Array.from({ length: 40 }, (_, index) => `f${index}:createFile(input:{comment:"${'y'.repeat(4_000)}"}){id}`);
    const ids: string[] = [];
    for (let round = 0; round < 12; round++) {
      ids.push(...Object.values<{ id: string }>(await api.ask(`mutation{${made.join(' ')}}`)).map(({ id }) => id));
    }
    await exhaust(api, disk);
    for (let start = 0; start < ids.length; start += 50) {
      const some = ids.slice(start, start + 50).map((id, index) => `d${index}:deleteFile(id:"${id}"){id}`);
      await api.ask(`mutation{${some.join(' ')}}`);
      disk.fill();
    }
    for (let round = 0; round < 10; round++) await api.ask(`mutation{${made.join(' ')}}`);
  });

  it('reserves half of its reserve for deletes, however much other programs and writes use', async () => {
    const ids = await Promise.all(Array.from({ length: 3 }, () => create(api)));
    for (let round = 0; round < 20; round++) await exhaust(api, disk);
    for (const { id } of ids) {
      disk.fill();
      await remove(api, id);
    }
  });

  it('rolls a transaction back completely, leaves none open, and accepts the same change when there is room', async () => {
    const email = await server.api('email', api.key);
    const input = { to: { address: 'a@example.com' }, subject: 's', textBody: 'z'.repeat(500_000) };
    await exhaust(api, disk);
    const refused = await Promise.all(Array.from({ length: 5 }, () => email.refusal(SEND, { input })));
    expect(refused).toEqual(Array.from({ length: 5 }, () => FULL));
    expect((await email.ask('{messages{items{id}}}')).messages.items).toEqual([]);
    disk.makeRoom();
    // The database grows again once the room was seen, which is looked for each second.
    await until(async () => !(await email.send(SEND, { input })).errors);
    expect((await email.ask('{messages{items{id}}}')).messages.items).toHaveLength(1);
  });
});

describeOnSmallDisk('a disk of 200 MB', () => {
  it('reserves its last 64 MiB from uploads, large or concurrent, before their content is read', async () => {
    const disk = SmallDisk.mount(200);
    const server = await TestServer.start({ DATA_DIR: disk.folder });
    try {
      const api = await server.api('file-management');
      const refused = await put((await create(api)).uploadUrl, disk.freeBytes - 64 * MIB + 1);
      expect([refused.status, JSON.parse(refused.body)]).toEqual([503, FULL]);
      const metrics = await (await fetch(`${server.address}/metrics`)).text();
      expect(metrics).not.toMatch(/^file_content_bytes_total\{direction="in"\} [1-9]/m);

      const files = await Promise.all(Array.from({ length: 12 }, () => create(api)));
      const answers = await Promise.all(files.map(({ uploadUrl }) => put(uploadUrl, 20 * MIB)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
      // What was on its way into files when the disk was looked at is not seen.
      expect(disk.freeBytes).toBeGreaterThan(56 * MIB);
      const stored = answers.filter(({ status }) => status === 200).length;
      expect((await server.blobKeys()).length).toBe(stored);
      expect(stored).toBeGreaterThan(0);
    } finally {
      await server.app.close();
      disk.unmount();
    }
  });
});

describeOnSmallDisk('a disk of 200 MB of which one upload announced nearly all room, and sent a byte', () => {
  it('accepts uploads of other tenants, and refuses what is too large for it at once', async () => {
    const disk = SmallDisk.mount(200);
    const server = await TestServer.start({ DATA_DIR: disk.folder });
    const [slow, other] = [await server.api('file-management'), await server.api('file-management')];
    const { hostname, port, pathname, search } = new URL((await create(slow)).uploadUrl);
    const dripping = connect(Number(port), hostname).on('error', () => undefined);
    const announced = disk.freeBytes - 65 * MIB;
    dripping.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: ${announced}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await new Promise((asked) => dripping.once('data', asked)); // 100 Continue: the upload has begun
    dripping.write('x');
    await stored(other, 60 * MIB);
    const refused = await put((await create(other)).uploadUrl, disk.freeBytes - 64 * MIB + 1);
    expect([refused.status, JSON.parse(refused.body)]).toEqual([503, FULL]);
    expect(disk.freeBytes).toBeGreaterThan(64 * MIB);
    dripping.destroy();
    await server.app.close();
    disk.unmount();
  });
});

describeOnSmallDisk('a node that is killed on a full disk', () => {
  const settings = (disk: SmallDisk) => ({
    PORT: '0',
    DATA_DIR: disk.folder,
    SECRET_KEY: 'a secret key that only tests are using',
  });

  it('starts again on the full disk, has what it had, and deletes', async () => {
    const disk = SmallDisk.mount(60);
    let node = new ServerProcess(settings(disk));
    try {
      const first = await node.ready();
      const key = (await node.until(/shown only once:\s+\S+/)).split(/\s+/).at(-1)!;
      const api = new Api(first, 'file-management', key);
      const ids = [await stored(api, 1_000), await stored(api, 1_000)];
      await until(isSettled(disk));
      await exhaust(api, disk);
      await node.stop('SIGKILL');
      disk.fill();

      node = new ServerProcess(settings(disk));
      const again = new Api(await node.ready(), 'file-management', key);
      expect((await download(again, ids[0]!)).status).toBe(200);
      disk.fill();
      for (const id of ids) await remove(again, id);
      expect((await download(again, ids[1]!)).status).toBe(404);
    } finally {
      await node.stop('SIGKILL');
      disk.unmount();
    }
  });

  it('reports in one line what is wrong when it never had room to start', async () => {
    const disk = SmallDisk.mount(1);
    disk.fill();
    const node = new ServerProcess(settings(disk));
    try {
      expect(await node.exited).toBe(1);
      expect(node.output).toMatch(/^platform-services did not start: .*disk.* full: free some space, then start again\n$/);
    } finally {
      disk.unmount();
    }
  });
});

describeOnSmallDisk('a disk with the blobs that was mounted read-only', () => {
  it('refuses uploads, serves what it has, is degraded, and recovers', async () => {
    const disk = SmallDisk.mount(60);
    const elsewhere = dataFolder();
    const server = await TestServer.start({ DATA_DIR: disk.folder, DATABASE_URL: `file:${join(elsewhere, 'own.db')}` });
    const api = await server.api('file-management');
    const id = await stored(api, 10);
    const { uploadUrl } = await create(api);
    const health = async () => {
      const response = await fetch(`${server.address}/health/ready`);
      return [response.status, ((await response.json()) as { checks: { disk: string } }).checks.disk];
    };
    expect(await health()).toEqual([200, 'ok']);
    disk.mountAgain('ro');
    expect(await health()).toEqual([200, 'degraded']);
    const { status, body } = await put(uploadUrl, 10);
    expect([status, JSON.parse(body).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect((await download(api, id)).status).toBe(200);
    disk.mountAgain('rw');
    expect((await put(uploadUrl, 10)).status).toBe(200);
    expect(await health()).toEqual([200, 'ok']);
    await server.app.close();
    disk.unmount();
    rmSync(elsewhere, { recursive: true });
  });
});
