import { randomUUID } from 'node:crypto';
import { SERVICES } from '../src/common/auth/scopes.js';
// Past the API: statements whose plans are examined.
import { deletions } from '../src/modules/document-log/retention/retention.queries.js';
import { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Email } from './support/email.js';
import { World } from './support/isolation-worlds.js';
import { dialect, explainedText } from './support/plans.js';
import { type Place, placesOf } from './support/schema-walk.js';
import { recordStatements } from './support/statements.js';

/** A list as one JSON value, or as many values. The latter is explained with as many as a page has. */
const READS_LIST = /json_each|json_array_elements|json_to_recordset|IN \([?$][^)]*\)/i;
const MANY = 1_000;
/** Steps that read more than the list names: a whole table, or all rows of a tenant or a status. */
const READS_ALL =
  /^SCAN (?!.*VIRTUAL TABLE).*|^SEARCH .*\((?:tenantId|status)=\?\)$|Seq Scan on "(?:File|Log|LogEdit|Email|EmailRecipient|EmailSuppression|Message|GlobalMessage|Event)".*/gm;
/** Allowed exceptions, with the reason. */
const FEW: Record<string, RegExp> = {
  'the highest number of a tenant is the last entry of the index': /^SEARCH LogBlock USING COVERING INDEX/,
  'uploads in parts are few, and end within days': /MultipartUpload/,
  'a poll looks at one entry of an index for each webhook and log stream, of which a tenant has a few':
    /^SCAN [ws] USING INDEX (Webhook|LogStream)_/,
  'each tenant has a few rows of usage': /Usage|TenantLimit|RetentionPeriod/,
  'GET /key counts what is limited, of the tenant of the key':
    /(MessageFallback_waiting_idx|(Template|Css)_tenantId_id_key|Webhook_tenantId_service_id_idx) \(tenantId=\?\)$/,
};

/** Returns whether a step reads a table, rather than the list or rows created from it. */
function readsTable(step: string, text: string): boolean {
  const [, name = ''] = /^SCAN (\w+|\(subquery)/.exec(step) ?? [];
  if (name.startsWith('(')) return false;
  return !/^[a-z]\w*$/.test(name) || new RegExp(`"[A-Z]\\w*" (AS )?${name}\\b`).test(text);
}

function withMany(text: string): string {
  return text.replaceAll(/IN \(\?(?:,\s*\?)*\)/gi, `IN (${Array.from({ length: MANY }, () => '?').join()})`);
}

/** Sends each operation of a service once, with objects of the tenant; those that delete one come last. */
async function sendAll(email: Email, service: (typeof SERVICES)[number]): Promise<void> {
  const world = await World.make(email, service);
  const api = new Api(email.server.address, service, world.key);
  const places = await placesOf(api, (place) => world.known(service, place));
  const isLate = ({ name }: { name: string }): number => Number(/^(delete|abort|cancel)/.test(name));
  const sent = new Set<string>();
  for (const { name, send } of places.toSorted((a, b) => isLate(a) - isLate(b))) {
    const operation = name.split('.')[0]!;
    const object = world.objectAt(service, name);
    if (sent.has(operation) || object === undefined) continue;
    sent.add(operation);
    await send(object);
  }
  await world.leave();
}

it('a statement with a list never reads all rows of a tenant or of a table', async () => {
  const recorded = recordStatements();
  const email = await Email.start({ RETURN_PATH_DOMAIN: 'bounces.sender.example' });
  try {
    for (const service of SERVICES) await sendAll(email, service);
    await email.server.api('admin').then((api) => api.send('mutation{erasePerson(input:{personId:"a"}){id}}'));
    recorded.stop();
    const texts = new Set(recorded.texts.flatMap((text) => text.split(';\n')));
    const id = randomUUID();
    // Only time removes records of a log.
    for (const one of deletions(dialect, id, { logs: [id], edits: [[id, '']] } as never)) texts.add(dialect.compile(one).text);
    const lists = [...texts].filter((text) => READS_LIST.test(text) && !text.startsWith('EXPLAIN'));
    expect(lists.length).toBeGreaterThan(30);
    expect(lists.some((text) => /UPDATE "File"/.test(text))).toBe(true);
    const database = allRowsOf('no API shows the plan of a statement', email.server);
    const wrong: string[] = [];
    for (const text of lists) {
      const plan = await explainedText(database, withMany(text)).catch((error: unknown) => {
        throw new Error(`no plan of ${text}`, { cause: error });
      });
      const steps = (plan.match(READS_ALL) ?? []).filter((step) => readsTable(step, text));
      const unknown = steps.filter((step) => !Object.values(FEW).some((known) => known.test(step)));
      if (unknown.length > 0) wrong.push(`${unknown.join('; ')}\n${text}`);
    }
    expect(wrong).toEqual([]);
  } finally {
    recorded.stop();
    await email.stop();
  }
});

/** Lists with more than one object in a world. */
const FEWEST_LISTS = 12;
/** Lists that run a statement for each object. A tenant has a few log streams, and each counts its waiting records. */
const KNOWN_TO_REPEAT = new Set(['logStreams.limit']);
/** Attempts to read a list without statements of background jobs in between. */
const ATTEMPTS = 5;

/** Returns the number of statements by text, and of the items of the page. */
async function statementsOf(place: Place, limit: number): Promise<{ counts: Map<string, number>; items: number }> {
  const recorded = recordStatements();
  try {
    const { data } = await place.send(limit);
    const [page] = Object.values<any>(data ?? {});
    const counts = new Map<string, number>();
    for (const text of recorded.texts) {
      const one = text.replaceAll(/\?(?:, ?\?)+|\$\d+(?:, ?\$\d+)*/g, '?');
      counts.set(one, (counts.get(one) ?? 0) + 1);
    }
    return { counts, items: page?.items?.length ?? 0 };
  } finally {
    recorded.stop();
  }
}

/** Returns the statements that a page of two objects runs more often than a page of one; undefined if the list has no two. */
async function repeatedStatements(place: Place): Promise<string[] | undefined> {
  let repeated: string[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [one, two] = [await statementsOf(place, 1), await statementsOf(place, 2)];
    if (two.items < 2) return undefined;
    repeated = [...two.counts].filter(([text, count]) => count > Math.max(1, one.counts.get(text) ?? 0)).map(([text]) => text);
    if (repeated.length === 0) return [];
  }
  return repeated;
}

it('a page of a list with all of its fields takes as many statements as a single object', async () => {
  const email = await Email.start({ RETURN_PATH_DOMAIN: 'bounces.sender.example' });
  const seen: string[] = [];
  const wrong: string[] = [];
  try {
    for (const service of SERVICES) {
      const world = await World.make(email, service);
      const places = await placesOf(new Api(email.server.address, service, world.key), (place) => world.known(service, place));
      for (const place of places.filter(({ kind, name }) => kind === 'query' && /^\w+\.limit$/.test(name))) {
        const repeated = await repeatedStatements(place);
        if (repeated) seen.push(`${service} ${place.name}`);
        if (repeated?.length && !KNOWN_TO_REPEAT.has(place.name)) wrong.push(`${service} ${place.name}: ${repeated.join('; ')}`);
      }
      await world.leave();
    }
    expect(wrong).toEqual([]);
    for (const service of SERVICES) expect(seen).toContain(`${service} webhooks.limit`);
    expect(seen.length).toBeGreaterThanOrEqual(FEWEST_LISTS);
  } finally {
    await email.stop();
  }
});
