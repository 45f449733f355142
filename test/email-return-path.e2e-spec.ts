// @nightly postgresql: no SQL of its own
import { createTransport } from 'nodemailer';
// Past the API: port of the listener, which the system chose.
import { BounceListener } from '../src/modules/email/bounces/bounce-listener.job.js';
import { allRowsOf } from './support/behind-the-api.js';
import { statusReport } from './support/bounce-reports.js';
import { Email, someone } from './support/email.js';
import { needing, program } from './support/needs.js';
import { type DnsRecord, NameServer } from './nodes/name-server.mjs';

const DOMAIN = 'bounces.platform.example';
const RECORDS = '{status records{purpose type name value state}}';
const CREATE = `mutation($domain:String!){createEmailDomain(domain:$domain)${RECORDS}}`;
const CHECK = `mutation($domain:String!){checkEmailDomain(domain:$domain)${RECORDS}}`;
const DELETE = 'mutation($domain:String!){deleteEmailDomain(domain:$domain){domain}}';
const REPORT = 'mutation($report:String!){reportBounce(report:$report){kind}}';
const BOUNCES = 'query($id:ID!){messages(filter:{id:$id}){items{recipients{bounce{kind}}}}}';

type Shown = DnsRecord & { purpose: string; state: string };

needing(program('dnsmasq')).describe('the return path of mails from a domain', () => {
  let names: NameServer;
  let email: Email;
  let port: number;
  let made = 0;
  beforeAll(async () => {
    names = await NameServer.start();
    const bounces = { RETURN_PATH_DOMAIN: DOMAIN, BOUNCE_PORT: '0', BOUNCE_HOST: '127.0.0.1' };
    email = await Email.start({ EMAIL_DNS_SERVERS: names.address, ...bounces });
    const listener = email.server.app.get(BounceListener, { strict: false });
    await listener.listen();
    port = listener.port!;
  });
  afterAll(async () => {
    await email.stop();
    await names.stop();
  });

  const check = async (domain: string): Promise<Shown[]> => {
    const rows = allRowsOf('only time lets a domain be checked again', email.server).emailDomain;
    await rows.updateMany({ where: { domain }, data: { askedAt: null } });
    return (await email.api.ask(CHECK, { domain })).checkEmailDomain.records;
  };
  /** A verified domain. Without the record of its return path if that is left out. */
  const verified = async (isLedHere: boolean) => {
    const domain = `shop${made++}.example`;
    const { records } = (await email.api.ask(CREATE, { domain })).createEmailDomain as { records: Shown[] };
    await names.add(...records.filter(({ purpose }) => isLedHere || purpose !== 'RETURN_PATH'));
    await check(domain);
    return { domain, record: records.find(({ purpose }) => purpose === 'RETURN_PATH')! };
  };
  /** A mail that was sent from an address of a domain, with its envelope sender. */
  const sent = async (domain: string) => {
    const recipient = someone();
    const id = await email.send({ to: { address: recipient }, from: { address: `hello@${domain}` } });
    await email.finished(id);
    return { id, recipient, from: (await email.mail.to(recipient))[0]!.from };
  };
  const kindOf = async (id: string) => (await email.api.ask(BOUNCES, { id })).messages.items[0].recipients[0].bounce?.kind;
  const deliver = (to: string, raw: string) =>
    createTransport({ host: '127.0.0.1', port, ignoreTLS: true }).sendMail({ envelope: { from: '', to }, raw });

  it('a return path is in the domain of the sender once its record is found, and reports reach it by SMTP and by reportBounce', async () => {
    const { domain } = await verified(true);
    const [bySmtp, byApi, canonical] = [await sent(domain), await sent(domain), await sent(domain)];
    for (const { from } of [bySmtp, byApi]) expect(from).toMatch(new RegExp(`^bounce-[a-z2-7]{48}@ps-bounces\\.${domain}$`));
    await deliver(bySmtp.from, statusReport({ recipient: bySmtp.recipient }));
    await email.api.ask(REPORT, { report: statusReport({ to: byApi.from, recipient: byApi.recipient }) });
    await deliver(canonical.from.replace(`ps-bounces.${domain}`, DOMAIN), statusReport({ recipient: canonical.recipient }));
    for (const { id } of [bySmtp, byApi, canonical]) expect(await kindOf(id)).toBe('HARD');
    const forged = bySmtp.from.replace(/.(?=@)/, (last) => (last === 'a' ? 'b' : 'a'));
    await expect(deliver(forged, statusReport())).rejects.toMatchObject({ responseCode: 550 });
    await expect(deliver(bySmtp.from.replace('ps-bounces.', ''), statusReport())).rejects.toMatchObject({ responseCode: 550 });
  });

  it('a return path is in RETURN_PATH_DOMAIN without the record; earlier ones still count', async () => {
    const without = await verified(false);
    expect((await sent(without.domain)).from).toMatch(/^bounce-[a-z2-7]{48}@bounces\.platform\.example$/);
    const { domain, record } = await verified(true);
    const before = await sent(domain);
    await names.remove(record.name);
    expect((await check(domain)).find(({ purpose }) => purpose === 'RETURN_PATH')).toMatchObject({ state: 'MISSING' });
    expect((await sent(domain)).from).toMatch(/@bounces\.platform\.example$/);
    await email.api.ask(DELETE, { domain });
    await deliver(before.from, statusReport({ recipient: before.recipient }));
    expect(await kindOf(before.id)).toBe('HARD');
  });
});
