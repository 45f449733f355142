import { randomUUID } from 'node:crypto';
import { BackgroundJobs } from '../src/common/jobs/background-jobs.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Email, someone } from './support/email.js';
import { needing, program } from './support/needs.js';
import { type DnsRecord, NameServer } from './nodes/name-server.mjs';
import { PolledWebhook } from './support/polled-webhook.js';

const RECORD = '{purpose type name value state found keepUntil}';
const FIELDS = `{domain status records${RECORD} createdAt verifiedAt checkedAt nextCheckAt lastError}`;
const CREATE = `mutation($domain:String!){createEmailDomain(domain:$domain)${FIELDS}}`;
const CHECK = `mutation($domain:String!){checkEmailDomain(domain:$domain)${FIELDS}}`;
const ROTATE = `mutation($domain:String!){rotateEmailDomainKeys(domain:$domain)${FIELDS}}`;
const DELETE = `mutation($domain:String!){deleteEmailDomain(domain:$domain)${FIELDS}}`;
const PAGE = `query($nextToken:String,$limit:Int){emailDomains(nextToken:$nextToken,limit:$limit){items${FIELDS} nextToken}}`;
const DAY_MS = 24 * 3_600_000;

type Shown = DnsRecord & { purpose: string; state: string; found: string[]; keepUntil: string | null };
interface Domain {
  domain: string;
  status: string;
  records: Shown[];
  verifiedAt: string | null;
  nextCheckAt: string | null;
  lastError: string | null;
}

needing(program('dnsmasq')).describe('a sender domain', () => {
  let names: NameServer;
  let email: Email;
  beforeAll(async () => {
    names = await NameServer.start();
    email = await Email.start({
      EMAIL_DNS_SERVERS: names.address,
      EMAIL_SPF: 'include:_spf.relay.example',
      RETURN_PATH_DOMAIN: 'bounces.platform.example',
    });
  });
  afterAll(async () => {
    await email.stop();
    await names.stop();
  });

  let made = 0;
  const fresh = (): string => `shop${made++}.example`;
  const rows = () => allRowsOf('only time lets a domain be checked again or fail', email.server).emailDomain;
  const create = async (domain: string, by = email): Promise<Domain> => (await by.api.ask(CREATE, { domain })).createEmailDomain;
  const check = async (domain: string, by = email): Promise<Domain> => {
    await rows().updateMany({ where: { domain }, data: { askedAt: null } });
    return (await by.api.ask(CHECK, { domain })).checkEmailDomain;
  };
  const rotate = async (domain: string): Promise<Domain> => (await email.api.ask(ROTATE, { domain })).rotateEmailDomainKeys;
  const verified = async (domain = fresh(), by = email): Promise<Domain> => {
    await names.add(...(await create(domain, by)).records.filter(({ type }) => type === 'TXT'));
    return check(domain, by);
  };
  const stateOf = ({ records }: Domain) => records.map(({ purpose, state }) => `${purpose} ${state}`);
  const sendFrom = (address: string, by = email) => by.send({ to: { address: someone() }, from: { address } });
  const runJob = () => email.server.app.get(BackgroundJobs, { strict: false }).runNow();

  it('is VERIFIED once its records are found, and then this tenant may send from any of its addresses', async () => {
    const domain = fresh();
    const webhook = await PolledWebhook.create(email.api, 'DOMAIN_VERIFIED');
    const pending = await create(domain);
    expect(pending).toMatchObject({ domain, status: 'PENDING', verifiedAt: null, checkedAt: null, lastError: null });
    expect(new Date(pending.nextCheckAt!).getTime()).toBeLessThan(Date.now() + 120_000);
    expect(pending.records.map(({ purpose, type, name, value }) => [purpose, type, name, value])).toEqual([
      ['OWNERSHIP', 'TXT', `_platform-services.${domain}`, expect.stringMatching(/^platform-services=[a-z2-7]{32}$/)],
      [
        'DKIM',
        'TXT',
        expect.stringMatching(/^ps[a-z2-7]{8}-rsa\._domainkey\./),
        expect.stringMatching(/^v=DKIM1; k=rsa; p=MIIB/),
      ],
      [
        'DKIM',
        'TXT',
        expect.stringMatching(/^ps[a-z2-7]{8}-ed25519\._domainkey\./),
        expect.stringMatching(/^v=DKIM1; k=ed25519; p=[\w+/]{43}=$/),
      ],
      ['SPF', 'TXT', domain, 'v=spf1 include:_spf.relay.example ~all'],
      ['DMARC', 'TXT', `_dmarc.${domain}`, 'v=DMARC1; p=none'],
      ['RETURN_PATH', 'CNAME', `ps-bounces.${domain}`, 'bounces.platform.example'],
    ]);
    expect(new Set(stateOf(pending).map((text) => text.split(' ')[1]))).toEqual(new Set(['UNKNOWN']));
    expect(await create(domain.toUpperCase())).toEqual(pending);

    expect(await check(domain)).toMatchObject({ status: 'PENDING', lastError: expect.stringContaining('OWNERSHIP') });
    await expect(sendFrom(`ann@${domain}`)).rejects.toThrow('FAILED_PRECONDITION');
    const dkim = pending.records.filter(({ purpose }) => purpose === 'DKIM');
    await names.add(pending.records[0]!);
    const half = await check(domain);
    expect(half).toMatchObject({ status: 'PENDING', lastError: `the TXT record of DKIM at ${dkim[0]!.name} was not found` });
    expect(stateOf(half)).toEqual(['OWNERSHIP FOUND', 'DKIM MISSING', 'DKIM MISSING', 'SPF MISSING', 'DMARC MISSING', 'RETURN_PATH MISSING']); // prettier-ignore
    await expect(sendFrom(`ann@${domain}`)).rejects.toThrow('FAILED_PRECONDITION');
    await names.add(...pending.records.slice(1));
    const whole = await check(domain);
    expect(whole).toMatchObject({ status: 'VERIFIED', verifiedAt: expect.stringMatching(/Z$/), lastError: null });
    expect(whole.records.map(({ value, found }) => (found.length === 1 && found[0] === value) || value.length)).toEqual([
      true, true, true, true, true, true,
    ]); // prettier-ignore
    const [event] = await webhook.of(domain);
    expect(event).toEqual({ type: 'domain.verified', subject: domain, data: whole });

    await sendFrom(`ann@${domain}`);
    await sendFrom(`ben@${domain.toUpperCase()}`);
    await expect(sendFrom(`ann@news.${domain}`)).rejects.toThrow('FAILED_PRECONDITION');
    await expect(sendFrom(`ann@${domain}`, await email.another())).rejects.toThrow('FAILED_PRECONDITION');
    expect((await email.api.ask(DELETE, { domain })).deleteEmailDomain).toEqual(whole);
    await expect(sendFrom(`ann@${domain}`)).rejects.toThrow('FAILED_PRECONDITION');
    expect(await email.api.refusal(DELETE, { domain })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('can be verified by several tenants, each by its own token', async () => {
    const domain = fresh();
    const other = await email.another();
    await verified(domain);
    const theirs = await create(domain, other);
    const dkim = theirs.records.filter(({ purpose }) => purpose === 'DKIM');
    await names.add(...dkim);
    const wrong = await check(domain, other);
    expect(wrong.status).toBe('PENDING');
    expect(stateOf(wrong).slice(0, 3)).toEqual(['OWNERSHIP DIFFERENT', 'DKIM FOUND', 'DKIM FOUND']);
    await names.add(theirs.records[0]!);
    expect((await check(domain, other)).status).toBe('VERIFIED');
    expect((await check(domain)).status).toBe('VERIFIED');
  });

  it.each([
    ['v=spf1 mx include:_spf.relay.example -all', 'FOUND'],
    ['v=spf1 +include:_SPF.relay.example', 'FOUND'],
    ['v=spf1 include:_spf.relay.example redirect=other.example', 'FOUND'],
    ['v=spf1 -all include:_spf.relay.example', 'DIFFERENT'],
    ['v=spf1 mx ~all include:_spf.relay.example -all', 'DIFFERENT'],
    ['v=spf1 +all include:_spf.relay.example', 'DIFFERENT'],
    ['v=spf1 -include:_spf.relay.example -all', 'DIFFERENT'],
  ])('has the SPF record where its mechanisms stand before "all": %s is %s', async (value, state) => {
    const domain = fresh();
    const { records } = await create(domain);
    await names.add({ ...records.find(({ purpose }) => purpose === 'SPF')!, value });
    expect(stateOf(await check(domain))).toContain(`SPF ${state}`);
  });

  it('is refused while too many keys are being generated, without an error in the log', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => create(fresh())));
    const refused = answers
      .filter(({ status }) => status === 'rejected')
      .map((one) => String((one as PromiseRejectedResult).reason));
    expect(refused.length).toBeGreaterThan(0);
    for (const reason of refused) expect(reason).toContain('SERVICE_UNAVAILABLE');
    expect(email.server.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  it('reports what is published in place of a record, in printable characters', async () => {
    const domain = fresh();
    const { records } = await create(domain);
    const at = (purpose: string) => records.find((one) => one.purpose === purpose)!;
    await names.add(
      { ...at('OWNERSHIP'), value: 'platform-services=wrong' },
      { ...at('DKIM'), value: 'v=DKIM1; k=rsa; p=' },
      { ...at('SPF'), value: 'v=spf1 include:other.example -all' },
      { ...at('SPF'), value: 'site-verification=ä' },
      { ...at('DMARC'), value: 'v=DMARC1; p=reject' },
      { ...at('RETURN_PATH'), value: 'elsewhere.example' },
    );
    const found = (await check(domain)).records.map(({ purpose, state, found: values }) => [purpose, state, values]);
    expect(found).toEqual([
      ['OWNERSHIP', 'DIFFERENT', ['platform-services=wrong']],
      ['DKIM', 'DIFFERENT', ['v=DKIM1; k=rsa; p=']],
      ['DKIM', 'MISSING', []],
      ['SPF', 'DIFFERENT', ['v=spf1 include:other.example -all']],
      ['DMARC', 'FOUND', ['v=DMARC1; p=reject']],
      ['RETURN_PATH', 'DIFFERENT', ['elsewhere.example']],
    ]);
  });

  it('uses the DMARC record of a parent, as mail servers do', async () => {
    const domain = fresh();
    await names.add({ type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=quarantine; sp=none' });
    await create(`news.${domain}`);
    const { records } = await check(`news.${domain}`);
    expect(records.find(({ purpose }) => purpose === 'DMARC')).toMatchObject({ state: 'FOUND', name: `_dmarc.news.${domain}` });
  });

  it('stays VERIFIED while lookups fail for less than 3 days, then is FAILED, and recovers', async () => {
    const webhook = await PolledWebhook.create(email.api, 'DOMAIN_FAILED', 'DOMAIN_VERIFIED');
    const { domain, records } = await verified();
    await names.stop();
    const silent = await check(domain);
    expect(silent).toMatchObject({ status: 'VERIFIED', lastError: expect.stringContaining('could not be looked up') });
    await names.remove(records[1]!.name);
    expect((await check(domain)).status).toBe('VERIFIED');
    await sendFrom(`ann@${domain}`);
    const passTime = (days: number) =>
      rows().updateMany({ where: { domain }, data: { failingSince: new Date(Date.now() - days * DAY_MS) } });
    await passTime(2.9);
    expect((await check(domain)).status).toBe('VERIFIED');
    await names.stop();
    await passTime(4);
    expect((await check(domain)).status).toBe('VERIFIED');
    await names.add();
    const failed = await check(domain);
    expect(failed).toMatchObject({ status: 'FAILED', lastError: `the TXT record of DKIM at ${records[1]!.name} was not found` });
    await expect(sendFrom(`ann@${domain}`)).rejects.toThrow('FAILED_PRECONDITION');
    await names.add(records[1]!);
    expect((await check(domain)).status).toBe('VERIFIED');
    expect((await webhook.of(domain, 3)).map(({ type }) => type)).toEqual([
      'domain.verified',
      'domain.failed',
      'domain.verified',
    ]);
  });

  it('is looked up by a job when due', async () => {
    const domain = fresh();
    await names.add(...(await create(domain)).records.filter(({ type }) => type === 'TXT'));
    await rows().updateMany({ where: { domain }, data: { dueAt: new Date() } });
    await runJob();
    const { items } = (await email.api.ask(PAGE, { limit: 100 })).emailDomains;
    const one = items.find((item: Domain) => item.domain === domain);
    expect(one).toMatchObject({ status: 'VERIFIED' });
    expect(new Date(one.nextCheckAt).getTime()).toBeGreaterThan(Date.now() + DAY_MS / 2);
  });

  it('gets new keys, and retains the old ones until the new records are found', async () => {
    const { domain, records } = await verified();
    const old = records.filter(({ purpose }) => purpose === 'DKIM');
    const rotated = await rotate(domain);
    const keys = (of: Domain) => of.records.filter(({ purpose }) => purpose === 'DKIM');
    expect(keys(rotated)).toHaveLength(4);
    expect(keys(rotated).map(({ name }) => name)).toEqual(expect.arrayContaining(old.map(({ name }) => name)));
    expect((await rotate(domain)).records).toEqual(rotated.records);
    const awaited = await check(domain);
    expect(awaited).toMatchObject({ status: 'VERIFIED', lastError: null });
    expect(keys(awaited).map(({ state }) => state)).toEqual(['FOUND', 'FOUND', 'MISSING', 'MISSING']);
    await names.add(...keys(rotated).slice(2));
    const done = await check(domain);
    expect(keys(done).map(({ name }) => name)).toEqual([...keys(rotated).slice(2), ...old].map(({ name }) => name));
    expect(keys(done).map(({ keepUntil }) => keepUntil)).toEqual([null, null, expect.stringMatching(/Z$/), expect.stringMatching(/Z$/)]); // prettier-ignore
    await names.remove(...old.map(({ name }) => name));
    await rows().updateMany({ where: { domain }, data: { previousUntil: new Date() } });
    const clean = await check(domain);
    expect(clean).toMatchObject({ status: 'VERIFIED', lastError: null });
    expect(keys(clean)).toHaveLength(2);
  });

  it('is listed in pages by its name', async () => {
    const other = await email.another();
    for (const name of ['b.example', 'a.example', 'c.example']) await create(name, other);
    const { items, nextToken } = (await other.api.ask(PAGE, { limit: 2 })).emailDomains;
    expect(items.map(({ domain }: Domain) => domain)).toEqual(['a.example', 'b.example']);
    const rest = (await other.api.ask(PAGE, { limit: 2, nextToken })).emailDomains;
    expect(rest).toMatchObject({ items: [{ domain: 'c.example' }], nextToken: null });
  });

  it('has a name in the form that name servers use', async () => {
    const name = `Bücher-${randomUUID().slice(0, 8)}.Example`;
    expect((await create(name)).domain).toMatch(/^xn--bcher-[\w-]+\.example$/);
    const refused = (domain: string) => email.api.refusal(CREATE, { domain });
    for (const domain of [
      '',
      'example',
      'ann@example.com',
      'a..example',
      '-a.example',
      '1.2.3.4',
      'a_b.example',
      `${'a'.repeat(64)}.example`,
    ]) {
      expect(await refused(domain)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'domain' });
    }
    for (const domain of [
      'shop.localhost',
      'shop.local',
      'shop.onion',
      '1.10.in-addr.arpa',
      `${'a.'.repeat(90)}example`,
      'a\0.example',
    ]) {
      expect(await refused(domain)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'domain' });
    }
  });

  it('is looked up at most once in 10 s by callers, however many ask concurrently', async () => {
    const domain = fresh();
    await create(domain);
    const answers = await Promise.all(Array.from({ length: 5 }, () => email.api.send(CHECK, { domain })));
    const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'OK');
    expect(codes.filter((code) => code === 'OK')).toHaveLength(1);
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(4);
    expect(await email.api.refusal(ROTATE, { domain })).toMatchObject({ code: 'FAILED_PRECONDITION' });
  });
});
