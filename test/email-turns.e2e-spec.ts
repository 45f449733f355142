// Past the API: statements whose plans are examined, and a run of the job without its pause.
import { claimStatement, dueTenantsStatement } from '../src/modules/email/outbox/outbox-claim.queries.js';
import { OutboxService } from '../src/modules/email/outbox/outbox.service.js';
import { OutboxJob } from '../src/modules/email/outbox/outbox.job.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Email, someone } from './support/email.js';
import { dialect, explained } from './support/plans.js';

declare const databaseKind: 'sqlite' | 'postgresql';
const isPostgres = databaseKind === 'postgresql';

describe('mails of several tenants', () => {
  let many: Email;
  let few: Email;
  const MANY = 400;
  const addresses: string[] = [];

  beforeAll(async () => {
    many = await Email.start();
    few = await many.another();
    await many.mail.stop();
    for (let sent = 0; sent < MANY; sent += 100) {
      const fields = Array.from({ length: 100 }, (_, index) => {
        return `m${index}:sendMessage(input:{to:{address:"${someone()}"},subject:"s",textBody:"t"}){id}`;
      });
      await many.api.ask(`mutation{${fields.join(' ')}}`);
    }
    for (let sent = 0; sent < 3; sent++) {
      addresses.push(someone());
      await few.send({ to: { address: addresses.at(-1) } });
    }
  });
  afterAll(() => many.stop());

  it('are found and claimed by steps along an index, however many one tenant has queued', async () => {
    const database = allRowsOf('no API shows the plan of a statement', many.server);
    if (isPostgres) await database.$executeRawUnsafe('ANALYZE "Email"');
    const { tenants } = await (await many.server.api('admin')).ask('{tenants(limit:1000){items{id}}}');
    const tenantIds: string[] = tenants.items.map(({ id }: any) => id);
    const claim = { holder: 'nobody', leaseMs: 1, tenantIds, share: 25 };
    for (const statement of [dueTenantsStatement(dialect, { after: tenantIds[0]!, limit: 50 }), claimStatement(dialect, claim)]) {
      const { plan: shown } = await explained(database, statement);
      expect(shown).toMatch(
        isPostgres ? /Index (Only )?Scan using "Email_turn_idx"/ : /SEARCH Email USING .*INDEX Email_turn_idx/,
      );
      expect(shown).not.toMatch(/SCAN Email|Sort|TEMP B-TREE FOR ORDER/);
    }
  });

  it('are sent in round-robin order: few mails of one tenant do not wait for many of another', async () => {
    const job = many.server.app.get(OutboxJob, { strict: false });
    job['backOffUntilMs'] = Infinity; // until all are due: the job would begin with those of one tenant
    await many.mail.listen();
    await many.passTime();
    // The list of due tenants is cached for a moment: an earlier one may miss the tenant whose mails became due just now.
    many.server.app.get(OutboxService, { strict: false })['dueTenantsUntilMs'] = 0;
    job['backOffUntilMs'] = 0;
    job['pollFound']();
    for (const address of addresses) await many.mail.to(address);
    const places = addresses.map((address) => many.mail.mails.findIndex(({ to }) => to.includes(address)));
    expect(Math.max(...places)).toBeLessThan(150);
  });
});
