// @nightly postgresql: no SQL of its own
import { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { signaturesOf } from './support/dkim.js';
import { Email, SEND, someone } from './support/email.js';
import { Family, type Member } from './support/family.js';
import { needing, program } from './support/needs.js';
import { type DnsRecord, NameServer } from './nodes/name-server.mjs';

const FIELDS = '{domain status inherited records{purpose type name value}}';
const CREATE = `mutation($domain:String!){createEmailDomain(domain:$domain)${FIELDS}}`;
const LIST = `query($limit:Int,$nextToken:String){emailDomains(limit:$limit,nextToken:$nextToken){items${FIELDS} nextToken}}`;

needing(program('dnsmasq')).describe('a verified domain of a parent', () => {
  let names: NameServer;
  let email: Email;
  let family: Family;
  let parent: Member;
  let up: Api;
  let own: Api;
  beforeAll(async () => {
    names = await NameServer.start();
    email = await Email.start({ EMAIL_DNS_SERVERS: names.address });
    family = await Family.of(email.server);
    parent = await family.tenant();
    up = await parent.as('email');
    own = await (await family.childOf(parent)).as('email');
  });
  afterAll(async () => {
    await email.stop();
    await names.stop();
  });

  const verify = async (api: Api, domain: string): Promise<void> => {
    const { createEmailDomain } = await api.ask(CREATE, { domain });
    await names.add(...(createEmailDomain.records as DnsRecord[]));
    const { emailDomain } = allRowsOf('only time lets a domain be checked again', email.server);
    await emailDomain.updateMany({ where: { domain }, data: { askedAt: null } });
    const { checkEmailDomain } = await api.ask('mutation($domain:String!){checkEmailDomain(domain:$domain){status}}', { domain });
    expect(checkEmailDomain.status).toBe('VERIFIED');
  };
  const selectorsOf = async (api: Api, domain: string): Promise<string[]> => {
    const to = someone();
    await api.ask(SEND, { input: { to: { address: to }, from: { address: `shop@${domain}` }, subject: 's', textBody: 't' } });
    const [mail] = await email.mail.to(to);
    return signaturesOf(mail!.bytes).signatures.map((text) => /\bs=([^;]+);/.exec(text)![1]!);
  };
  const all = async (api: Api, limit?: number) => {
    const found: any[] = [];
    for (let nextToken: string | null = null; ;) {
      const page: any = (await api.ask(LIST, { limit, nextToken })).emailDomains;
      found.push(...page.items);
      nextToken = page.nextToken;
      if (nextToken === null) return found;
    }
  };

  it('is used by a child, signed by the keys of the parent until its own domain of that name is verified', async () => {
    await verify(up, 'group.example');
    expect(await all(own)).toMatchObject([{ domain: 'group.example', status: 'VERIFIED', inherited: true }]);
    const ofParent = await selectorsOf(up, 'group.example');
    expect(ofParent.length).toBeGreaterThan(0);
    expect(await selectorsOf(own, 'group.example')).toEqual(ofParent);
    for (const name of ['checkEmailDomain', 'rotateEmailDomainKeys', 'deleteEmailDomain']) {
      const { code, message } = await own.refusal(`mutation{${name}(domain:"group.example"){status}}`);
      expect([code, message]).toEqual(['FAILED_PRECONDITION', expect.stringContaining('inherited from the parent tenant')]);
    }
    await own.ask(CREATE, { domain: 'group.example' });
    expect(await all(own)).toMatchObject([{ domain: 'group.example', status: 'PENDING', inherited: false }]);
    expect(await selectorsOf(own, 'group.example')).toEqual(ofParent);
    await verify(own, 'group.example');
    const ofChild = await selectorsOf(own, 'group.example');
    expect(ofChild.length).toBeGreaterThan(0);
    expect(ofChild).not.toEqual(ofParent);
    expect(await selectorsOf(up, 'group.example')).toEqual(ofParent);
  });

  it('is listed with those of the child by name, in pages, unless it is pending, and is unknown without a parent', async () => {
    for (const name of ['a', 'c', 'e']) await verify(up, `${name}.example`);
    await up.ask(CREATE, { domain: 'f.example' });
    for (const name of ['b', 'c']) await own.ask(CREATE, { domain: `${name}.example` });
    const expected = ['a true', 'b false', 'c false', 'e true', 'group false'].map((text) => text.replace(' ', '.example '));
    for (const limit of [1, 2, 100]) {
      expect((await all(own, limit)).map(({ domain, inherited }) => `${domain} ${inherited}`)).toEqual(expected);
    }
    const stranger = await (await family.tenant()).as('email');
    expect(await all(stranger)).toEqual([]);
    const from = { address: 'shop@a.example' };
    const input = { to: { address: someone() }, from, subject: 's', textBody: 't' };
    expect((await stranger.refusal(SEND, { input })).code).toBe('FAILED_PRECONDITION');
    expect((await own.refusal(SEND, { input: { ...input, from: { address: 'shop@f.example' } } })).code).toBe(
      'FAILED_PRECONDITION',
    );
  });
});
