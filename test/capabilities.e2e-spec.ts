// @nightly postgresql: no SQL of its own
import { buildSchema, getNamedType, type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql';
import { ENDPOINTS, SERVICES } from '../src/common/auth/scopes.js';
import { printedSchema } from '../scripts/schemas.mjs';
import { Api } from './support/api.js';
import { TestServer } from './support/server.js';

/** Names of fields whose value may grant something, such as a URL, a token or a secret. */
const SUSPECT = /url|uri|link|address|token|secret|password|signature|key|value|seal|checkpoint|salt|upload/i;
const TEXTS = ['String', 'ID'];

/** Fields that grant something, and the only operations that may return them. */
const GIVES: Record<string, string[]> = {
  'admin NewKey.secret': ['createKey', 'rotateKey'],
  'file-management Mutation.generatePartUploadUrl': ['generatePartUploadUrl'],
  ...Object.fromEntries(SERVICES.map((service) => [`${service} WebhookSecret.secret`, ['createWebhook', 'rotateWebhookSecret']])),
  ...Object.fromEntries(SERVICES.map((service) => [`${service} AccessToken.token`, ['createAccessToken']])),
  'websockets-manager RegisterRecipientResponse.connectionUri': ['registerRecipient'],
  'websockets-manager RegisterRecipientResponse.eventsUri': ['registerRecipient'],
  'websockets-manager Token.value': ['registerRecipient'],
  'file-management Query.filesArchiveUrl': ['filesArchiveUrl'],
  // Reading a file includes reading its content; uploadUrl is null unless the key may write.
  'file-management File.downloadUrl': [
    'abortMultipartUpload', 'completeMultipartUpload', 'copyFile', 'createFile', 'deleteFile', 'file', 'files', 'filesWithExternalReference', 'updateFile',
  ], // prettier-ignore
  'file-management File.uploadUrl': [
    'abortMultipartUpload', 'completeMultipartUpload', 'copyFile', 'createFile', 'deleteFile', 'file', 'files', 'filesWithExternalReference', 'updateFile',
  ], // prettier-ignore
};

/** Fields with such a name that grant nothing. */
const HARMLESS: Record<string, string> = {
  'document-log LogConsistency.checkpoint': 'a signed statement about the log',
  'document-log LogProof.checkpoint': 'a signed statement about the log',
  'document-log Query.latestSeal': 'a signed statement about the log',
  'document-log Query.logValues': 'data of the application',
  'document-log LogProof.salt': 'hashes one record whose values stand beside it',
  'document-log LogEdit.newValue': 'data of the application',
  'document-log LogEdit.oldValue': 'data of the application',
  'document-log LogStreamDestination.accessKeyId': 'the name of a key, whose secret is never shown',
  'document-log LogStreamDestination.url': 'the address that the application gave',
  'email DnsRecord.value': 'everybody can look it up',
  'email EmailAddress.address': 'the mailbox of a person',
  'email EmailIdentity.address': 'the mailbox of a person',
  'email EmailRecipient.address': 'the mailbox of a person',
  'email EmailSuppression.address': 'the mailbox of a person',
  'email MailHeader.value': 'the mailbox of a person',
  'email MailTag.value': 'the mailbox of a person',
  'file-management Attribute.value': 'data of the application',
  ...Object.fromEntries(SERVICES.map((service) => [`${service} Webhook.url`, 'the address that the application gave'])),
  ...Object.fromEntries(
    SERVICES.map((service) => [`${service} AccessDenial.keyId`, 'the id of a key, whose secret is never shown']),
  ),
  'file-management MultipartUpload.uploadId': 'a name that the operations on uploads take, each with its own entry',
};

const schemas = ENDPOINTS.map((service) => [service, buildSchema(printedSchema(service))] as const);
const typesOf = (schema: GraphQLSchema) =>
  Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
  );
const rootsOf = (schema: GraphQLSchema) => [schema.getQueryType()!, schema.getMutationType()!];

/** Returns the operations whose answer can have a field of a type. */
function operationsWith(schema: GraphQLSchema, type: GraphQLObjectType, fieldName: string): string[] {
  if (rootsOf(schema).includes(type)) return [fieldName];
  const reaches = (from: unknown, seen = new Set<unknown>()): boolean => {
    if (from === type) return true;
    if (!isObjectType(from) || seen.has(from)) return false;
    seen.add(from);
    return Object.values(from.getFields()).some((field) => reaches(getNamedType(field.type), seen));
  };
  return rootsOf(schema)
    .flatMap((root) => Object.values(root.getFields()))
    .filter((field) => reaches(getNamedType(field.type)))
    .map(({ name }) => name)
    .sort();
}

describe('URLs, tokens and secrets', () => {
  const suspects = schemas.flatMap(([service, schema]) =>
    typesOf(schema).flatMap((type) =>
      Object.values(type.getFields())
        .filter(({ name, type: of }) => TEXTS.includes(getNamedType(of).name) && SUSPECT.test(name))
        // A position in a list, which the operation takes only from a key that has its entry.
        .filter(({ name }) => name !== 'nextToken')
        .map(({ name }) => ({ name: `${service} ${type.name}.${name}`, operations: operationsWith(schema, type, name) })),
    ),
  );

  it('are listed with the operations that return them: add a new one to GIVES or HARMLESS', () => {
    expect(suspects.map(({ name }) => name).sort()).toEqual([...Object.keys(GIVES), ...Object.keys(HARMLESS)].sort());
  });

  it.each(Object.keys(GIVES))('of %s are returned by no other operation', (name) => {
    expect(suspects.find((one) => one.name === name)?.operations).toEqual(GIVES[name]);
  });
});

describe('a narrow key', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const URLS = 'uploadUrl later:uploadUrl(expiresIn:604800) downloadUrl';

  /** A file with content and an open upload, and keys of its tenant. */
  async function stored() {
    const tenant = `narrow-${Math.random()}`;
    const keyWith = async (...entries: string[]) =>
      new Api(server.address, 'file-management', await server.createKey(entries.join(' '), tenant));
    const all = await keyWith('file-management-api:query:*', 'file-management-api:mutation:*');
    const { createFile } = await all.ask('mutation{createFile(input:{externalReference:"r"}){id uploadUrl}}');
    expect((await fetch(createFile.uploadUrl, { method: 'PUT', body: Buffer.from('content') })).status).toBe(200);
    const begin = `mutation{initiateMultipartUpload(input:{fileId:"${createFile.id}"}){fileId uploadId}}`;
    const { initiateMultipartUpload: upload } = await all.ask(begin);
    return { all, keyWith, id: createFile.id as string, upload: upload as { fileId: string; uploadId: string } };
  }

  /** Operations that return files, with valid arguments. */
  async function operationsWithFiles({ all, id, upload }: Awaited<ReturnType<typeof stored>>) {
    const input = `input:{fileId:"${upload.fileId}",uploadId:"${upload.uploadId}"`;
    const sign = `mutation{generatePartUploadUrl(${input},partNumber:1})}`;
    const { generatePartUploadUrl } = await all.ask(sign);
    const { headers } = await fetch(generatePartUploadUrl, { method: 'PUT', body: Buffer.from('part') });
    const etags = `etags:[{partNumber:1,ETag:${JSON.stringify(headers.get('etag'))}}]`;
    return {
      file: `{file(ID:"${id}"){${URLS}}}`,
      files: `{files{items{${URLS}}}}`,
      filesWithExternalReference: `{filesWithExternalReference(externalReference:"r"){${URLS}}}`,
      updateFile: `mutation{updateFile(input:{id:"${id}",comment:"c"}){${URLS}}}`,
      createFile: `mutation{createFile{${URLS}}}`,
      completeMultipartUpload: `mutation{completeMultipartUpload(${input},${etags}}){${URLS}}}`,
      abortMultipartUpload: `mutation{abortMultipartUpload(${input}}){${URLS}}}`,
      copyFile: `mutation{copyFile(id:"${id}",name:"copy"){${URLS}}}`,
      deleteFile: `mutation{deleteFile(id:"${id}"){${URLS}}}`,
    } as Record<string, string>;
  }

  const addressesIn = (data: object): (string | null)[] =>
    [...JSON.stringify(data).matchAll(/"(?:uploadUrl|later)":(null|"[^"]*")/g)].map(
      ([, text]) => JSON.parse(text!) as string | null,
    );

  it.each(GIVES['file-management File.uploadUrl']!)('with %s alone gets an uploadUrl only if it may write', async (name) => {
    const made = await stored();
    const query = (await operationsWithFiles(made))[name];
    if (!query) throw new Error(`add ${name} to operationsWithFiles`);
    const kind = query.startsWith('mutation') ? 'mutation' : 'query';
    const narrow = await made.keyWith(`file-management-api:${kind}:${name}`);
    const addresses = addressesIn(await narrow.ask(query));
    const mayWrite = ['createFile', 'updateFile'].includes(name);
    expect(addresses).toEqual([mayWrite, mayWrite].map((may) => (may ? expect.stringContaining('signature=') : null)));
  });

  it('that reads and may create or update files gets a working uploadUrl from every query', async () => {
    const { keyWith, id } = await stored();
    for (const entry of ['mutation:createFile', 'mutation:updateFile', 'mutation:*']) {
      const api = await keyWith('file-management-api:query:file', `file-management-api:${entry}`);
      const { file } = await api.ask(`{file(ID:"${id}"){uploadUrl}}`);
      expect((await fetch(file.uploadUrl, { method: 'PUT', body: Buffer.from(entry) })).status).toBe(200);
    }
  });

  it('without those entries gets the same error for a wrong lifetime, and reads content', async () => {
    const { keyWith, id } = await stored();
    const reader = await keyWith('file-management-api:query:*', 'file-management-api:mutation:deleteFile');
    expect(await reader.refusal(`{file(ID:"${id}"){uploadUrl(expiresIn:0)}}`)).toMatchObject({ code: 'BAD_USER_INPUT' });
    const { file } = await reader.ask(`{file(ID:"${id}"){uploadUrl downloadUrl}}`);
    expect(file.uploadUrl).toBeNull();
    expect(await (await fetch(file.downloadUrl)).text()).toBe('content');
    expect((await fetch(file.downloadUrl, { method: 'PUT', body: Buffer.from('other') })).status).toBe(403);
  });

  it('gets the URL of a part only with the scope entry for it', async () => {
    const { keyWith, upload } = await stored();
    const reader = await keyWith('file-management-api:query:*', 'file-management-api:mutation:completeMultipartUpload');
    const sign = 'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}';
    expect(await reader.refusal(sign, { input: { ...upload, partNumber: 1 } })).toMatchObject({ code: 'FORBIDDEN' });
  });
});
