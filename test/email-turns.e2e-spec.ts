import { PrismaService } from '../src/common/database/prisma.service.js';
import { claimStatement, dueTenantsStatement } from '../src/modules/email/outbox.queries.js';
import { OutboxWorker } from '../src/modules/email/outbox.worker.js';
import { Email, someone } from './support/email.js';

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
  }, 60_000);
  afterAll(() => many.stop());

  it('are found and taken by steps along an index, whatever one of them has waiting', async () => {
    const prisma = many.server.app.get(PrismaService);
    if (isPostgres) await prisma.$executeRawUnsafe('ANALYZE "Email"');
    const tenantIds = (await prisma.tenant.findMany()).map(({ id }) => id);
    const claim = { holder: 'nobody', leaseMs: 1, tenantIds, share: 25 };
    for (const { text, values } of [
      dueTenantsStatement(isPostgres, { after: tenantIds[0]!, limit: 50 }),
      claimStatement(isPostgres, claim),
    ]) {
      const plan = await prisma.$queryRawUnsafe<object[]>(`EXPLAIN ${isPostgres ? '' : 'QUERY PLAN '}${text}`, ...values);
      const shown = plan.map((line) => (line as any)['QUERY PLAN'] ?? (line as any).detail).join('\n');
      expect(shown).toMatch(
        isPostgres ? /Index (Only )?Scan using "Email_turn_idx"/ : /SEARCH Email USING .*INDEX Email_turn_idx/,
      );
      expect(shown).not.toMatch(/SCAN Email|Sort|TEMP B-TREE FOR ORDER/);
    }
  });

  it('are sent in turn: those of a tenant with few do not wait for all of a tenant with many', async () => {
    await many.mail.listen();
    many.server.app.get(OutboxWorker, { strict: false })['restUntilMs'] = 0;
    await many.passTime();
    for (const address of addresses) await many.mail.to(address);
    const places = addresses.map((address) => many.mail.mails.findIndex(({ to }) => to.includes(address)));
    expect(Math.max(...places)).toBeLessThan(150);
  });
});
