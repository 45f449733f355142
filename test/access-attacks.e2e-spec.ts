// @nightly postgresql: no SQL of its own
// Past the API: tokens that have expired, or are signed by another secret, are issued by no operation.
import { randomUUID } from 'node:crypto';
import { Signing } from '../src/common/signing/signer.js';
import { AccessTokens, type TokenContent } from '../src/common/tokens/access-tokens.js';
import { Api } from './support/api.js';
import { TestServer } from './support/server.js';

const CREATE = 'mutation($input:AccessTokenInput!){createAccessToken(input:$input){token}}';
const FILES = ['file-management-api:query:*', 'file-management-api:mutation:*'];
const PREFIX = 'users/7/';
const PAGE = 'https://shop.example';

/** Names that look as if they began with the prefix. */
const LOOKALIKES = [
  '', '/', 'users', 'users/', 'users/7', 'users/70/', 'users/8/', '/users/7/', './users/7/', '../users/7/', 'Users/7/', 'USERS/7/',
  'users\\7\\', 'users//7/', 'users/7\u200b/', 'users/\u200b7/', 'user\u017f/7/', 'users/\uff17/', 'users/\u0667/', 'users\u22157/',
  ' users/7/', 'users%2F7%2F', '%', '_sers/7/', 'users/7/../8/', 'users/7\u0338/',
].filter((name) => !name.startsWith(PREFIX)); // prettier-ignore

const ORIGINS = [
  'https://evil.example', 'http://shop.example', 'https://shop.example:8443', 'https://shop.example.evil.example', 'https://shop.example/', 'null',
  'https://SHOP.example', 'https://sub.shop.example', 'https://shop.exampl', 'https://shop.example.', '*', 'https://shop.example, https://evil.example',
  'file://', 'https://evil.example#https://shop.example', 'https://shop.example@evil.example', 'shop.example', '//shop.example', 'https:shop.example',
]; // prettier-ignore

interface Attack {
  name: string;
  token: string;
  query: string;
  origin?: string;
  /** HTTP status, or `nothing` for an answer as for an unknown object. */
  expected: 401 | 403 | 'nothing';
}

describe('500 attacks with access tokens', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const create = async (key: string, input: object = {}): Promise<string> =>
    (await new Api(server.address, 'file-management', key).ask(CREATE, { input: { scope: FILES, expiresIn: 3_600, ...input } }))
      .createAccessToken.token;
  const file = async (key: string, name: string): Promise<string> =>
    (await new Api(server.address, 'file-management', key).ask(`mutation{createFile(input:{name:"${name}"}){id}}`)).createFile.id;
  const stateOf = (key: string) =>
    new Api(server.address, 'file-management', key).ask('{files{items{id name comment updatedAt status}} webhooks{items{id}}}');

  /** Changes one character at a time, over the whole token. */
  const tampered = (token: string): Attack[] =>
    Array.from({ length: 150 }, (_, at) => {
      const place = Math.floor((at * token.length) / 150);
      const changed = `${token.slice(0, place)}${token[place] === 'A' ? 'B' : 'A'}${token.slice(place + 1)}`;
      return { name: `character ${place}`, token: changed, query: '{storageUsed{fileCount}}', expected: 401 };
    });

  /** Claims more than the token has, with its own MAC, with the MAC of another secret, and without one. */
  const forged = (token: string, more: Partial<TokenContent>[]): Attack[] => {
    const [payload, mac] = token.slice('pst_'.length).split('.') as [string, string];
    const content = JSON.parse(Buffer.from(payload, 'base64url').toString()) as TokenContent;
    const stranger = new AccessTokens(new Signing(Buffer.from(randomUUID())));
    return more.flatMap((claim) => {
      const claimed = { ...content, ...claim };
      const encoded = Buffer.from(JSON.stringify(claimed)).toString('base64url');
      const tokens = [`pst_${encoded}.${mac}`, stranger.issue(claimed), `pst_${encoded}.`, `pst_${encoded}`];
      return tokens.map((one, at) => ({
        name: `forged ${at}: ${JSON.stringify(claim)}`,
        token: one,
        query: '{files{items{id}}}',
        expected: 401 as const,
      }));
    });
  };

  const expired = (token: string): Attack[] => {
    const content = JSON.parse(Buffer.from(token.slice(4).split('.')[0]!, 'base64url').toString()) as TokenContent;
    const tokens = server.app.get(AccessTokens);
    return Array.from({ length: 20 }, (_, at) => {
      const expiresAt = Date.now() - at * at * 1_000;
      return {
        name: `expired ${at}`,
        token: tokens.issue({ ...content, expiresAt }),
        query: '{files{items{id}}}',
        expected: 401,
      };
    });
  };

  const onIds = (token: string, id: string, expected: Attack['expected']): Attack[] =>
    [
      `{file(ID:"${id}"){id name downloadUrl uploadUrl}}`,
      `{files(filter:{id:"${id}"}){items{id name}}}`,
      `{files(filter:{ids:["${id}"]}){items{id name}}}`,
      `{files(filter:{namePrefix:"${PREFIX}",ids:["${id}"]}){items{id name}}}`,
      `{filesArchiveUrl(ids:["${id}"])}`,
      `{multipartUpload(fileId:"${id}",uploadId:"${id}"){uploadId}}`,
      `mutation{updateFile(input:{id:"${id}",comment:"taken"}){id}}`,
      `mutation{updateFile(input:{id:"${id}",name:"${PREFIX}taken"}){id}}`,
      `mutation{deleteFile(id:"${id}"){id}}`,
      `mutation{deleteFiles(ids:["${id}"])}`,
      `mutation{copyFile(id:"${id}",name:"${PREFIX}copy"){id}}`,
      `mutation{moveFiles(ids:["${id}"],to:"${PREFIX}moved/")}`,
      `mutation{initiateMultipartUpload(input:{fileId:"${id}"}){uploadId}}`,
      `mutation{generatePartUploadUrl(input:{fileId:"${id}",uploadId:"${id}",partNumber:1})}`,
      `mutation{completeMultipartUpload(input:{fileId:"${id}",uploadId:"${id}",etags:[{partNumber:1,ETag:"e"}]}){id}}`,
      `mutation{abortMultipartUpload(input:{fileId:"${id}",uploadId:"${id}"}){id}}`,
    ].map((query) => ({ name: `${String(expected)} ${query}`, token, query, expected }));

  const onNames = (token: string, own: string): Attack[] =>
    LOOKALIKES.flatMap((name) => {
      const text = JSON.stringify(name);
      return [
        `mutation{createFile(input:{name:${text}}){id}}`,
        `mutation{updateFile(input:{id:"${own}",name:${text}}){id}}`,
        `mutation{copyFile(id:"${own}",name:${text}){id}}`,
        `mutation{moveFiles(ids:["${own}"],to:${text})}`,
        `mutation{deleteFiles(folder:${text})}`,
        `{files(filter:{namePrefix:${text}}){items{id}}}`,
        `{fileFolders(prefix:${text}){items{prefix}}}`,
      ].map((query) => ({ name: query, token, query, expected: 403 as const }));
    });

  const isRepelled = async ({ token, query, origin, expected }: Attack): Promise<string | undefined> => {
    const { status, data, errors } = await new Api(server.address, 'file-management', token).send(
      query,
      {},
      origin ? { origin } : {},
    );
    const seen = `${status} ${JSON.stringify(data)} ${JSON.stringify(errors)}`;
    const code = errors?.[0]?.extensions.code;
    if (expected === 401) return status === 401 && code === 'UNAUTHENTICATED' ? undefined : seen;
    if (expected === 403)
      return code === 'FORBIDDEN' && Object.values(data ?? {}).every((value) => value === null) ? undefined : seen;
    const isNothing = (value: unknown) => value === null || value === 0 || JSON.stringify(value) === '{"items":[]}';
    return Object.values(data ?? {}).every(isNothing) && (!errors || ['NOT_FOUND', 'BAD_USER_INPUT'].includes(code!))
      ? undefined
      : seen;
  };

  it('are all refused, and change nothing', async () => {
    const [key, victim] = [await server.createKey(), await server.createKey()];
    const [own, beside, foreign] = [
      await file(key, `${PREFIX}a.txt`),
      await file(key, 'users/8/a.txt'),
      await file(victim, `${PREFIX}b.txt`),
    ];
    const [whole, bound, paged] = [
      await create(key),
      await create(key, { filePrefix: PREFIX }),
      await create(key, { origins: [PAGE] }),
    ];
    const tenantId = await server.tenantIdOf(await server.api('file-management', victim));
    const claims: Partial<TokenContent>[] = [
      { tenantId }, { scope: [...FILES, 'email-api:mutation:*'] }, { scope: ['admin-api:query:*'] }, { expiresAt: Date.now() + 1e10 },
      { filePrefix: undefined }, { filePrefix: '' }, { id: randomUUID() }, { keyId: randomUUID() }, { issuedAt: Date.now() + 1e9 }, { recipient: 'ann' },
    ]; // prettier-ignore
    const denied = await create(await server.createKey());
    const deny = 'mutation($input:DenyAccessInput!){denyAccess(input:$input){deniedAt}}';
    const deniedKey = await server.createKey();
    const deniedTokens = await Promise.all(Array.from({ length: 10 }, () => create(deniedKey)));
    const { id: keyId } = (await (await fetch(`${server.address}/key`, { headers: { 'x-api-key': deniedKey } })).json()) as {
      id: string;
    };
    await new Api(server.address, 'email', deniedKey).ask(deny, { input: { keyId } });
    expect((await new Api(server.address, 'file-management', denied).send('{version}')).status).toBe(200);

    const attacks: Attack[] = [
      ...tampered(bound),
      ...forged(bound, claims),
      ...expired(whole),
      ...onIds(whole, foreign, 'nothing'),
      ...onIds(bound, foreign, 403),
      ...onIds(bound, beside, 403),
      ...onNames(bound, own),
      ...ORIGINS.map((origin) => ({
        name: `origin ${origin}`,
        token: paged,
        query: '{storageUsed{fileCount}}',
        origin,
        expected: 403 as const,
      })),
      ...deniedTokens.map((token, at) => ({
        name: `denied ${at}`,
        token,
        query: '{storageUsed{fileCount}}',
        expected: 401 as const,
      })),
    ];
    const rest = 500 - attacks.length;
    expect(rest).toBeGreaterThanOrEqual(0);
    // The others claim the other tenant with a random tail of the MAC.
    const [payload] = forged(whole, [{ tenantId }])[2]!.token.split('.');
    for (let at = 0; at < rest; at++) {
      const mac = Buffer.from(randomUUID().repeat(2)).toString('base64url').slice(0, 32);
      attacks.push({ name: `guessed MAC ${at}`, token: `${payload}.${mac}`, query: '{files{items{id}}}', expected: 401 });
    }
    const before = JSON.stringify([await stateOf(key), await stateOf(victim)]);
    const wrong: string[] = [];
    for (const attack of attacks) {
      const seen = await isRepelled(attack);
      if (seen) wrong.push(`${attack.name}: ${seen}`);
    }
    expect(wrong).toEqual([]);
    expect(attacks).toHaveLength(500);
    expect(JSON.stringify([await stateOf(key), await stateOf(victim)])).toBe(before);
  });
});
