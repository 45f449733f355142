import { randomBytes } from 'node:crypto';
import type { Service } from '../../src/common/auth/scopes.js';
import { Api } from './api.js';
import { input as logInput } from './document-log.js';
import type { Deployment } from './process.js';
import { inSeconds, until } from './websockets.js';

declare const databaseKind: 'sqlite' | 'postgresql';
const isPostgres = databaseKind === 'postgresql';

const REASON = 'the API takes half an hour for as many rows';
const BATCH = 2_000;
const RECIPIENTS = 1_000;
const TEMPLATES = 300;
/** Length of a name that is slow to lower-case, so that comparisons cost. */
const LONG = 900;

/** Names and ids of the rows, for the arguments of operations. */
export interface ManyRows {
  partialId: string;
  fileId: string;
  archiveUrl: string;
  templateName: string;
}

/** Fills a tenant with `count` rows of each kind that grows with use. */
export class ManyRowsFiller {
  constructor(
    private readonly deployment: Deployment,
    private readonly key: string,
    private readonly count: number,
  ) {}

  /** Creates what the API creates quickly, and one row of each other kind. */
  async byApi(address: string): Promise<ManyRows> {
    const ask = (service: Service, query: string, variables = {}) => new Api(address, service, this.key).ask(query, variables);
    const createLogs = 'mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId}}}';
    for (let from = 0; from < this.count; from += BATCH) {
      const input = Array.from({ length: BATCH }, (_, at) => logInput({ documentId: `d${from + at}`, action: 'update' }));
      await ask('document-log', createLogs, { input });
    }
    const push = 'mutation($input:MessageInput!){pushMessage(input:$input){results{item{id}}}}';
    for (let from = 0; from < this.count; from += RECIPIENTS) {
      const recipients = Array.from({ length: RECIPIENTS }, (_, at) => `r${at}`);
      await ask('websockets-manager', push, { input: { message: 'm', recipients, expiresAt: inSeconds(86_400) } });
    }
    const files = await this.filesToCopy(ask);
    const send = 'mutation{sendMessage(input:{to:[{address:"to-be-copied@example.com"}],subject:"s",textBody:"t"}){id}}';
    await ask('email', send);
    await until(async () => (await ask('email', '{messages{items{status}}}')).messages.items[0].status === 'SENT');
    await ask('email', 'mutation{createSuppressions(input:[{address:"copied@example.com"}]){error{code}}}');
    const partial = 'mutation{createPartial(input:{name:"used",contentType:html,body:"a"}){id}}';
    const { createPartial } = await ask('document-rendering', partial);
    const body = JSON.stringify(`${'<p>{{ a }}</p>'.repeat(500)}{% include "used" %}`);
    for (let from = 0; from < TEMPLATES; from += 50) {
      const some = Array.from({ length: 50 }, (_, at) => `t${at}:createTemplate(input:{name:"t${from + at}",type:document,contentType:html,body:${body}}){id}`); // prettier-ignore
      await ask('document-rendering', `mutation{${some.join(' ')}}`);
    }
    return { ...files, partialId: createPartial.id, templateName: 't0' };
  }

  private async filesToCopy(
    ask: (service: Service, query: string) => Promise<any>,
  ): Promise<Pick<ManyRows, 'archiveUrl' | 'fileId'>> {
    const ids: string[] = [];
    for (const name of ['busy/0', `same/${'Σ'.repeat(LONG)}`]) {
      const { createFile } = await ask('file-management', `mutation{createFile(input:{name:"${name}"}){id uploadUrl}}`);
      await fetch(createFile.uploadUrl, { method: 'PUT', body: randomBytes(10) });
      ids.push(createFile.id);
    }
    const { filesArchiveUrl } = await ask('file-management', '{filesArchiveUrl(folder:"same/")}');
    return { archiveUrl: filesArchiveUrl, fileId: ids[0]! };
  }

  /** Copies the rows that the API created once. Called while no server runs. */
  async byCopies(): Promise<void> {
    const name = `'busy/' || (n % 1000) || '/' || n`;
    await this.copy('File', `"name" = 'busy/0'`, this.count, { name, nameKey: name });
    await this.copy('File', `"name" LIKE 'same/%'`, 998, {});
    const isOurs = `"id" IN (SELECT "emailId" FROM "EmailRecipient" WHERE "address" = 'to-be-copied@example.com')`;
    await this.copy('Email', isOurs, this.count, { messageId: `"messageId" || n` });
    const recipient = `"address" = 'to-be-copied@example.com'`;
    await this.copy('EmailRecipient', recipient, this.count, {
      emailId: idOf('"emailId"'),
      address: `'c' || n || '@example.com'`,
    });
    await this.copy('EmailSuppression', `"address" = 'copied@example.com'`, this.count, {
      address: `'s' || n || '@example.com'`,
    });
    if (isPostgres) await this.deployment.query(REASON, 'ANALYZE');
  }

  /** Copies a row with new ids, and given values. */
  private async copy(table: string, where: string, count: number, values: Record<string, string>): Promise<void> {
    const columns = isPostgres
      ? `SELECT column_name AS name FROM information_schema.columns WHERE table_name = '${table}' AND is_generated = 'NEVER'`
      : `SELECT name FROM pragma_table_info('${table}')`;
    const found = (await this.deployment.query(REASON, columns)) as { name: string }[];
    const names = found.map(({ name }) => name).filter((name) => table !== 'EmailRecipient' || name !== 'id');
    const given: Record<string, string> = { ...(names.includes('id') && { id: idOf('"id"') }), ...values };
    const numbers = isPostgres
      ? `(SELECT generate_series(1, ${count}) AS n) AS s`
      : `(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s) AS s`;
    const list = (of: (name: string) => string) => names.map(of).join();
    await this.deployment.query(
      REASON,
      `INSERT INTO "${table}" (${list((one) => `"${one}"`)}) SELECT ${list((one) => given[one] ?? `"${one}"`)}
       FROM (SELECT * FROM "${table}" WHERE ${where} LIMIT 1) AS t, ${numbers}`,
    );
  }
}

/** Returns another id with the same time. */
const idOf = (column: string): string =>
  isPostgres ? `substr(${column}, 1, 24) || lpad(to_hex(n), 12, '0')` : `substr(${column}, 1, 24) || printf('%012x', n)`;
