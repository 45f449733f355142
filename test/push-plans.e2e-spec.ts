import { PrismaService } from '../src/common/database/prisma.service.js';
import { lowestIdAt } from '../src/common/ids/ids.js';
import { mayWaitStatements, waitingStatement } from '../src/modules/websockets-manager/backlog.queries.js';
import { cancelPartsStatement } from '../src/modules/websockets-manager/cancel.queries.js';
import { MessageStatus } from '../src/modules/websockets-manager/message-states.js';
import { entryStatement, firstStepStatement, isExact, rowsStatement } from '../src/common/database/index-walks.js';
import { messagesList, type MessagesWanted } from '../src/modules/websockets-manager/messages.queries.js';
import { TestServer } from './support/server.js';
import { inSeconds, Push } from './support/websockets.js';

declare const databaseKind: 'sqlite' | 'postgresql';
const isPostgres = databaseKind === 'postgresql';

it('a page of messages walks an index in its order, for every filter and every two of them, from anywhere', async () => {
  const server = await TestServer.start();
  const push = new Push(await server.api('websockets-manager'));
  const recipients = Array.from({ length: 1_000 }, (_, index) => `r${index % 500}-${index}`);
  // Several steps: PostgreSQL reads a table that is hardly larger than one as a whole.
  for (const topic of 'abcabcabcabc') await push.push(recipients, 'm', { topic, expiresAt: inSeconds(600) });
  await push.push(recipients, 'm');
  const fields = Array.from({ length: 50 }, (_, index) => `p${index}: pushGlobalMessage(input:{message:"m"}){id}`);
  for (let count = 0; count < 10; count++) await push.api.ask(`mutation{${fields.join(' ')}}`);
  const prisma = server.app.get(PrismaService);
  if (isPostgres) await prisma.$executeRawUnsafe('ANALYZE "Message", "GlobalMessage"');
  const [row] = await prisma.$queryRawUnsafe<{ tenantId: string; id: string }[]>(
    'SELECT "tenantId", "pushId" AS "id" FROM "Message" LIMIT 1',
  );
  const all: Partial<MessagesWanted> = {
    recipientKey: '=r1-1',
    globalMessageId: row!.id,
    topic: 'a',
    status: MessageStatus.CANCELLED,
    expiresFrom: new Date(),
    from: lowestIdAt(Date.now() - 60_000),
    below: lowestIdAt(Date.now()),
    after: `${row!.id}=r1-1`,
  };
  const names = Object.keys(all) as (keyof MessagesWanted)[];
  const sets = [
    [],
    ...names.map((name) => [name]),
    ...names.flatMap((one, at) => names.slice(at + 1).map((two) => [one, two])),
    names,
  ];
  const nothing = Object.fromEntries(names.map((name) => [name, undefined]));
  for (const set of sets) {
    const wanted = {
      ...nothing,
      ...Object.fromEntries(set.map((name) => [name, all[name]])),
      tenantId: row!.tenantId,
    } as MessagesWanted;
    const list = messagesList(isPostgres, wanted);
    for (const [index, walks] of list.parts.entries()) {
      for (const walk of walks) {
        const range = { after: wanted.after };
        const page = isExact(walk) ? rowsStatement(list, walk, range, 101, 'rows') : firstStepStatement(list, walk, range, 101);
        for (const { text, values } of [page, entryStatement(list, walk, range)]) {
          const plan = await prisma.$queryRawUnsafe<object[]>(`EXPLAIN ${isPostgres ? '' : 'QUERY PLAN '}${text}`, ...values);
          const shown = `${set.join()}\n${text}\n${plan.map((line) => (line as any)['QUERY PLAN'] ?? (line as any).detail).join('\n')}`;
          if (index === 0) {
            expect(shown).toMatch(
              isPostgres
                ? /Index (Only )?Scan (Backward )?(using|on) "Message_/
                : /SEARCH m USING (PRIMARY KEY|(COVERING )?INDEX)/,
            );
          }
          expect(shown).not.toMatch(/Seq Scan on "Message"|SCAN [mg]\b/);
          // The few global messages of a tenant may be sorted, and by PostgreSQL what it expects to be less than a step.
          if (index === 0 && !(isPostgres && text.includes('OFFSET'))) expect(shown).not.toMatch(/Sort|TEMP B-TREE/);
        }
      }
    }
  }
  await server.stop();
});

it('what waits for a recipient, and the look for whether anything does for a thousand, is found by an index of what waits', async () => {
  const server = await TestServer.start();
  const push = new Push(await server.api('websockets-manager'));
  const recipients = Array.from({ length: 1_000 }, (_, index) => `r${index}`);
  for (const expiresAt of [undefined, inSeconds(600)]) await push.push(recipients, 'm', { expiresAt });
  const prisma = server.app.get(PrismaService);
  if (isPostgres) await prisma.$executeRawUnsafe('ANALYZE "Message", "GlobalMessage"');
  const statement = mayWaitStatements[databaseKind];
  const json = JSON.stringify(recipients.map((name, index) => ['of nobody', `=${name}`, Date.now(), index]));

  const plan = (await prisma.$queryArrays(`EXPLAIN ${isPostgres ? '' : 'QUERY PLAN '}${statement}`, [json])).join('\n');

  expect(plan).toMatch(/Message_waiting_idx/);
  expect(plan).not.toMatch(/Seq Scan on "Message"|SCAN [mg]\b/);
  for (const fleetingFrom of [undefined, lowestIdAt(Date.now())]) {
    const query = { tenantId: 'of nobody', recipientKey: '=r1', topic: 'a', after: '', fleetingFrom, limit: 50 };
    const { text, values } = waitingStatement(isPostgres, query);
    const lines = await prisma.$queryRawUnsafe<object[]>(`EXPLAIN ${isPostgres ? '' : 'QUERY PLAN '}${text}`, ...values);
    expect(lines.map((line) => Object.values(line).join(' ')).join('\n')).toMatch(/Message_waiting_idx/);
  }
  await server.stop();
});

it('the parts of a cancelled global message are found by an index of what is not delivered', async () => {
  const server = await TestServer.start();
  const prisma = server.app.get(PrismaService);
  const { text, values } = cancelPartsStatement(isPostgres, { since: new Date(), limit: 10 });
  const lines = await prisma.$queryRawUnsafe<object[]>(`EXPLAIN ${isPostgres ? '' : 'QUERY PLAN '}${text}`, ...values);
  const plan = lines.map((line) => Object.values(line).join(' ')).join('\n');
  expect(plan).toMatch(
    isPostgres ? /Message_(tenantId_status_idx|pkey)" on "Message" m/ : /SEARCH m USING .*Message_tenantId_status_idx/,
  );
  if (!isPostgres) expect(plan).toMatch(/GlobalMessage_cancelled_idx/); // PostgreSQL reads a table this small whole
  await server.stop();
});
