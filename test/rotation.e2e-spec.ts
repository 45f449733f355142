// @nightly: many starts of nodes, and kills
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Receiver, RECEIVER_SETTINGS, Webhooks } from './support/webhooks.js';
import { execFile } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalJson } from '../src/common/base/json.js';
import type { AllTenants } from '../src/common/database/database.js';
// Past the API: a run of the sealer without its pause, and forged blocks.
import { keyChangeText, keyLeafHash, type KeyChange } from '../src/modules/document-log/seals/key-change.js';
import { BundleVerifier } from '../src/modules/document-log/verification/bundle-verifier.js';
import { SealKeys } from '../src/modules/document-log/seals/seal-keys.js';
import { Signing } from '../src/common/signing/signer.js';
import { blockHash, idsHashOf, makeBlock, makeChangeBlock } from '../src/modules/document-log/seals/block.js';
import type { Block } from '../src/modules/document-log/seals/block-row.js';
import { LogSealer } from '../src/modules/document-log/seals/log-sealer.job.js';
import { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { input } from './support/document-log.js';
import { verifyBundle } from './support/independent-verifier.js';
import { CLI } from './support/process.js';
import { type Settings, TestServer } from './support/server.js';
import { Client, REGISTER, until } from './support/websockets.js';

declare const databaseKind: string;
const isPostgres = databaseKind === 'postgresql';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const KILLER = fileURLToPath(new URL('./support/kill-at.mjs', import.meta.url));
const [OLD, NEW] = ['the first secret that only tests are using', 'the second secret that only tests are using'];
const VERIFY = `query($checkpoint:String){verifyLogs(checkpoint:$checkpoint){valid checkedRecords brokenLogId brokenBlock reason}}`;

/** `platform-services …` as another process; also when it exits with another code than 0. */
function command(settings: Settings, args: string[], preload: string[] = []) {
  const env = { PATH: process.env.PATH!, HOME: process.env.HOME ?? '/', ...settings };
  return new Promise<{ code: unknown; signal: unknown; output: string }>((resolve) => {
    execFile(CLI[0], [...preload, ...CLI.slice(1), ...args], { cwd: ROOT, env }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, signal: error?.signal, output: stdout + stderr }),
    );
  });
}

/** A tenant on a node, as seen by its clients. */
class Tenant {
  constructor(
    readonly server: TestServer,
    readonly key: string,
  ) {}

  static async of(server: TestServer): Promise<Tenant> {
    return new Tenant(server, await server.createKey());
  }

  on = (server: TestServer): Tenant => new Tenant(server, this.key);
  get log(): Api {
    return new Api(this.server.address, 'document-log', this.key);
  }
  get files(): Api {
    return new Api(this.server.address, 'file-management', this.key);
  }

  /** Stores a record, and waits until it is sealed. */
  async record(): Promise<string> {
    const { createLog } = await this.log.ask('mutation($input:CreateLogInput!){createLog(input:$input){itemId}}', {
      input: input(),
    });
    const id: string = createLog.itemId;
    await until(async () => {
      await this.server.app.get(LogSealer, { strict: false }).seal();
      return (await this.log.ask('query($id:ID!){logProof(id:$id){block}}', { id })).logProof;
    });
    return id;
  }

  seal = async (): Promise<string> => (await this.log.ask('{latestSeal}')).latestSeal;
  verify = async (checkpoint?: string) => (await this.log.ask(VERIFY, { checkpoint })).verifyLogs;
  version = async () => (await this.log.send('{version}')).status;
  bundle = async (query = '') => {
    const headers = { 'x-api-key': this.key };
    return (await fetch(`${this.server.address}/document-log/export?format=bundle${query}`, { headers })).text();
  };
  tenantId = async () => JSON.parse(Buffer.from((await this.seal()).split('.')[0]!, 'base64url').toString()).tenantId as string;

  /** Requests a URL, a token and a cursor. */
  async handOut() {
    const make = () => this.files.ask('mutation{createFile(input:{name:"a.txt"}){id uploadUrl}}');
    const { uploadUrl, id } = (await make()).createFile;
    await make();
    await fetch(uploadUrl, { method: 'PUT', body: 'content' });
    const { downloadUrl } = (await this.files.ask('query($id:ID!){file(ID:$id){downloadUrl}}', { id })).file;
    const { nextToken } = (await this.files.ask('{files(limit:1){nextToken}}')).files;
    const sockets = new Api(this.server.address, 'websockets-manager', this.key);
    const { token } = (await sockets.ask(REGISTER, { input: { recipient: 'ann' } })).registerRecipient;
    return { downloadUrl, nextToken, token: token.value } as HandedOut;
  }

  /** Returns how these are answered here: a status, a number of files or an error, and whether a socket stays open. */
  async take({ downloadUrl, nextToken, token }: HandedOut) {
    const { pathname, search } = new URL(downloadUrl);
    const download = await fetch(this.server.address + pathname + search);
    const page = await this.files.send('query($nextToken:String){files(limit:1,nextToken:$nextToken){items{id}}}', { nextToken });
    const uri = `${this.server.address.replace('http', 'ws')}/?token=${token}`;
    const client = await Client.open(uri);
    const pong = new Promise((resolve) => client.socket.once('pong', () => resolve('open')));
    client.socket.ping();
    const socket = await Promise.race([pong, client.closed.then(({ code }) => code)]);
    client.socket.terminate();
    return [download.status, page.data?.files?.items.length ?? page.errors?.[0]?.extensions, socket];
  }
}
interface HandedOut {
  downloadUrl: string;
  nextToken: string;
  token: string;
}

const FINE = [200, 1, 'open'];
const REFUSED = [403, expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'nextToken' }), 4401];
const INTACT = { valid: true, brokenBlock: null, brokenLogId: null, reason: null };

const keyOf = (checkpoint: string): string =>
  JSON.parse(Buffer.from(checkpoint.split('.')[0]!, 'base64url').toString()).publicKey;
const check = (bundle: string, publicKey: string, checkpoints: string[]) => {
  const verifier = new BundleVerifier({ publicKeys: [publicKey], checkpoints });
  for (const line of bundle.split('\n').slice(0, -1)) verifier.readLine(line);
  return verifier.finish();
};

describe('a rotation of SECRET_KEY', () => {
  let base: TestServer;
  const servers: TestServer[] = [];
  /** Another node on the same database, which knows these secrets. */
  const node = async (secretKey: string, old = ''): Promise<TestServer> => {
    const server = await TestServer.start({ ...base.settings, SECRET_KEY: secretKey, SECRET_KEYS_OLD: old });
    servers.push(server);
    return server;
  };
  const settings = (secretKey: string, old = ''): Settings => ({ ...base.settings, SECRET_KEY: secretKey, SECRET_KEYS_OLD: old });
  const rotate = (...args: string[]) => command(settings(NEW, OLD), ['rotate', ...args]);
  beforeAll(async () => {
    base = await TestServer.start({ SECRET_KEY: OLD });
  });
  afterAll(async () => {
    for (const server of servers) await server.app.close();
    await base.stop();
  });

  it('lets URLs, tokens, cursors, keys and logs remain valid, on nodes of each stage, until the old secret is removed', async () => {
    const first = await Tenant.of(base);
    const before = await first.handOut();
    const early = await first.record();
    const [oldSeal, oldBundle] = [await first.seal(), await first.bundle()];
    await base.app.close();

    // Nodes that sign with the old and with the new secret accept what the other one signs.
    const [lagging, leading] = [await node(OLD, NEW), await node(NEW, OLD)];
    const [ofLagging, ofLeading] = [await first.on(lagging).handOut(), await first.on(leading).handOut()];
    for (const given of [before, ofLagging, ofLeading]) {
      expect(await first.on(lagging).take(given)).toEqual(FINE);
      expect(await first.on(leading).take(given)).toEqual(FINE);
    }
    const second = new Tenant(leading, await leading.createKey());
    expect(await second.on(lagging).version()).toBe(200);
    await first.on(leading).record();
    await first.on(lagging).record();
    for (const server of [lagging, leading]) await second.on(server).record();
    for (const server of [lagging, leading]) {
      expect(await first.on(server).verify(oldSeal)).toMatchObject({ ...INTACT, checkedRecords: 3 });
      expect(await second.on(server).verify()).toMatchObject({ ...INTACT, checkedRecords: 2 });
    }

    // Binds and hands over once. The second call finds nothing to do.
    const status = await rotate('--status');
    expect(status.code).toBe(3);
    expect(status.output).toMatch(/^\S{4}\tcurrent\t1\t[01]\t0\t0\n\S{4}\taccepted\t1\t[12]\t0\t0\n$/);
    const done = await rotate();
    expect(done.output).toMatch(
      /^1 keys were bound, [12] logs handed over, and 0 stored secrets sealed, to \S{4}\n\S{4}\tcurrent\t2\t2\t0\t0\n\S{4}\taccepted\t0\t0\t0\t0\n$/,
    );
    expect(done.code).toBe(0);
    expect((await rotate()).output).toMatch(/^0 keys were bound, 0 logs handed over/);

    const mixed = [await first.on(lagging).record(), await first.on(leading).record()];
    const seals = [oldSeal, await first.on(lagging).seal()];
    expect(seals.map(keyOf)).toEqual([keyOf(oldSeal), keyOf(await second.on(leading).seal())]);
    for (const server of [lagging, leading]) {
      for (const seal of seals) expect(await first.on(server).verify(seal)).toMatchObject({ ...INTACT, checkedRecords: 5 });
    }

    // Without the old secret, what it signed is refused in the ordinary way, and its blocks verify.
    const last = await node(NEW);
    expect(await first.on(last).take(before)).toEqual(REFUSED);
    expect(await first.on(last).take(ofLagging)).toEqual(REFUSED);
    expect(await first.on(last).take(ofLeading)).toEqual(FINE);
    await first.on(last).record();
    for (const seal of seals) expect(await first.on(last).verify(seal)).toMatchObject({ ...INTACT, checkedRecords: 6 });
    expect(await second.on(last).verify()).toMatchObject({ ...INTACT, checkedRecords: 2 });
    const CONSISTENCY = 'query($from:String!,$to:String!){logConsistency(from:$from,to:$to){toBlock checkpoint}}';
    const { logConsistency } = await first.on(last).log.ask(CONSISTENCY, { from: seals[0], to: seals[1] });
    expect(keyOf(logConsistency.checkpoint)).toBe(keyOf(seals[1]!));
    for (const id of [early, ...mixed]) {
      const { logProof } = await first.on(last).log.ask('query($id:ID!){logProof(id:$id){checkpoint}}', { id });
      expect(await first.on(last).verify(logProof.checkpoint)).toMatchObject(INTACT);
    }
    const response = await fetch(`${last.address}/.well-known/platform-services/document-log-keys`);
    const jwks = (await response.json()) as { keys: { x: string }[] };
    expect(jwks.keys.map(({ x }) => x)).toEqual([keyOf(seals[1]!)]);

    // A holder of either public key can verify it offline, by this code and by one that was written from the documentation.
    const bundle = await first.on(last).bundle();
    const [own, forPeople] = [keyOf(seals[0]!), keyOf(seals[1]!)];
    expect(check(oldBundle, own, [oldSeal]).publicKeys).toEqual([own]);
    for (const key of [own, forPeople]) {
      expect(check(bundle, key, seals)).toMatchObject({ records: 6, publicKeys: [own, forPeople] });
      expect(verifyBundle(bundle, key, seals)).toHaveLength(6);
    }
    const [bundleFile, sealFile, keysFile] = ['bundle', 'seal', 'keys'].map((name) => join(base.dataDir, name));
    writeFileSync(bundleFile!, bundle);
    writeFileSync(sealFile!, oldSeal);
    writeFileSync(keysFile!, JSON.stringify(jwks));
    const verified = await command({}, ['log', 'verify', bundleFile!, '--checkpoint', sealFile!, '--public-key', keysFile!]);
    expect(verified).toMatchObject({
      code: 0,
      output: expect.stringContaining(`signed by both keys: ${own}, then ${forPeople}\n`),
    });
    expect(() => check(bundle, 'A'.repeat(43), [])).toThrow(/the given public key is not among the keys of the bundle/);
    const lines = bundle.split('\n');
    const at = lines.findIndex((line) => line.includes('"kind":"key"'));
    for (const [name, value] of Object.entries(JSON.parse(lines[at]!))) {
      const text = String(value);
      const other = `${text.startsWith('B') ? 'C' : 'B'}${text.slice(1)}`;
      const changed = lines.with(at, JSON.stringify({ ...JSON.parse(lines[at]!), [name]: other })).join('\n');
      expect([name, throws(() => check(changed, own, seals))]).toEqual([name, true]);
      expect([name, throws(() => verifyBundle(changed, own, seals))]).toEqual([name, true]);
    }
  });
});

describe('a log handed over to another key', () => {
  let server: TestServer;
  let database: AllTenants;
  const rotate = (more: Settings = {}, preload: string[] = []) =>
    command({ ...server.settings, SECRET_KEY: NEW, SECRET_KEYS_OLD: OLD, ...more }, ['rotate'], preload);
  beforeAll(async () => {
    server = await TestServer.start({ SECRET_KEY: OLD, SECRET_KEYS_OLD: NEW });
    database = allRowsOf('no API shows or forges the blocks of a log', server);
  });
  afterAll(() => server.stop());

  /** A log with a block of the old key, its change and a block of the new one, which is written here. */
  const handedOver = async () => {
    const tenant = await Tenant.of(server);
    const id = await tenant.record();
    expect((await rotate()).code).toBe(0);
    await tenant.record();
    const tenantId = await tenant.tenantId();
    expect(await tenant.verify()).toMatchObject(INTACT);
    return { tenant, id, tenantId };
  };
  const blockOf = async (tenantId: string, number: number) =>
    database.logBlock.findUniqueOrThrow({ where: { tenantId_number: { tenantId, number } } });
  const store = (block: Block) =>
    database.logBlock.upsert({
      where: { tenantId_number: { tenantId: block.tenantId, number: block.number } },
      create: block,
      update: block,
    });

  /** What an intruder makes who has keys, but no secret. */
  const forged = (
    block: Block,
    oldKey: KeyObject | string,
    thief: { publicKey: KeyObject; privateKey: KeyObject },
    signWith: KeyObject,
  ) => {
    const x = (key: KeyObject | string) => (typeof key === 'string' ? key : key.export({ format: 'jwk' }).x!);
    const keys = { oldKey: x(oldKey), newKey: x(thief.publicKey) };
    const whole = { ...block, leafCount: 1, leafIds: '{"edits":[],"logs":[]}', root: keyLeafHash(block.tenantId, keys) };
    const hash = blockHash(whole);
    const text = (value: object, key: KeyObject) => sign(null, Buffer.from(canonicalJson(value)), key).toString('base64url');
    const change: KeyChange = { ...keys, newSignature: text({ hash, ...keys, type: 'key' }, thief.privateKey) };
    const idsHash = idsHashOf(whole.leafIds);
    const { sealedAt, toSeq, toEditSeq } = whole;
    const signed = {
      hash,
      idsHash,
      sealedAt: sealedAt.toISOString(),
      toEditSeq: String(toEditSeq),
      toSeq: String(toSeq),
      type: 'block',
    };
    return { ...whole, hash, idsHash, keyChange: keyChangeText(change), signature: text(signed, signWith) };
  };

  it('names a forged change, whatever an intruder without a secret signs it with', async () => {
    const thief = generateKeyPairSync('ed25519');
    const { tenant, tenantId } = await handedOver();
    const genuine = await blockOf(tenantId, 1);
    const { oldKey, newKey } = JSON.parse(genuine.keyChange!) as KeyChange;
    const end = await blockOf(tenantId, 2);
    const next = { ...end, number: 3, previousHash: end.hash };
    // A change at the end, from the key in force, from a key of the intruder, and one in the place of the genuine one.
    const signerOf = (secret: string) => new SealKeys(new Signing(Buffer.from(secret))).current;
    const cases = [
      // Whoever has the old secret cannot continue with the log either.
      makeBlock(end, end, { ids: { edits: [], logs: [] }, hashes: [] }, signerOf(OLD)),
      makeChangeBlock(end, signerOf(OLD), signerOf('a secret of the intruder')),
      forged(next, newKey, thief, thief.privateKey),
      forged(next, thief.publicKey, thief, thief.privateKey),
      forged(genuine, oldKey, thief, thief.privateKey),
      { ...genuine, keyChange: null },
      { ...genuine, keyChange: genuine.keyChange!.replace(newKey, oldKey) },
      { ...genuine, keyChange: genuine.keyChange!.replace('{', '{ ') },
      { ...end, keyChange: genuine.keyChange },
    ];
    for (const block of cases) {
      const stored = await database.logBlock.findFirst({ where: { tenantId, number: block.number } });
      await store(block);
      const found = await tenant.verify();
      expect(found).toMatchObject({
        valid: false,
        brokenBlock: block.number === 1 && block.keyChange === null ? 0 : block.number,
        reason: expect.any(String),
      });
      await database.logBlock.delete({ where: { tenantId_number: { tenantId, number: block.number } } });
      if (stored) await store(stored);
      expect(await tenant.verify()).toMatchObject(INTACT);
    }
  });

  it('is not one forged as a whole without a secret, or one with the handover of another log', async () => {
    const thief = generateKeyPairSync('ed25519');
    const [mine, other] = [await handedOver(), await handedOver()];
    const [genuine, foreign] = [await blockOf(mine.tenantId, 1), await blockOf(other.tenantId, 1)];
    await store({ ...genuine, keyChange: foreign.keyChange, signature: foreign.signature });
    expect(await mine.tenant.verify()).toMatchObject({ valid: false, brokenBlock: 1 });
    // From a key of the intruder to the one in force: the new key did not sign it.
    const { newKey } = JSON.parse(genuine.keyChange!) as KeyChange;
    const made = forged(genuine, thief.publicKey, thief, thief.privateKey);
    await store({ ...made, keyChange: made.keyChange.replace(/"newKey":"[^"]+"/, `"newKey":"${newKey}"`) });
    expect(await mine.tenant.verify()).toMatchObject({ valid: false, brokenBlock: 1 });
  });

  it('names a record that was changed before the handover, even without the old secret', async () => {
    const { tenant, id } = await handedOver();
    const alone = await TestServer.start({ ...server.settings, SECRET_KEY: NEW, SECRET_KEYS_OLD: '' });
    try {
      const { comment } = await database.log.findUniqueOrThrow({ where: { id } });
      await database.log.update({ where: { id }, data: { comment: 'altered' } });
      expect(await tenant.on(alone).verify()).toMatchObject({ valid: false, brokenLogId: id });
      await database.log.update({ where: { id }, data: { comment } });
      expect(await tenant.on(alone).verify()).toMatchObject(INTACT);
    } finally {
      await alone.app.close();
    }
  });

  it.each(['before', 'after'])(
    'is complete when a rotation was killed %s a write, and the next one continues',
    async (moment) => {
      const tenants = await Promise.all([Tenant.of(server), Tenant.of(server)]);
      for (const tenant of tenants) await tenant.record();
      const plan = join(server.dataDir, `plan-${moment}`);
      writeFileSync(plan, `3 ${moment}\n`);
      const killed = await rotate({ KILL_PLAN: plan, KILL_TABLES: 'LogBlock|ApiKey' }, ['--import', KILLER]);
      expect(killed.signal).toBe('SIGKILL');
      for (const tenant of tenants) expect([await tenant.version(), await tenant.verify()]).toMatchObject([200, INTACT]);
      expect((await rotate()).code).toBe(0);
      for (const tenant of tenants) {
        await tenant.record();
        expect(await tenant.verify()).toMatchObject({ ...INTACT, checkedRecords: 2 });
        expect(keyOf(await tenant.seal())).toBe(keyOf(await tenants[0]!.seal()));
      }
    },
  );

  it('is not sealed by a node that has neither secret, which says so, and continues once it has them', async () => {
    const { tenant } = await handedOver();
    const seal = await tenant.seal();
    const strange = await TestServer.start({
      ...server.settings,
      SECRET_KEY: 'a third secret that only tests are using',
      SECRET_KEYS_OLD: '',
    });
    try {
      await strange.app.get(LogSealer, { strict: false }).seal();
      expect(strange.logLines.filter((line) => line.includes('add the previous SECRET_KEY to SECRET_KEYS_OLD'))).toHaveLength(1);
      expect(await tenant.version()).toBe(200);
      expect(await tenant.on(strange).version()).toBe(401);
      expect(await tenant.seal()).toBe(seal);
      // Neither does a rotation to it, which leaves everything as it is.
      const { code, output } = await rotate({ SECRET_KEY: strange.settings.SECRET_KEY!, SECRET_KEYS_OLD: '' });
      expect([code, output]).toEqual([
        3,
        expect.stringMatching(/^0 keys were bound, 0 logs .*\n.*\n-\tmissing\t[1-9]\d*\t[1-9]\d*\t\d+\t0\n$/),
      ]);
      expect([await tenant.version(), await tenant.verify(seal)]).toMatchObject([200, INTACT]);
    } finally {
      await strange.app.close();
    }
    await tenant.record();
    expect(await tenant.verify(seal)).toMatchObject(INTACT);
  });
});

(isPostgres ? describe.skip : describe)('a generated secret', () => {
  it('is replaced by a command, and the old one is accepted until its file is removed', async () => {
    const receiver = await Receiver.start();
    const old = await TestServer.start({ SECRET_KEY: '', ...RECEIVER_SETTINGS });
    const tenant = await Tenant.of(old);
    const hookKey = await old.createKey();
    const hooksOf = (server: TestServer) => new Webhooks(server, new Api(server.address, 'document-rendering', hookKey));
    const hook = await hooksOf(old).create({ url: receiver.url, events: ['TEMPLATE_CREATED'] });
    const given = await tenant.handOut();
    await tenant.record();
    const file = join(old.dataDir, 'secret.keys.old');
    const secret = readFileSync(join(old.dataDir, 'secret.key'), 'utf8');
    expect((await command({ ...old.settings, SECRET_KEY: OLD }, ['rotate', '--generate'])).output).toMatch(/^SECRET_KEY is set/);
    expect((await command(old.settings, ['rotate', '--generate'])).code).toBe(0);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${secret}\n`, 0o600]);
    await old.app.close();
    const fresh = await TestServer.start(old.settings);
    expect(await tenant.on(fresh).take(given)).toEqual(FINE);
    expect((await command(old.settings, ['rotate'])).output).toMatch(/1 stored secrets sealed/);
    await fresh.app.close();
    rmSync(file);
    const alone = await TestServer.start(old.settings);
    expect(await tenant.on(alone).take(given)).toEqual(REFUSED);
    expect(await tenant.on(alone).verify()).toMatchObject({ ...INTACT, checkedRecords: 1 });
    // A key that rotate bound lives on, and so does the secret of a webhook.
    await hooksOf(alone).test(hook.webhook.id);
    const { body, headers } = receiver.received[0]!;
    new StandardWebhook(hook.secret).verify(body, headers as Record<string, string>);
    await alone.stop();
    await receiver.stop();
  });
});

function throws(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}
