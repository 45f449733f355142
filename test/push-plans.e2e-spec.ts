import { lowestIdAt } from '../src/common/base/ids.js';
// Past the API: statements whose plans are examined.
import {
  hasBacklogStatement,
  backlogStatement,
  queuedStatement,
  waitingStatement,
} from '../src/modules/websockets-manager/delivery/backlog.queries.js';
import {
  dueFallbacksStatement,
  tenantsWithDueStatement,
} from '../src/modules/websockets-manager/delivery/fallback-decisions.queries.js';
import { idsStatement, storedStatement } from '../src/modules/websockets-manager/delivery/rewind.queries.js';
import { cancelCopiesStatement, cancelStatement } from '../src/modules/websockets-manager/messages/cancel.queries.js';
import { copiesStatement, outcomesStatement } from '../src/modules/websockets-manager/messages/outcomes.queries.js';
import { expiredStatement, unconfirmedStatement } from '../src/modules/websockets-manager/messages/message-expiry.queries.js';
import { messagesStatement, returning } from '../src/modules/websockets-manager/messages/settled.queries.js';
import { MessageStatus } from '../src/modules/websockets-manager/messages/message-states.js';
import { entryStatement, firstStepStatement, isExact, rowsStatement } from '../src/common/database/sql/index-walks.js';
import { messagesList, type MessagesWanted } from '../src/modules/websockets-manager/messages/messages.queries.js';
import {
  inboxList,
  markStatement,
  markStepStatement,
  stepStatement,
} from '../src/modules/websockets-manager/inbox/inbox.queries.js';
import { InboxState } from '../src/modules/websockets-manager/models/inbox.js';
import { unreadStatement } from '../src/modules/websockets-manager/recipients/unread.queries.js';
import { cutoffsStatement } from '../src/modules/websockets-manager/recipients/cutoffs.queries.js';
import { allRowsOf } from './support/behind-the-api.js';
import { TestServer } from './support/server.js';
import { inSeconds, Push } from './support/websockets.js';
import { dialect, explained, explainedForMany } from './support/plans.js';

declare const databaseKind: 'sqlite' | 'postgresql';
const isPostgres = databaseKind === 'postgresql';

it('a page of messages walks an index in order, for every filter, every pair of filters and every cursor', async () => {
  const server = await TestServer.start();
  const push = new Push(await server.api('websockets-manager'));
  const recipients = Array.from({ length: 1_000 }, (_, index) => `r${index % 500}-${index}`);
  // Several steps: PostgreSQL reads the whole of a table that is hardly larger than one.
  for (const topic of 'abcabcabcabc') await push.push(recipients, 'm', { topic, expiresAt: inSeconds(600) });
  await push.push(recipients, 'm');
  const fields = Array.from({ length: 50 }, (_, index) => `p${index}: pushGlobalMessage(input:{message:"m"}){id}`);
  for (let count = 0; count < 10; count++) await push.api.ask(`mutation{${fields.join(' ')}}`);
  const database = allRowsOf('no API shows the plan of a statement', server);
  if (isPostgres) await database.$executeRawUnsafe('ANALYZE "Message", "GlobalMessage"');
  const { id } = (await push.messages({})).items[0];
  const all: Partial<MessagesWanted> = {
    recipientKey: '=r1-1',
    globalMessageId: id,
    topic: 'a',
    status: MessageStatus.CANCELLED,
    expiresFrom: new Date(),
    from: lowestIdAt(Date.now() - 60_000),
    below: lowestIdAt(Date.now()),
    after: `${id}=r1-1`,
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
      tenantId: await server.tenantIdOf(push.api),
    } as MessagesWanted;
    const list = messagesList(dialect, wanted);
    for (const [index, walks] of list.parts.entries()) {
      for (const walk of walks) {
        const range = { after: wanted.after };
        const page = isExact(walk) ? rowsStatement(list, walk, range, 101, 'rows') : firstStepStatement(list, walk, range, 101);
        for (const statement of [page, entryStatement(list, walk, range)]) {
          const { text, plan } = await explained(database, statement);
          const shown = `${set.join()}\n${text}\n${plan}`;
          if (index === 0) {
            expect(shown).toMatch(
              isPostgres
                ? /Index (Only )?Scan (Backward )?(using|on) "Message_/
                : /SEARCH m USING (PRIMARY KEY|(COVERING )?INDEX)/,
            );
          }
          expect(shown).not.toMatch(/Seq Scan on "Message"|SCAN [mg]\b/);
          // The few global messages of a tenant may be sorted; PostgreSQL may sort whatever it expects to be less than a step.
          if (index === 0 && !(isPostgres && text.includes('OFFSET'))) expect(shown).not.toMatch(/Sort|TEMP B-TREE/);
        }
      }
    }
  }
  await server.stop();
});

it('a backlog, and whether a thousand recipients have one, is found by an index of queued messages', async () => {
  const server = await TestServer.start();
  const push = new Push(await server.api('websockets-manager'));
  const recipients = Array.from({ length: 1_000 }, (_, index) => `r${index}`);
  for (const expiresAt of [undefined, inSeconds(600)]) await push.push(recipients, 'm', { expiresAt });
  const database = allRowsOf('no API shows the plan of a statement', server);
  if (isPostgres) await database.$executeRawUnsafe('ANALYZE "Message", "GlobalMessage"');
  const json = JSON.stringify(recipients.map((name, index) => ['of nobody', `=${name}`, Date.now(), index]));

  const { plan } = await explained(database, hasBacklogStatement(dialect, json));

  expect(plan).toMatch(/Message_waiting_idx/);
  expect(plan).not.toMatch(/Seq Scan on "Message"|SCAN [mg]\b/);
  for (const fleetingFrom of [undefined, lowestIdAt(Date.now())]) {
    const query = { tenantId: 'of nobody', recipientKey: '=r1', after: '', fleetingFrom, limit: 50 };
    for (const topics of [{ topic: 'a' }, { topic: null }, { topic: null, topics: ['a', 'b/*'] }]) {
      expect((await explained(database, backlogStatement(dialect, { ...query, topics }))).plan).toMatch(/Message_waiting_idx/);
    }
  }
  const window = { from: lowestIdAt(Date.now() - 60_000), below: lowestIdAt(Date.now()) };
  const connections = JSON.stringify(
    recipients.map((name, index) => ['of nobody', `=${name}`, [['a topic'], [null, 'b/']], index]),
  );
  for (const globals of [undefined, [lowestIdAt(Date.now())]]) {
    const look = await explained(database, waitingStatement(dialect, connections, { window, globals }));
    expect(look.plan).toMatch(/Message_waiting_idx/);
    expect(look.plan).not.toMatch(/Seq Scan on "Message"|SCAN [mg]\b|Anti Join/);
    expect(look.plan).toMatch(isPostgres ? /Message_pkey/ : /SEARCH r USING PRIMARY KEY/);
  }
  const tenants = JSON.stringify(recipients.map((name) => [name]));
  const named = await explained(database, queuedStatement(dialect, tenants, window));
  expect(named.plan).toMatch(isPostgres ? /Index Scan using "Message_/ : /SEARCH m USING INDEX Message_tenantId_status_idx/);
  expect(named.plan).not.toMatch(/Seq Scan on "Message"|SCAN [mg]\b/);
  await server.stop();
});

it('the last messages of topics are found by the index of the recipient and by that of each topic', async () => {
  const server = await TestServer.start();
  const push = new Push(await server.api('websockets-manager'));
  await push.push(
    Array.from({ length: 1_000 }, (_, index) => `r${index}`),
    'm',
    { topic: 'a' },
  );
  const fields = Array.from(
    { length: 100 },
    (_, index) => `p${index}: pushGlobalMessage(input:{message:"m",topic:"t${index}"}){id}`,
  );
  for (let count = 0; count < 10; count++) await push.api.ask(`mutation{${fields.join(' ')}}`);
  const database = allRowsOf('no API shows the plan of a statement', server);
  if (isPostgres) await database.$executeRawUnsafe('ANALYZE "Message", "GlobalMessage"');
  const tenantId = await server.tenantIdOf(push.api);
  const topics = { topic: null, topics: ['t1', 't2', 'a/*'] };
  const query = { tenantId, recipientKey: '=r1', topics, from: lowestIdAt(Date.now() - 60_000), perTopic: 100 };
  const { plan } = await explainedForMany(database, idsStatement(dialect, query));
  expect(plan).toMatch(/Message_tenantId_recipientKey_idx/);
  expect(plan.match(/GlobalMessage_tenantId_topic_id_idx/g)).toHaveLength(2);
  expect(plan).not.toMatch(/Seq Scan on "(Global)?Message"|SCAN [mg]\b/);
  const { statement } = storedStatement(dialect, query, [lowestIdAt(Date.now())]);
  expect((await explained(database, statement)).plan).not.toMatch(/Seq Scan on "(Global)?Message"|SCAN [mgr]\b/);
  await server.stop();
});

it('an inbox is read, counted and marked by its indexes, with statistics and without', async () => {
  const server = await TestServer.start();
  const push = new Push(await server.api('websockets-manager'));
  const recipients = Array.from({ length: 1_000 }, (_, index) => `r${index}`);
  for (let count = 0; count < 3; count++) await push.push(recipients, 'm', { inbox: true });
  const fields = Array.from(
    { length: 100 },
    (_, at) => `p${at}:pushMessage(input:{recipients:["ann"],message:"m",inbox:true}){item{id}}`,
  );
  for (let count = 0; count < 10; count++) await push.api.ask(`mutation{${fields.join(' ')}}`);
  const database = allRowsOf('no API shows the plan of a statement', server);
  const tenantId = await server.tenantIdOf(push.api);
  const key = { tenantId, recipientKey: '=ann' };
  const [one, two] = (await push.messages({ recipient: 'ann' })).items;
  const keys = [one, two].map(({ id }) => ({ ...key, pushId: id }));
  const json = JSON.stringify(recipients.slice(0, 50).map((name, index) => [tenantId, `=${name}`, index]));
  for (const isAnalyzed of [false, true]) {
    if (isAnalyzed && isPostgres) await database.$executeRawUnsafe('ANALYZE "Message"');
    const planOf = async (statement: Parameters<typeof explained>[1]) => (await explainedForMany(database, statement)).plan;
    expect(await planOf(unreadStatement(dialect, json))).toMatch(/Message_unread_idx/);
    for (const isRead of [undefined, true, false]) {
      const list = inboxList(dialect, { ...key, isRead, isArchived: false, after: one.id });
      const plan = await planOf(firstStepStatement(list, list.parts[0]![0], { after: one.id }, 101));
      expect(plan).toMatch(/Message_inbox_idx/);
      expect(plan).not.toMatch(isPostgres ? /Seq Scan/ : /SCAN m\b|TEMP B-TREE/);
    }
    const archived = inboxList(dialect, { ...key, isRead: undefined, isArchived: true, after: undefined });
    expect(await planOf(firstStepStatement(archived, archived.parts[0]![0], {}, 101))).toMatch(
      /Message_tenantId_recipientKey_idx/,
    );
    expect(await planOf(stepStatement(dialect, { ...key, below: one.id }))).toMatch(/Message_inbox_idx/);
    for (const state of Object.values(InboxState)) {
      const plan = await planOf(markStepStatement(dialect, state, { ...key, below: one.id }, two.id));
      expect(plan).toMatch(/Message_inbox_idx/);
      expect(await planOf(markStatement(dialect, state, keys))).toMatch(
        isPostgres ? /Message_pkey/ : /SEARCH m USING PRIMARY KEY/,
      );
    }
  }
  await server.stop();
});

it('cutoffs of a thousand recipients are found by their keys', async () => {
  const server = await TestServer.start();
  const database = allRowsOf('no API shows the plan of a statement', server);
  const keys = Array.from({ length: 5_000 }, (_, index) => `=r${index}`);
  await database.recipientCutoff.createMany({
    data: keys.map((recipientKey) => ({ tenantId: 'of many', recipientKey, at: new Date() })),
  });
  if (isPostgres) await database.$executeRawUnsafe('ANALYZE "RecipientCutoff"');
  const json = JSON.stringify(keys.slice(0, 1_000).map((key, index) => ['of many', key, index]));
  const { plan } = await explained(database, cutoffsStatement(dialect, json));
  expect(plan).toMatch(isPostgres ? /RecipientCutoff_pkey/ : /SEARCH c USING .*RecipientCutoff/);
  expect(plan).toMatch(isPostgres ? /RecipientTopics/ : /SEARCH t USING .*RecipientTopics/);
  await server.stop();
});

it('copies of a cancelled global message are found by an index of undelivered messages', async () => {
  const server = await TestServer.start();
  const database = allRowsOf('no API shows the plan of a statement', server);
  const { plan } = await explained(database, cancelCopiesStatement(dialect, { since: new Date(), limit: 10 }));
  expect(plan).toMatch(
    isPostgres ? /Message_(tenantId_status_idx|pkey)" on "Message" m/ : /SEARCH m USING .*Message_tenantId_status_idx/,
  );
  if (!isPostgres) expect(plan).toMatch(/GlobalMessage_cancelled_idx/); // PostgreSQL reads a table this small whole
  await server.stop();
});

it('messages of a thousand results are read by their keys, and returning them changes no plan', async () => {
  const server = await TestServer.start();
  const push = new Push(await server.api('websockets-manager'));
  const names = Array.from({ length: 1_000 }, (_, index) => `r${index}`);
  for (let times = 0; times < 10; times++) await push.push(names, 'm', { expiresAt: inSeconds(600) });
  const database = allRowsOf('no API shows the plan of a statement', server);
  if (isPostgres) await database.$executeRawUnsafe('ANALYZE "Message", "GlobalMessage"');
  const keys = names.map((name) => ({ tenantId: 'of many', pushId: 'p', recipientKey: `=${name}` }));
  const read = await explained(database, messagesStatement(dialect, keys));
  expect(read.plan).toMatch(isPostgres ? /Index Scan using "Message_pkey" on "Message" m/ : /SEARCH m USING PRIMARY KEY/);
  expect(read.plan).not.toMatch(/Seq Scan on "Message"|SCAN [mg]\b/);
  const rest = { topic: null, expiresAt: null, cancelReason: null };
  const changes = keys.map(({ tenantId, pushId }, index) => {
    return { tenantId, pushId, ...rest, status: MessageStatus.DELIVERED, times: `{"=r${index}":${Date.now()}}` };
  });
  const [batch, before] = [{ limit: 1_000 }, new Date()];
  for (const statement of [
    outcomesStatement(dialect, changes),
    copiesStatement(dialect, changes),
    cancelStatement(dialect, keys[0]!),
    cancelCopiesStatement(dialect, { ...batch, since: before }),
    expiredStatement(dialect, { ...batch, event: 'expired', before }),
    unconfirmedStatement(dialect, { ...batch, below: lowestIdAt(Date.now()), now: before }),
  ]) {
    const { plan } = await explained(database, statement);
    const steps = (text: string): string => text.replaceAll(/ {2}\(cost=.*\)$/gm, '');
    expect(steps((await explained(database, returning(statement))).plan)).toBe(steps(plan));
    if (!isPostgres) expect(plan).not.toMatch(/SCAN (Message|m)\b(?! USING INDEX)/); // PostgreSQL reads a table this small whole
  }
  await server.stop();
});

it('due fallbacks are found by indexes of their time and mail, and tenants with some by one step each', async () => {
  const server = await TestServer.start();
  const database = allRowsOf('no API shows the plan of a statement', server);
  const due = await explainedForMany(database, dueFallbacksStatement(dialect, 'of many', 200));
  expect(due.plan).toMatch(/FallbackMail_tenantId_dueAt_idx/);
  expect(due.plan).toMatch(/MessageFallback_waiting_idx/);
  expect(due.plan).toMatch(isPostgres ? /Message_\w+" on "Message" m|Message_\w+ on "Message" m/ : /SEARCH m USING PRIMARY KEY/);
  const tenants = await explainedForMany(database, tenantsWithDueStatement(dialect));
  expect(tenants.plan).not.toMatch(/Seq Scan on "FallbackMail"|SCAN (d|FallbackMail)\b/);
  await server.stop();
});
