import { WebSocket, type ClientOptions } from 'ws';
import type { Api } from './api.js';

const MESSAGE =
  'id recipient message topic status expiresAt createdAt deliveredAt cancelledAt cancelReason globalMessageId inbox seenAt readAt archivedAt';
const GLOBAL = 'id message topic expiresAt createdAt cancelledAt';
export const PUSH = `mutation($input:MessageInput!){pushMessage(input:$input){item{${MESSAGE}} error{message} results{recipient item{${MESSAGE}} error{message}}}}`;
export const CANCEL = `mutation($id:ID!){cancelMessage(id:$id){${MESSAGE}}}`;
export const CANCEL_GLOBAL = `mutation($id:ID!){cancelGlobalMessage(id:$id){${GLOBAL}}}`;
export const PUSH_GLOBAL = `mutation($input:GlobalMessageInput!){pushGlobalMessage(input:$input){${GLOBAL}}}`;
export const REGISTER =
  'mutation($input:RegisterRecipientInput!){registerRecipient(input:$input){connectionUri eventsUri token{value recipient topic expiresAt}}}';
const MESSAGES = `query($filter:MessagesFilter,$nextToken:String,$limit:Int){messages(filter:$filter,nextToken:$nextToken,limit:$limit){items{${MESSAGE}} nextToken}}`;
const GLOBALS = `query($filter:GlobalMessagesFilter,$nextToken:String,$limit:Int){globalMessages(filter:$filter,nextToken:$nextToken,limit:$limit){items{${GLOBAL}} nextToken}}`;

/** Resolves once the condition holds. Polls become rarer, so that waiting does not load the system under test. */
export async function until<T>(poll: () => Promise<T> | T, timeoutMs = 100_000): Promise<NonNullable<T>> {
  const end = Date.now() + timeoutMs;
  for (let waitMs = 20; ; waitMs = Math.min(waitMs * 1.2, 200)) {
    const found = await poll();
    if (found) return found;
    if (Date.now() > end) throw new Error(`did not happen within ${timeoutMs} ms: ${poll}`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** A recipient with a real WebSocket, and everything it received. */
export class Client {
  readonly frames: any[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data, binary) => this.frames.push(binary ? data : JSON.parse(String(data))));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })));
  }

  /** Resolves when the connection is open. */
  static open(uri: string, options: ClientOptions = {}): Promise<Client> {
    const client = new Client(new WebSocket(uri, { perMessageDeflate: false, ...options }));
    return new Promise((resolve, reject) => {
      client.socket.once('open', () => resolve(client));
      client.socket.once('error', reject);
    });
  }

  /** Returns the HTTP status of a refused upgrade. */
  static refusal(uri: string, options: ClientOptions = {}): Promise<number> {
    const socket = new WebSocket(uri, options);
    return new Promise((resolve, reject) => {
      socket.on('error', () => undefined);
      socket.once('open', () => reject(new Error('was not refused')));
      socket.once('unexpected-response', (request, response) => {
        request.destroy();
        resolve(response.statusCode!);
      });
    });
  }

  get texts(): string[] {
    return this.frames.map(({ message }) => message);
  }

  /** Resolves to the frames of the recipient, once it has this many. */
  received(count: number): Promise<any[]> {
    return until(() => (this.frames.length >= count ? this.frames : undefined));
  }

  close(): Promise<unknown> {
    this.socket.close();
    return this.closed;
  }
}

/** The WebSockets service as used by a tenant, through one node. */
export class Push {
  constructor(readonly api: Api) {}

  register = async (recipient: string, rest: object = {}) =>
    (await this.api.ask(REGISTER, { input: { recipient, ...rest } })).registerRecipient;
  connect = async (recipient: string, rest: object = {}, options: ClientOptions = {}): Promise<Client> =>
    Client.open((await this.register(recipient, rest)).connectionUri, options);
  /** Connects many, 50 at a time: more at once run into a time-out of their requests on a busy machine. */
  async connectAll(many: [recipient: string, rest: object][]): Promise<Client[]> {
    const clients: Client[] = [];
    while (clients.length < many.length) {
      const some = many.slice(clients.length, clients.length + 50);
      clients.push(...(await Promise.all(some.map(([recipient, rest]) => this.connect(recipient, rest)))));
    }
    return clients;
  }
  push = async (recipients: string | string[], message: string, rest: object = {}) =>
    (await this.api.ask(PUSH, { input: { recipients: [recipients].flat(), message, ...rest } })).pushMessage;
  pushGlobal = async (message: string, rest: object = {}) =>
    (await this.api.ask(PUSH_GLOBAL, { input: { message, ...rest } })).pushGlobalMessage;
  cancel = async (id: string) => (await this.api.ask(CANCEL, { id })).cancelMessage;
  cancelGlobal = async (id: string) => (await this.api.ask(CANCEL_GLOBAL, { id })).cancelGlobalMessage;
  messages = async (filter: object = {}, rest: object = {}) => (await this.api.ask(MESSAGES, { filter, ...rest })).messages;
  globalMessages = async (filter: object = {}, rest: object = {}) =>
    (await this.api.ask(GLOBALS, { filter, ...rest })).globalMessages;
  connections = async (recipient: string) =>
    (
      await this.api.ask(
        'query($recipient:String!){connections(recipient:$recipient){id recipient topic connectedAt sourceIp}}',
        { recipient },
      )
    ).connections;
  disconnect = async (recipient: string): Promise<number> =>
    (await this.api.ask('mutation($recipient:String!){disconnectRecipient(recipient:$recipient)}', { recipient }))
      .disconnectRecipient;

  /** Returns the message, once its status is as expected. */
  settled = (id: string, status: string): Promise<any> =>
    until(async () => (await this.messages({ status }, { limit: 1_000 })).items.find((item: any) => item.id === id));

  /** Resolves when this many messages of the recipient have the status. */
  manySettled = (recipient: string, count: number, status: string): Promise<unknown> =>
    until(async () => {
      let settled = 0;
      let nextToken: string | null = null;
      do {
        const page: any = await this.messages({ recipient, status }, { limit: 1_000, nextToken });
        settled += page.items.length;
        nextToken = page.nextToken;
      } while (nextToken);
      return settled === count;
    });
}

export const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();
