import type { Api } from './api.js';
import { type Settings, TestServer } from './server.js';

const LOG = `id documentId documentType attributeId attribute{id name} attributeNewValue{raw display}
  attributeOldValue{raw display} dateTime authorId author{id name profile} eventSource{id name}
  eventLocation{id geoLocation} comment custom1 custom2 action createdAt updateAt erasedAt edits{id dateTime field oldValue newValue}`;
export const CREATE = `mutation($input:CreateLogInput!){createLog(input:$input){itemId item{${LOG}}}}`;
export const BATCH = `mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId item{${LOG}} error{message}}}}`;
const IDS = 'mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId error{message}}}}';
export const SINGLE = `mutation($input:CreateSingleDocumentLogsInput!){createSingleDocumentLogs(input:$input){results{itemId item{${LOG}} error{message}}}}`;
export const UPDATE = `mutation($input:UpdateLogInput!){updateLog(input:$input){${LOG}}}`;
const PAGE = `query($filter:LogsFilter,$nextToken:String,$limit:Int){logs(filter:$filter,nextToken:$nextToken,limit:$limit){items{${LOG}} nextToken}}`;
const STATE = `query($documentId:ID!,$documentType:String!,$at:DateTime){documentState(documentId:$documentId,documentType:$documentType,at:$at){
  attributeId attribute{id name} value{raw display} dateTime logId}}`;

/** A record with mandatory fields only. */
export const EMPTY = {
  attributeId: null,
  attribute: null,
  attributeNewValue: null,
  attributeOldValue: null,
  authorId: null,
  author: null,
  eventSource: null,
  eventLocation: null,
  comment: null,
  custom1: null,
  custom2: null,
  action: null,
  updateAt: null,
  erasedAt: null,
  edits: [],
};

/** A record with all fields, in a form that is returned unchanged. */
export const FULL = {
  documentId: 'doc "1" ü 😀',
  documentType: 'invoice',
  dateTime: '2024-07-16T10:00:00.123Z',
  attribute: { id: 'price', name: { en: 'Price', de: 'Preis', __proto: 'x' } },
  attributeNewValue: { raw: '2', display: '2 €' },
  attributeOldValue: { raw: '', display: null },
  author: { id: 'u1', name: 'Ann\t\\', profile: 'admin' },
  eventSource: { id: 's1', name: 'App' },
  eventLocation: { id: '::1', geoLocation: [-4.9, 52.3] },
  comment: 'line 1\nline 2',
  custom1: 'c1',
  custom2: 'c2',
  action: 'update',
};

export const input = (given: object = {}): Record<string, unknown> => ({
  documentId: 'd1',
  documentType: 'invoice',
  dateTime: '2024-07-16T10:00:00.000Z',
  ...given,
});

/** A client of the service. */
export class DocumentLog {
  private constructor(
    readonly server: TestServer,
    readonly api: Api,
  ) {}

  static async start(settings: Settings = {}): Promise<DocumentLog> {
    const server = await TestServer.start(settings);
    return new DocumentLog(server, await server.api('document-log'));
  }

  /** Returns the same server as seen by a new tenant. */
  async another(): Promise<DocumentLog> {
    return new DocumentLog(this.server, await this.server.api('document-log'));
  }

  create = async (given: object = {}) => (await this.api.ask(CREATE, { input: input(given) })).createLog.item;
  batch = async (...given: object[]) => (await this.api.ask(BATCH, { input: given.map(input) })).createLogBatch.results;
  /** Creates this many records, in batches. */
  createMany = async (given: object[]): Promise<string[]> => {
    const ids: string[] = [];
    for (let from = 0; from < given.length; from += 2_000) {
      const { createLogBatch } = await this.api.ask(IDS, { input: given.slice(from, from + 2_000).map(input) });
      for (const { itemId } of createLogBatch.results) ids.push(itemId);
    }
    return ids;
  };
  single = async (given: object) => (await this.api.ask(SINGLE, { input: input(given) })).createSingleDocumentLogs.results;
  update = async (id: string, given: object) => (await this.api.ask(UPDATE, { input: { id, ...given } })).updateLog;
  page = async (filter?: object, nextToken?: string | null, limit?: number) =>
    (await this.api.ask(PAGE, { filter, nextToken, limit })).logs;
  find = async (id: string) => (await this.page({ id })).items[0];
  state = async (given: object) => (await this.api.ask(STATE, { documentType: 'invoice', ...given })).documentState;
  refusedCreate = (given: object) => this.api.refusal(CREATE, { input: input(given) });
  refusedPage = (given: object) => this.api.refusal(PAGE, { ...given });

  export = (query: string, headers: Record<string, string> = { 'x-api-key': this.api.key! }) =>
    fetch(`${this.server.address}/document-log/export${query}`, { headers });

  stop = () => this.server.stop();
}
