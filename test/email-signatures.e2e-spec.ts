// @nightly postgresql: no SQL of its own
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { openDkim, signaturesOf } from './support/dkim.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Email, someone } from './support/email.js';
import { type DnsRecord, NameServer } from './nodes/name-server.mjs';
import { needing, program } from './support/needs.js';
import { CLI } from './support/process.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

const { it } = needing(program('dnsmasq'), program('opendkim'));
const FIELDS = '{domain status lastError records{purpose type name value state}}';
const CREATE = `mutation($domain:String!){createEmailDomain(domain:$domain)${FIELDS}}`;
const CHECK = `mutation($domain:String!){checkEmailDomain(domain:$domain)${FIELDS}}`;
const ROTATE = `mutation($domain:String!){rotateEmailDomainKeys(domain:$domain)${FIELDS}}`;
const [OLD, NEW] = ['the first secret that only tests are using', 'the second secret that only tests are using'];
const BOTH = ['rsa', 'ed25519'];

type Shown = DnsRecord & { purpose: string; state: string };
interface Domain {
  domain: string;
  status: string;
  lastError: string | null;
  records: Shown[];
}

let names: NameServer;
let email: Email;
beforeAll(async () => {
  names = await NameServer.start();
  email = await Email.start({ EMAIL_DNS_SERVERS: names.address });
});
afterAll(async () => {
  await email.stop();
  await names.stop();
});

let made = 0;
const check = async (domain: string, by = email): Promise<Domain> => {
  const { emailDomain } = allRowsOf('only time lets a domain be checked again', by.server);
  await emailDomain.updateMany({ where: { domain }, data: { askedAt: null } });
  return (await by.api.ask(CHECK, { domain })).checkEmailDomain;
};
const keysOf = ({ records }: Domain) => records.filter(({ purpose }) => purpose === 'DKIM');
const keyOf = (domain: Domain, algorithm: string) => keysOf(domain).find(({ name }) => name.includes(`-${algorithm}.`))!;
/** A domain whose records are set, but that of a key that is left out. */
const verified = async ({ leftOut = 'none', by = email } = {}): Promise<Domain> => {
  const domain = `signed${made++}.example`;
  const created: Domain = (await by.api.ask(CREATE, { domain })).createEmailDomain;
  await names.add(...created.records.filter(({ name }) => !name.includes(`-${leftOut}.`)));
  return check(domain, by);
};
/** Sends a mail, and returns it as the mail server got it. */
const sent = async ({ domain }: Domain, input: object = {}): Promise<Buffer> => {
  const to = someone();
  await email.send({ to: { address: to }, from: { address: `shop@${domain}` }, ...input });
  return (await email.mail.to(to))[0]!.bytes;
};
/** The algorithms of the signatures of a mail, all of which are verified by the records. */
const signers = async (mail: Buffer, domain: Domain): Promise<string[]> => {
  const found = await openDkim(mail, keysOf(domain));
  for (const one of found) expect(one).toMatch(/verification \(s=ps\w+-\w+, d=[\w.]+, (?:2048|0)-bit key.*\) succeeded/);
  return found.map((one) => /s=ps\w+-(\w+)/.exec(one)![1]!);
};

it.each([
  ['letters that are not ASCII', { subject: 'Größe', htmlBody: '<p>Grüße 😀</p>', textBody: 'Grüße 😀' }],
  ['long lines', { htmlBody: `<p>${'long '.repeat(5_000)}${'x'.repeat(5_000)}</p>` }],
  ['dots, blanks and empty lines', { textBody: '\n\n.\n..\n  two   spaces  \n\t\nend  \n\n\n' }],
  ['every kind of line break', { textBody: 'one\rtwo\r\rthree \rfour\r\nfive\n\rsix\r' }],
  ['nothing in it', { textBody: '' }],
  [
    'headers of a list',
    {
      headers: [
        { name: 'List-Id', value: 'Größe <news.example>' },
        { name: 'Precedence', value: 'bulk' },
      ],
    },
  ],
])('a mail with %s passes an independent verifier by RSA and by Ed25519, and no changed one does', async (_, input) => {
  const domain = await verified();
  const mail = await sent(domain, input);
  expect(String(mail)).toMatch(new RegExp(`^DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain.domain};`));
  expect(await signers(mail, domain)).toEqual(BOTH);
  const [ofBody, ofSubject] = [`${mail.toString('latin1')}x\r\n`, mail.toString('latin1').replace('Subject:', 'Subject: x')];
  for (const changed of [ofBody, ofSubject]) {
    const outcome = await openDkim(Buffer.from(changed, 'latin1'), keysOf(domain));
    expect(outcome).toEqual([expect.not.stringContaining('succeeded'), expect.not.stringContaining('succeeded')]);
  }
});

it('a mail with an attachment is signed in each attempt over the bytes of that attempt', async () => {
  const domain = await verified();
  const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * index) % 251));
  const fileId = await email.file(content);
  const later = someone();
  email.mail.treatments.set(later, { code: 451, at: 'DATA' });
  const attachments = [{ name: 'bytes.bin', fileId }];
  const id = await email.send({ to: { address: later }, from: { address: `shop@${domain.domain}` }, attachments });
  await email.tried(id);
  email.mail.treatments.delete(later);
  await email.passTime();
  const [{ bytes, parsed }] = (await email.mail.to(later)) as any;
  expect(Buffer.from(parsed.attachments[0].content).equals(content)).toBe(true);
  expect(await signers(bytes, domain)).toEqual(BOTH);
});

it('a signature is by RSA alone while the Ed25519 record is missing; the domain stays VERIFIED', async () => {
  const domain = await verified({ leftOut: 'ed25519' });
  const { name } = keyOf(domain, 'ed25519');
  expect(domain).toMatchObject({ status: 'VERIFIED', lastError: null });
  expect(keysOf(domain).map(({ state }) => state)).toEqual(['FOUND', 'MISSING']);
  expect(await signers(await sent(domain), domain)).toEqual(['rsa']);
  await names.add(keyOf(domain, 'ed25519'));
  expect(await check(domain.domain)).toMatchObject({ status: 'VERIFIED' });
  expect(await signers(await sent(domain), domain)).toEqual(BOTH);
  // A look-up without an answer changes nothing.
  await names.stop();
  expect(await check(domain.domain)).toMatchObject({ status: 'VERIFIED' });
  expect(await signers(await sent(domain), domain)).toEqual(BOTH);
  await names.remove(name);
  expect(await check(domain.domain)).toMatchObject({ status: 'VERIFIED', lastError: null });
  expect(await signers(await sent(domain), domain)).toEqual(['rsa']);
});

it('a signature is not by Ed25519 while its record differs', async () => {
  const domain = await verified({ leftOut: 'ed25519' });
  const record = keyOf(domain, 'ed25519');
  await names.add({ ...record, value: record.value.replace(/p=..../, 'p=AAAA') });
  expect(keyOf(await check(domain.domain), 'ed25519').state).toBe('DIFFERENT');
  expect(await signers(await sent(domain), domain)).toEqual(['rsa']);
});

it('a signature is by the new keys once the record of the new RSA key is found, and by the new Ed25519 key once that is', async () => {
  const domain = await verified();
  const rotated: Domain = (await email.api.ask(ROTATE, { domain: domain.domain })).rotateEmailDomainKeys;
  const old = new Set(keysOf(domain).map(({ name }) => name));
  const [rsa, ed25519] = keysOf(rotated).filter(({ name }) => !old.has(name));
  await names.add(ed25519!);
  await check(domain.domain);
  expect(await signers(await sent(domain), domain)).toEqual(BOTH);
  await names.remove(ed25519!.name);
  await names.add(rsa!);
  const next = { ...rotated, records: [rsa!, ed25519!] };
  await check(domain.domain);
  expect(await signers(await sent(domain), next)).toEqual(['rsa']);
  await names.add(ed25519!);
  await check(domain.domain);
  expect(await signers(await sent(domain), next)).toEqual(BOTH);
});

it('a signature is by the same keys after a rotation of SECRET_KEY; a node with only the new secret sends no mail of the domain before', async () => {
  const own = await Email.start({ EMAIL_DNS_SERVERS: names.address, SECRET_KEY: OLD });
  const domain = await verified({ by: own });
  const later = someone();
  own.mail.recipients.set(later, 450);
  const id = await own.send({ to: { address: later }, from: { address: `shop@${domain.domain}` } });
  await own.tried(id);
  own.mail.recipients.delete(later);
  await own.server.app.close();
  const settings = { ...own.server.settings, SECRET_KEY: NEW };

  const tooEarly = await TestServer.start(settings);
  await own.passTime({}, tooEarly);
  await until(() => tooEarly.logLines.some((line) => line.includes(id) && line.includes('a mail could not be sent')));
  await tooEarly.app.close();
  expect(own.mail.mails).toEqual([]);

  const env = { PATH: process.env.PATH!, HOME: process.env.HOME ?? '/', ...settings, SECRET_KEYS_OLD: OLD };
  const { stdout } = await promisify(execFile)(CLI[0]!, [...CLI.slice(1), 'rotate'], { env });
  expect(stdout).toMatch(/ 1 stored secrets sealed/);
  const alone = await TestServer.start(settings);
  await own.passTime({}, alone);
  const [mail] = await own.mail.to(later);
  expect(await signers(mail!.bytes, domain)).toEqual(BOTH);
  await alone.app.close();
  await own.stop();
});

it('a signature is on no mail from an address whose domain is not verified', async () => {
  const to = someone();
  await email.send({ to: { address: to } });
  expect(signaturesOf((await email.mail.to(to))[0]!.bytes).signatures).toEqual([]);
});
