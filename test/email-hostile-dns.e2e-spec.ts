// @nightly postgresql: no SQL of its own
import { Email } from './support/email.js';
import { HostileNameServer, MISBEHAVIOURS } from './support/hostile-name-server.js';
import { until } from './support/websockets.js';

const FIELDS = '{domain status lastError records{purpose state found}}';
const CREATE = `mutation($domain:String!){createEmailDomain(domain:$domain)${FIELDS}}`;
const CHECK = `mutation($domain:String!){checkEmailDomain(domain:$domain)${FIELDS}}`;

interface Domain {
  status: string;
  lastError: string | null;
  records: { purpose: string; state: string; found: string[] }[];
}

/** States of OWNERSHIP, both keys, SPF, DMARC and RETURN_PATH. */
const [NONE, OTHER, SILENT] = ['MISSING', 'DIFFERENT', 'UNKNOWN'];
const NOT_TOLD = Array(6).fill(SILENT);
/** States if a name server responds in the end. */
const TOLD: Record<string, string[]> = {
  loop: [NONE!, NONE!, NONE!, NONE!, NONE!, OTHER!],
  large: [OTHER!, OTHER!, OTHER!, NONE!, NONE!, NONE!],
  many: [OTHER!, OTHER!, OTHER!, NONE!, NONE!, NONE!],
  crowd: [OTHER!, OTHER!, OTHER!, 'FOUND', NONE!, NONE!],
  // A busy machine counts some responses as too late.
  slow: Array(6).fill(expect.stringMatching(/^(?:MISSING|UNKNOWN)$/)),
};
/** Enough parent domains that querying their policies exceeds the time of a check. */
const DEEP = 'a.b.c.d.e.f';

let names: HostileNameServer;
let email: Email;
beforeAll(async () => {
  names = await HostileNameServer.start();
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

it('a domain check ends with the answer of a misbehaving name server, stores little of it, and leaves no connection open', async () => {
  const domains = MISBEHAVIOURS.map((name) => `${name === 'slow' ? `${DEEP}.` : ''}${name}.hostile.example`);
  for (const domain of domains) await email.api.ask(CREATE, { domain });
  const found: Domain[] = await Promise.all(
    domains.map(async (domain) => (await email.api.ask(CHECK, { domain })).checkEmailDomain),
  );
  const states = found.map(({ records }, index) => [MISBEHAVIOURS[index], records.map(({ state }) => state)]);
  expect(states).toEqual(MISBEHAVIOURS.map((name) => [name, TOLD[name] ?? NOT_TOLD]));
  for (const { status, lastError, records } of found) {
    expect([status, lastError]).toEqual(['PENDING', expect.stringMatching(/^the TXT record of OWNERSHIP at .{1,990}$/)]);
    for (const record of records) {
      expect(record.found.length).toBeLessThanOrEqual(3);
      for (const value of record.found) expect(value).toMatch(/^[ -~\uFFFD]{0,500}$/);
    }
  }
  await until(() => names.open === 0);
});
