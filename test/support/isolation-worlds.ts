import { randomUUID } from 'node:crypto';
import type { Service } from '../../src/common/auth/scopes.js';
import { Api } from './api.js';
import { statusReport } from './bounce-reports.js';
import { CREATE as CREATE_LOG, input as logInput } from './document-log.js';
import type { Email } from './email.js';
import { isText, lastName } from './isolation-places.js';
import type { Known } from './schema-walk.js';
import type { ReceivedMail } from './smtp.js';
import { Client, inSeconds, Push, until } from './websockets.js';

/** Data of one tenant in one service. */
interface Part {
  /** Identifiers of its objects, by place such as `updateLog.input.id`, or by the last name of a place. */
  objects: Record<string, string>;
  /** Identifiers that name something new or filter the caller's own data, so none has to exist. */
  names?: string[];
  /** Values with which operations succeed; for one place if they exclude each other. */
  known: (place: string) => Known;
  /** Everything that another tenant could change, as a text. */
  state: () => Promise<unknown>;
  leave?: () => void;
}

const found = <T>(values: Record<string, T>, place: string): T | undefined => values[place] ?? values[lastName(place)];

/** Returns the credentials of a person in the tenant of a key. */
export type Login = (key: string, personId: string) => Promise<string>;

/** A tenant with data in every service, or in one. All of its texts contain its secret. */
export class World {
  private readonly parts: Partial<Record<Service, Part>> = {};

  private constructor(
    private readonly email: Email,
    readonly key: string,
    readonly secret: string,
  ) {}

  /** Makes a tenant, used with a key, or with the session of a person, who has the id of authors in its log. */
  static async make(email: Email, only?: Service, login?: Login): Promise<World> {
    const key = await email.server.createKey();
    const secret = `s${randomUUID()}`;
    const world = new World(email, login ? await login(key, `part-${secret}`) : key, secret);
    for (const [service, make] of Object.entries(MAKERS) as [Service, typeof MAKERS.email][]) {
      if (!only || only === service) world.parts[service] = await withWebhook(world, service, await make(world, email));
    }
    return world;
  }

  ask = (service: Service, query: string, variables: Record<string, unknown> = {}): Promise<any> =>
    new Api(this.email.server.address, service, this.key).ask(query, variables);
  objectAt = (service: Service, place: string): string | undefined =>
    isText(service, place) && !this.parts[service]!.objects[place] ? undefined : found(this.parts[service]!.objects, place);
  isReference = (service: Service, place: string): boolean =>
    ![place, lastName(place)].some((name) => this.parts[service]!.names?.includes(name));
  known = (service: Service, place: string): Known => this.parts[service]!.known(place);
  state = async (): Promise<string> => JSON.stringify(await Promise.all(Object.values(this.parts).map((part) => part.state())));
  leave = async (): Promise<void> => Object.values(this.parts).forEach((part) => part.leave?.());

  /** The id of its key. */
  async keyId(): Promise<string> {
    const response = await fetch(`${this.email.server.address}/key`, { headers: { 'x-api-key': this.key } });
    return ((await response.json()) as { id: string }).id;
  }

  /** A token with all that its key has in a service. */
  async token(service: Service): Promise<string> {
    const scope = ['query', 'mutation'].map((kind) => `${service}-api:${kind}:*`);
    const create = 'mutation($input:AccessTokenInput!){createAccessToken(input:$input){token}}';
    return (await this.ask(service, create, { input: { scope, expiresIn: 3_600 } })).createAccessToken.token;
  }

  /** A file with content. */
  async file(): Promise<string> {
    const input = { name: `${this.secret}/a/b.txt`, externalReference: `ref-${this.secret}`, comment: this.secret };
    const create = 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}';
    const { createFile } = await this.ask('file-management', create, { input });
    await put(createFile.uploadUrl, this.secret);
    return createFile.id;
  }

  /** A template for mails. */
  async template(name = `template-${this.secret}`, given: object = {}): Promise<string> {
    const input = { name, type: 'email', contentType: 'plain', subject: 's', body: this.secret, ...given };
    const create = 'mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}';
    return (await this.ask('document-rendering', create, { input })).createTemplate.id;
  }
}

/** An event of each service, and an operation that causes it. */
const CAUSES: Partial<Record<Service, [event: string, cause: (world: World) => Promise<unknown>]>> = {
  'file-management': [
    'FILE_DELETED',
    async (world) => {
      const { createFile } = await world.ask('file-management', 'mutation{createFile{id}}');
      await world.ask('file-management', 'mutation($id:String){deleteFile(id:$id){id}}', { id: createFile.id });
    },
  ],
  'document-rendering': [
    'STYLESHEET_CREATED',
    (world) => world.ask('document-rendering', `mutation{createCss(input:{name:"of-${world.secret}",text:""}){id}}`),
  ],
  'websockets-manager': [
    'MESSAGE_CANCELLED',
    (world) =>
      world.ask('websockets-manager', `mutation{pushMessage(input:{recipients:["nobody"],message:"${world.secret}"}){item{id}}}`),
  ],
  'document-log': [
    'LOG_CREATED',
    async (world) => {
      await world.ask('document-log', CREATE_LOG, { input: logInput({ comment: world.secret }) });
      await until(
        async () => (await world.ask('document-log', '{verifyLogs{unsealedRecords}}')).verifyLogs.unsealedRecords === 0,
      );
    },
  ],
  email: [
    'MESSAGE_SENT',
    (world) => {
      const to = [{ address: `p${randomUUID()}@example.com` }];
      return world.ask('email', 'mutation($to:[EmailAddressInput!]!){sendMessage(input:{to:$to,subject:"s",textBody:"t"}){id}}', {
        to,
      });
    },
  ],
};
/** Places of operations on webhooks. */
const OF_WEBHOOKS = /webhook|^redeliver\b/i;

/** Places of operations on access tokens. */
const OF_TOKENS = /^(createAccessToken|denyAccess)\b/;

/** Places of operations on log streams. */
const OF_STREAMS = /LogStream/;

/** Creates webhooks whose events are polled, with two events for one of them. */
async function withWebhook(world: World, service: Service, part: Part): Promise<Part> {
  const ask = (query: string) => world.ask(service, query);
  const [event, cause] = CAUSES[service]!;
  const create = `mutation{createWebhook(input:{url:"poll:",events:[${event}],description:"${world.secret}"}){webhook{id}}}`;
  const [{ createWebhook }] = [await ask(create), await ask(create)];
  const { id } = createWebhook.webhook;
  const deliveries = `webhookDeliveries(webhookId:"${id}",limit:1){nextToken items{id status}}`;
  for (let caused = 0; caused < 2; caused++) await cause(world);
  const { webhookDeliveries, webhooks } = await until(async () => {
    const page = await ask(`{${deliveries} webhooks(limit:1){nextToken}}`);
    return page.webhookDeliveries.nextToken && page;
  });
  const eventId = webhookDeliveries.items[0].id;
  const both = (await ask(`{webhookDeliveries(webhookId:"${id}",limit:2){items{id}}}`)).webhookDeliveries.items;
  const deliveredId = both[1].id;
  await ask(`mutation{confirmWebhookDeliveries(webhookId:"${id}",ids:["${deliveredId}"])}`);
  const keyId = await world.keyId();
  const tokens = (place: string): Known =>
    place.startsWith('deny')
      ? place.endsWith('.recipient')
        ? { recipient: 'ann', keyId: undefined }
        : { keyId, recipient: undefined }
      : { scope: [`${service}-api:query:*`], expiresIn: 60, recipient: undefined, filePrefix: undefined, origins: undefined };
  const ids = ['updateWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'testWebhook'].map((name) => [`${name}.id`, id]);
  const known = { id, webhookId: id, ids: [eventId], url: 'poll:', events: [event], from: '2024-01-01T00:00:00Z' };
  const again = { ...known, ids: [deliveredId], status: 'DELIVERED' };
  return {
    ...part,
    objects: {
      ...part.objects, ...Object.fromEntries(ids), 'denyAccess.input.keyId': keyId, webhookId: id, 'confirmWebhookDeliveries.ids.0': eventId,
      'redeliver.ids.0': deliveredId,
      'webhooks.nextToken': webhooks.nextToken, 'webhookDeliveries.nextToken': webhookDeliveries.nextToken,
    }, // prettier-ignore
    known: (place) =>
      OF_TOKENS.test(place)
        ? tokens(place)
        : place.startsWith('redeliver')
          ? again
          : OF_WEBHOOKS.test(place)
            ? known
            : part.known(place),
    state: async () => [await part.state(), await ask(`{webhooks{items{id description updatedAt active}} ${deliveries}}`)],
  };
}

async function put(url: string, content: string): Promise<string> {
  const response = await fetch(url, { method: 'PUT', body: Buffer.from(content) });
  if (!response.ok) throw new Error(`upload: ${response.status}`);
  return response.headers.get('etag')!;
}

async function files(world: World): Promise<Part> {
  const ask = (query: string) => world.ask('file-management', query);
  const [id] = [await world.file(), await world.file()];
  const { initiateMultipartUpload: begun } = await ask(
    `mutation{initiateMultipartUpload(input:{fileId:"${id}"}){fileId uploadId}}`,
  );
  const upload = `fileId:"${id}",uploadId:"${begun.uploadId}"`;
  const { generatePartUploadUrl } = await ask(`mutation{generatePartUploadUrl(input:{${upload},partNumber:1})}`);
  const ETag = await put(generatePartUploadUrl, world.secret);
  const folder = `${world.secret}/a/`;
  await ask(`mutation{createFile(input:{name:"other-${world.secret}/b"}){id}}`);
  const tokens = await ask('{files(limit:1){nextToken} fileFolders(limit:1){nextToken}}');
  return {
    objects: {
      ID: id, id, ids: id, fileId: id, uploadId: begun.uploadId, ETag, externalReference: `ref-${world.secret}`, folder,
      prefix: `${world.secret}/`, namePrefix: folder, contains: world.secret, name: `${folder}b.txt`, 'files.nextToken': tokens.files.nextToken,
      'fileFolders.nextToken': tokens.fileFolders.nextToken,
      ...Object.fromEntries(['createFile', 'updateFile'].map((name) => [`${name}.input.author.id`, `author-${world.secret}`])),
    }, // prettier-ignore
    names: ['name', 'createFile.input.author.id', 'updateFile.input.author.id', 'createFile.input.externalReference',
      'updateFile.input.externalReference'], // prettier-ignore
    known: () => ({
      ID: id,
      id,
      fileId: id,
      uploadId: begun.uploadId,
      etags: [{ partNumber: 1, ETag }],
      externalReference: `ref-${world.secret}`,
      to: 'moved/',
    }),
    state: async () => [
      await ask(`{files{items{id name comment status contentLength etag updatedAt attributes{name}}} storageUsed{fileSize fileCount}
        multipartUpload(fileId:"${id}",uploadId:"${begun.uploadId}"){parts{ETag size}}}`),
      await (await fetch((await ask(`{file(ID:"${id}"){downloadUrl}}`)).file.downloadUrl)).text(),
    ],
  };
}

/** Returns lists without what the tenant inherits, which changes with its parent. */
function ownOf(lists: Record<string, { items: { inherited: boolean }[] }>): object {
  return Object.fromEntries(
    Object.entries(lists).map(([name, { items }]) => [name, items.filter(({ inherited }) => !inherited)]),
  );
}

async function rendering(world: World): Promise<Part> {
  const ask = (query: string) => world.ask('document-rendering', query);
  const css = async (name: string) =>
    (await ask(`mutation{createCss(input:{name:"${name}",text:"/* ${world.secret} */"}){id}}`)).createCss.id as string;
  const [parent, other] = [await css(`css-${world.secret}`), await css(`other-${world.secret}`)];
  const partials = [`partial ${world.secret}`, `second partial ${world.secret}`];
  const partial = async (one: string) =>
    (await ask(`mutation{createPartial(input:{name:"${one}",contentType:plain,body:"of ${world.secret}"}){id}}`)).createPartial
      .id as string;
  const [included] = [await partial(partials[0]!), await partial(partials[1]!)];
  const used = await partial(`used ${world.secret}`);
  const user = `name:"user-${world.secret}",type:document,contentType:plain,body:"{% include \\"used ${world.secret}\\" %}"`;
  await ask(`mutation{createTemplate(input:{${user}}){id}}`);
  const name = `template-${world.secret}`;
  const [template] = [await world.template(name), await world.template(`second-${world.secret}`)];
  for (const locale of ['de', 'fr']) {
    const input = `{body:"${locale} ${world.secret}"}`;
    await ask(`mutation{putTemplateTranslation(templateId:"${template}",locale:"${locale}",input:${input}){locale}}`);
  }
  const versions = `templateVersions(name:"${name}",limit:1){nextToken}`;
  const tokens = await ask(`{templates(limit:1){nextToken} css(limit:1){nextToken} partials(limit:1){nextToken} ${versions}}`);
  const saved = ['createCss', 'updateCss', 'createTemplate', 'updateTemplate', 'createPartial', 'updatePartial'];
  const authors = [...saved, 'putTemplateTranslation'].map((one) => `${one}.input.author`);
  authors.push('restoreTemplateVersion.author');
  return {
    objects: {
      'deleteCss.id': other, 'updateCss.id': other, 'css.filter.ids.0': other, 'css.filter.name': `other-${world.secret}`, 'css.nextToken': tokens.css.nextToken,
      'deleteTemplate.id': template, 'updateTemplate.id': template, 'templates.filter.ids.0': template, 'templates.filter.name': name, 'templates.filter.partId': used,
      'deletePartial.id': included, 'updatePartial.id': included, 'partials.filter.ids.0': included, 'partials.filter.name': partials[0]!,
      'partials.nextToken': tokens.partials.nextToken, layoutId: template, headerTemplateName: name, footerTemplateName: name,
      'restoreTemplateVersion.id': template, templateId: template, 'templateVersions.nextToken': tokens.templateVersions.nextToken,
      'renderFile.input.pdf.embed.0': await world.file(),
      'templates.nextToken': tokens.templates.nextToken, templateName: name, parentCssId: parent, name,
      ...Object.fromEntries(authors.map((author) => [`${author}.id`, `author-${world.secret}`])),
    }, // prettier-ignore
    names: [
      'createCss.input.name',
      'createPartial.input.name',
      'preview.input.partials.0.name',
      'updateTemplate.input.name',
      ...authors.flatMap((author) => [`${author}.id`, `${author}.name`]),
    ],
    known: (place) => {
      const isParent = lastName(place) === 'parentCssId';
      const isCss = /^\w+Css\b/.test(place);
      const isPartial = /^\w+Partial\b/.test(place);
      const type = { type: 'email', contentType: isParent ? 'html' : 'plain' };
      const isPrinted = /^renderFile\.input\.(template|pdf)\./.test(place);
      return {
        ...type,
        id: isCss ? other : isPartial ? included : template,
        ...(isPrinted ? { template: { type: 'document', contentType: 'html', body: 'b' } } : { templateName: name }),
        params: '{}',
        ...(/^\w+TemplateTranslation\b/.test(place) && { locale: 'de' }),
        ...(place.startsWith('restoreTemplateVersion.') && { version: 1 }),
        body: 'b',
        subject: 's',
        name: place.startsWith('templateVersions.') ? name : `new-${randomUUID()}`,
      };
    },
    state: async () =>
      ownOf(
        await ask(
          '{templates{items{id name body comment updatedAt inherited parentCss{id} version translations{locale body}}} css{items{id name text updatedAt inherited}} partials{items{id name body updatedAt inherited}}}',
        ),
      ),
  };
}

async function push(world: World, { server }: Email): Promise<Part> {
  const api = new Api(server.address, 'websockets-manager', world.key);
  const tenant = new Push(api);
  const [recipient, away, topic] = [`ann-${world.secret}`, `away-${world.secret}`, `topic-${world.secret}`];
  const clients: Client[] = [
    await tenant.connect(recipient, { topic }),
    await tenant.connect(`bob-${world.secret}`, { topics: [topic] }),
  ];
  await until(async () => (await tenant.connections(recipient)).length === 1);
  const waits = { expiresAt: inSeconds(3_600) };
  const idempotencyKey = `key-${world.secret}`;
  const { item } = await tenant.push(away, world.secret, { ...waits, topic, idempotencyKey });
  await tenant.push(away, world.secret, waits);
  for (let count = 0; count < 2; count++) await tenant.push(away, world.secret, { ...waits, inbox: true });
  const { items } = await tenant.messages({ recipient: away }, { limit: 1 });
  const global = await tenant.pushGlobal(world.secret, { ...waits, topic, idempotencyKey });
  await tenant.pushGlobal(world.secret, waits);
  await until(async () => (await tenant.messages({ status: 'DELIVERED' })).items.length === 4);
  const { data } = await api.send(
    `query($topic:String!,$away:String!){messages(limit:1){nextToken} globalMessages(limit:1){nextToken} onlineRecipients(limit:1){nextToken}
      topicRecipients(topic:$topic,limit:1){nextToken} inbox(recipient:$away,limit:1){nextToken}}`,
    { topic, away },
  );
  return {
    objects: {
      recipient, recipients: recipient, topic, idempotencyKey, 'cancelMessage.id': item.id, 'cancelGlobalMessage.id': global.id, globalMessageId: global.id,
      'messages.nextToken': data.messages.nextToken, 'globalMessages.nextToken': data.globalMessages.nextToken,
      'onlineRecipients.nextToken': data.onlineRecipients.nextToken, 'topicRecipients.nextToken': data.topicRecipients.nextToken,
      'inbox.nextToken': data.inbox.nextToken, 'inbox.recipient': away, 'markMessages.recipient': away, 'markMessages.ids.0': items[0].id,
      topics: topic,
    }, // prettier-ignore
    names: ['registerRecipient.input.recipient', 'registerRecipient.input.topic', 'topics', 'pushGlobalMessage.input.topic'],
    known: (place) => ({
      recipient,
      recipients: [recipient],
      message: `a push at ${place}`,
      ...(place.startsWith('changeTopics') && { add: ['added'], remove: [topic] }),
      ...(place.startsWith('topicRecipients') && { topic }),
      ...(/^(inbox|markMessages)\b/.test(place) && { recipient: away, ids: [items[0].id], all: undefined, state: 'READ' }),
    }),
    state: async () => [
      await tenant.messages(),
      await tenant.globalMessages(),
      await tenant.connections(recipient),
      clients.map(({ frames }) => frames),
    ],
    leave: () => clients.forEach(({ socket }) => socket.terminate()),
  };
}

async function log(world: World): Promise<Part> {
  const ask = (query: string, variables = {}) => world.ask('document-log', query, variables);
  const names = ['documentId', 'documentType', 'action', 'custom1', 'custom2'];
  const texts = Object.fromEntries(names.map((name) => [name, `${name}-${world.secret}`]));
  const part = { id: `part-${world.secret}`, name: world.secret };
  const idempotencyKey = `key-${world.secret}`;
  const full = logInput({ ...texts, attribute: part, author: part, comment: world.secret });
  const { createLog } = await ask(CREATE_LOG, { input: { ...full, idempotencyKey } });
  await ask(CREATE_LOG, { input: full });
  const change = `{changes:[{idempotencyKey:"${idempotencyKey}"}],documentId:"d",documentType:"t",dateTime:"2024-01-01"}`;
  await ask(`mutation{createSingleDocumentLogs(input:${change}){results{itemId}}
    createLogBatch(input:[{documentId:"d",documentType:"t",dateTime:"2024-01-01",idempotencyKey:"${idempotencyKey}"}]){results{itemId}}}`);
  await until(async () => (await ask('{verifyLogs{unsealedRecords}}')).verifyLogs.unsealedRecords === 0);
  const destination = { https: { url: 'https://siem.example/' } };
  const create = `mutation($destination:LogStreamDestinationInput!){createLogStream(input:{name:"${world.secret}",destination:$destination}){id}}`;
  await ask(create, { destination });
  const { id: streamId } = (await ask(create, { destination })).createLogStream;
  const { latestSeal, logs, logStreams } = await ask('{latestSeal logs(limit:1){nextToken} logStreams(limit:1){nextToken}}');
  return {
    objects: {
      ...texts, 'updateLog.input.id': createLog.itemId, 'logProof.id': createLog.itemId, 'logs.filter.id': createLog.itemId, id: part.id,
      attributeId: part.id, authorId: part.id, startsWith: texts.action!, idempotencyKey, checkpoint: latestSeal, 'logConsistency.from': latestSeal,
      'logConsistency.to': latestSeal, 'logs.nextToken': logs.nextToken, 'logStreams.nextToken': logStreams.nextToken,
      'updateLogStream.id': streamId, 'rewindLogStream.id': streamId, 'deleteLogStream.id': streamId,
    }, // prettier-ignore
    names: ['createLog', 'createLogBatch', 'createSingleDocumentLogs', 'updateLog'].flatMap((operation) =>
      [...names, 'attribute.id', 'author.id', 'eventSource.id', 'eventLocation.id', 'attribute.name', 'author.name'].flatMap((name) =>
        ['input', 'input.0', 'input.changes.0'].map((at) => `${operation}.${at}.${name}`))), // prettier-ignore
    known: (place) => ({
      documentId: texts.documentId,
      documentType: texts.documentType,
      id: createLog.itemId,
      ...(place.startsWith('logConsistency') && { from: latestSeal, to: latestSeal }),
      ...(OF_STREAMS.test(place) && { id: streamId, destination, to: '2024-01-01T00:00:00Z' }),
    }),
    state: () => ask('{logs{items{id comment custom1 custom2 edits{id}}} latestSeal logStreams{items{id name updatedAt}}}'),
  };
}

/** Places of recipient addresses, which need not exist. */
const PEOPLE = ['sendMessage.input', 'sendMessages.input.messages.0', 'sendMessages.input.defaults'].flatMap((input) =>
  ['to.0', 'cc.0', 'bcc.0', 'replyTo'].map((kind) => `${input}.${kind}.address`),
);

async function mails(world: World, { mail }: Email): Promise<Part> {
  const ask = (query: string, variables = {}) => world.ask('email', query, variables);
  const [sender, address, templateName] = [
    `from-${world.secret}@example.com`,
    `to-${world.secret}@example.com`,
    `mail-${world.secret}`,
  ];
  await world.template(templateName);
  const printed = `printed-${world.secret}`;
  await world.template(printed, { type: 'document', contentType: 'html', subject: null });
  const fileId = await world.file();
  mail.recipients.set(address, 450);
  await ask(`mutation{verifyEmailIdentity(address:"${sender}"){status}}`);
  const link = await until(
    () => mail.mails.find(({ to }) => to.includes(sender))?.parsed.text?.match(/http:\S+token=[\w-]{43}/)?.[0],
  );
  if (!(await fetch(link, { method: 'POST' })).ok) throw new Error('the sender was not verified');
  const domain = `${world.secret}.example`;
  for (const name of [domain, `other-${domain}`]) {
    await ask('mutation($domain:String!){createEmailDomain(domain:$domain){status}}', { domain: name });
  }
  const idempotencyKey = `key-${world.secret}`;
  const send = async (more = {}) =>
    (await ask('mutation($input:SendMessageInput!){sendMessage(input:$input){id}}', {
      input: { to: [{ address }], subject: world.secret, textBody: world.secret, ...more },
    })).sendMessage.id as string; // prettier-ignore
  const [id] = [await send({ idempotencyKey }), await send()];
  const isTried = async () =>
    (await ask('{messages(limit:2){items{attempts lastError}}}')).messages.items.every(({ lastError }: any) => lastError);
  await until(isTried);
  const bounced = `sent-${world.secret}@example.com`;
  await ask('mutation($input:SendMessageInput!){sendMessage(input:$input){id}}', {
    input: { to: { address: bounced }, textBody: 't' },
  });
  const [{ from: returnPath }] = (await mail.to(bounced)) as [ReceivedMail];
  const suppressed = `suppressed-${world.secret}@example.com`;
  await ask('mutation($input:[CreateSuppressionInput!]!){createSuppressions(input:$input){error{code}}}', {
    input: [{ address: suppressed }, { address: suppressed, reason: 'UNSUBSCRIBED' }],
  });
  const { messages, emailDomains, suppressions } = await ask(
    '{messages(limit:1){nextToken} emailDomains(limit:1){nextToken} suppressions(limit:1){nextToken}}',
  );
  return {
    objects: {
      id, ID: id, address: sender, ...Object.fromEntries(PEOPLE.map((place) => [place, address])), fileId, templateName, idempotencyKey,
      to: address, contains: world.secret, nextToken: messages.nextToken, report: statusReport({ to: returnPath, recipient: bounced }), domain,
      'emailDomains.nextToken': emailDomains.nextToken, 'suppressions.nextToken': suppressions.nextToken,
      'suppressions.filter.address': suppressed, 'deleteSuppression.address': suppressed,
      'createSuppressions.input.0.address': suppressed, headerTemplateName: templateName, footerTemplateName: templateName,
      'sendMessage.input.renderedAttachments.0.pdf.embed.0': fileId, 'sendMessages.input.messages.0.renderedAttachments.0.pdf.embed.0': fileId,
    }, // prettier-ignore
    names: [...PEOPLE, 'createEmailDomain.domain', 'createSuppressions.input.0.address'],
    known: (place) => ({
      id,
      ID: id,
      address: sender,
      domain,
      ...((lastName(place) !== 'templateName' || place.includes('.renderedAttachments.')) && { subject: 's', textBody: place }),
      ...(place.includes('.renderedAttachments.') && { renderedAttachments: [{ name: 'a.pdf', templateName: printed }] }),
      ...(place.startsWith('rescheduleMessage') && { sendAt: new Date(Date.now() + 3_600_000).toISOString() }),
      ...(lastName(place) === 'fileId' && { attachments: [{ fileId, name: 'a.txt' }] }),
      to: [{ address: `p${randomUUID()}@example.com` }],
    }),
    state: () =>
      ask(
        '{messages{items{id subject status content{text} recipients{bounce{kind}}}} emailIdentities{address status} emailDomains{items{domain status records{name}}} suppressions{items{address reason}}}',
      ),
  };
}

const MAKERS: Partial<Record<Service, (world: World, email: Email) => Promise<Part>>> & { email: typeof mails } = {
  'file-management': files,
  'document-rendering': rendering,
  'websockets-manager': push,
  'document-log': log,
  email: mails,
};
