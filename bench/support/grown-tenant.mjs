// Fills a tenant through the public API. In each kind of row, one value is common, one is rare, and one never occurs.
import { GraphqlApi } from './graphql-api.mjs';

const LOGS = 1_000;
const RECIPIENTS = 1_000;
const MAILS = 100;
const FILES = 100;
const YEAR_MS = 365 * 86_400_000;
const CONCURRENT = 4;

/** Interval of rows with the rare values: as many as belong to one person or order. */
const RARE_EVERY = 5_000;
/** Returns the kind of values of a row. Every third row has those of a common recipient, user or customer. */
const kindOf = (index) => (index % RARE_EVERY === 17 ? 'rare' : index % 3 === 0 ? 'common' : `other-${index % 1_000}`);

/** Filter values for text fields of a filter. */
export const HITS = ['common', 'rare', 'missing'];

export class GrownTenant {
  rows = 0;
  constructor(key) {
    this.key = key;
  }

  /** Grows each kind of row to a count. The server may change between calls. */
  async growTo(address, count) {
    const api = (service) => new GraphqlApi(address, service, this.key);
    this.files = api('file-management');
    this.log = api('document-log');
    this.push = api('websockets-manager');
    this.email = api('email');
    const from = this.rows;
    this.rows = count;
    await inBatches(from, count, LOGS, (at, size) => this.#createLogs(at, size));
    await inBatches(from, count, RECIPIENTS, (at, size) => this.#pushMessages(at, size));
    await inBatches(from, count, FILES, (at, size) => this.#createFiles(at, size));
    await inBatches(from, count, MAILS, (at, size) => this.#sendMessages(at, size));
  }

  #createLogs(from, size) {
    const input = Array.from({ length: size }, (_, at) => logOf(from + at));
    return this.log.ask('mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{error{message}}}}', { input });
  }

  /** Pushes one in three messages to the same recipient, so that its list grows with the tenant. */
  async #pushMessages(from, size) {
    const push = (input) =>
      this.push.ask('mutation($input:MessageInput!){pushMessage(input:$input){results{error{message}}}}', { input });
    const expiresAt = new Date(Date.now() + YEAR_MS).toISOString();
    const kinds = Array.from({ length: size }, (_, at) => kindOf(from + at));
    for (const topic of new Set(kinds.map((kind) => (HITS.includes(kind) ? kind : 'other')))) {
      const recipients = kinds.flatMap((kind, at) =>
        (topic === 'other' ? !HITS.includes(kind) : kind === topic) ? [`${kind}-${at}`] : [],
      );
      await push({ message: 'm', recipients, expiresAt, ...(topic === 'other' ? {} : { topic }) });
    }
    const heavy = kinds.filter((kind) => kind === 'common').length;
    for (let sent = 0; sent < heavy; sent += 100) {
      const aliases = Array.from(
        { length: Math.min(100, heavy - sent) },
        (_, at) =>
          `a${at}:pushMessage(input:{message:"m",recipients:["common"],expiresAt:"${expiresAt}"}){results{error{message}}}`,
      );
      await this.push.ask(`mutation{${aliases.join(' ')}}`);
    }
    if (kinds.includes('rare')) await push({ message: 'm', recipients: ['rare'], expiresAt });
  }

  #createFiles(from, size) {
    const aliases = Array.from({ length: size }, (_, at) => {
      const kind = kindOf(from + at);
      return `a${at}:createFile(input:{name:"${kind}/${from + at}.pdf",externalReference:"${kind}",comment:"${kind}"}){id}`;
    });
    return this.files.ask(`mutation{${aliases.join(' ')}}`);
  }

  #sendMessages(from, size) {
    const sendAt = new Date(Date.now() + 20 * 86_400_000).toISOString();
    const messages = Array.from({ length: size }, (_, at) => {
      const kind = kindOf(from + at);
      return {
        to: [{ address: `${kind}@example.com` }],
        subject: `Order ${from + at} of ${kind}`,
        textBody: 'Thank you.',
        tags: [{ name: 'kind', value: kind }],
        sendAt,
      };
    });
    return this.email.ask('mutation($input:SendMessagesInput!){sendMessages(input:$input){error{message}}}', {
      input: { messages },
    });
  }
}

function logOf(index) {
  const kind = kindOf(index);
  const own = { documentId: `${kind}-${index % 3_000}`, action: kind, custom1: kind, custom2: kind };
  if (kind !== `other-${index % 1_000}`) own.documentId = kind;
  return {
    ...own,
    documentType: 'invoice',
    dateTime: new Date(Date.UTC(2024, 0, 1) + index * 1_000).toISOString(),
    attribute: { id: kind, name: { en: 'Price' } },
    attributeNewValue: { raw: String(index), display: `${index} EUR` },
    author: { id: kind, name: 'Ada Lovelace' },
  };
}

/** Runs batches of `size` rows with a little concurrency. Fails if an answer has an error. */
async function inBatches(from, to, size, create) {
  let next = from;
  const work = async () => {
    for (let at = next; at < to; at = next) {
      next += size;
      const answer = JSON.stringify((await create(at, Math.min(size, to - at))) ?? {});
      if (answer.includes('"error":{')) throw new Error(`a batch was refused: ${answer.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
}
