import type { Api } from './api.js';

const PAGE =
  'query($recipient:String!,$filter:InboxFilter,$limit:Int,$nextToken:String){inbox(recipient:$recipient,filter:$filter,limit:$limit,nextToken:$nextToken){items{id message inbox seenAt readAt archivedAt} nextToken unread}}';
const MARK =
  'mutation($recipient:String!,$ids:[ID!],$all:Boolean,$state:InboxState!){markMessages(recipient:$recipient,ids:$ids,all:$all,state:$state)}';

interface Marked {
  ids?: string[];
  all?: boolean;
}

/** The inbox of a recipient, as its application uses it. */
export class Inbox {
  constructor(
    readonly api: Api,
    readonly recipient: string,
  ) {}

  page = async (rest: object = {}): Promise<any> => (await this.api.ask(PAGE, { recipient: this.recipient, ...rest })).inbox;
  texts = async (rest: object = {}): Promise<string[]> => (await this.page(rest)).items.map(({ message }: any) => message);
  mark = async (state: string, marked: Marked): Promise<number> =>
    (await this.api.ask(MARK, { recipient: this.recipient, state, ...marked })).markMessages;
  fault = async (state: string, marked: Marked): Promise<any> =>
    (await this.api.send(MARK, { recipient: this.recipient, state, ...marked })).errors![0]!.extensions;
}
