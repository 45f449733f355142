import { allRowsOf } from './behind-the-api.js';
import type { DocumentLog } from './document-log.js';
import { until } from './websockets.js';

const DESTINATION = 'kind url headers index service tags region bucket prefix accessKeyId';
const STREAM = `id name destination{${DESTINATION}} format active createdAt updatedAt deliveredTo waiting lastDeliveredAt failingSince
  lastError pausedUntil`;
const CREATE = `mutation($input:CreateLogStreamInput!){createLogStream(input:$input){${STREAM}}}`;
const UPDATE = `mutation($id:ID!,$input:UpdateLogStreamInput!){updateLogStream(id:$id,input:$input){${STREAM}}}`;
const REWIND = `mutation($id:ID!,$to:DateTime!){rewindLogStream(id:$id,to:$to){${STREAM}}}`;
const DELETE = `mutation($id:ID!){deleteLogStream(id:$id){${STREAM}}}`;
const PAGE = `query($nextToken:String,$limit:Int){logStreams(nextToken:$nextToken,limit:$limit){items{${STREAM}} nextToken}}`;

/** The log streams of one tenant. */
export class LogStreams {
  constructor(readonly log: DocumentLog) {}

  create = async (input: object = {}): Promise<any> =>
    (await this.log.api.ask(CREATE, { input: { name: 'siem', ...input } })).createLogStream;
  refused = (input: object) => this.log.api.refusal(CREATE, { input: { name: 'siem', ...input } });
  update = async (id: string, input: object): Promise<any> => (await this.log.api.ask(UPDATE, { id, input })).updateLogStream;
  rewind = async (id: string, to: string): Promise<any> => (await this.log.api.ask(REWIND, { id, to })).rewindLogStream;
  delete = async (id: string): Promise<any> => (await this.log.api.ask(DELETE, { id })).deleteLogStream;
  page = async (nextToken?: string | null, limit?: number): Promise<any> =>
    (await this.log.api.ask(PAGE, { nextToken, limit })).logStreams;
  find = async (id: string): Promise<any> => (await this.page()).items.find((stream: any) => stream.id === id);

  /** Waits until a stream meets an expectation, and returns it. */
  until = (id: string, is: (stream: any) => boolean): Promise<any> =>
    until(async () => {
      const stream = await this.find(id);
      return is(stream) ? stream : undefined;
    });

  sealed = () => until(async () => (await this.log.api.ask('{verifyLogs{unsealedRecords}}')).verifyLogs.unsealedRecords === 0);

  /** Ends the pause of a stream. */
  async passTime(id: string): Promise<void> {
    const rows = allRowsOf('only time ends a pause', this.log.server);
    await rows.logStream.updateMany({ where: { id }, data: { notBefore: null } });
  }
}
