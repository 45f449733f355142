import { jwtVerify, SignJWT } from 'jose';
import { Signing } from '../../src/common/signing/signer.js';
import { RecipientTokens } from '../../src/modules/websockets-manager/recipients/recipient-tokens.js';

const signing = new Signing(Buffer.alloc(32, 1));
const key = signing.keys('recipient-token')[0]!.key;
const tokens = new RecipientTokens(signing);
const CONTENT = {
  tenantId: 'tenant',
  recipient: 'Zoë ✓',
  topic: null,
  topics: ['a', 'b/*'],
  sourceIp: '192.0.2.1',
  origin: 'https://example.com',
  closeOnExpiry: true,
  acknowledge: false,
  presence: true as const,
  rewind: { messages: 5, seconds: 60 },
};
const CLAIMS = { ten: 'tenant', top: null, ip: null, org: null, cls: false, ack: true };
const inAnHour = Math.floor(Date.now() / 1_000) + 3_600;

/** A token as the library makes it. */
const made = (alg: string, secret: Uint8Array, expiry: number): Promise<string> =>
  new SignJWT(CLAIMS).setProtectedHeader({ alg }).setSubject('ann').setIssuedAt().setExpirationTime(expiry).sign(secret);

it('a token is a JWT that any library verifies with the key', async () => {
  const { value, expiresAt } = tokens.issue(CONTENT, 60);
  const { payload, protectedHeader } = await jwtVerify(value, key, { algorithms: ['HS256'] });
  expect(protectedHeader).toEqual({ alg: 'HS256' });
  expect(payload).toMatchObject({ sub: 'Zoë ✓', ten: 'tenant', exp: expiresAt.getTime() / 1_000, cls: true, ack: false });
});

it('a token without the newer terms has the claims that it had before them', async () => {
  const { value } = tokens.issue({ ...CONTENT, topic: 'a', topics: undefined, presence: undefined, rewind: undefined }, 60);
  const { payload } = await jwtVerify(value, key);
  expect(Object.keys(payload)).toEqual(['ten', 'top', 'ip', 'org', 'cls', 'ack', 'sub', 'iat', 'exp', 'jti']);
});

it('a token names its secret on a node that has several, and is read by nodes that have it', async () => {
  const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const [other, both] = [new RecipientTokens(new Signing(second)), new RecipientTokens(new Signing(first, second))];
  const { value } = both.issue(CONTENT, 60);
  const { protectedHeader } = await jwtVerify(value, key, { algorithms: ['HS256'] });
  expect(protectedHeader).toEqual({ alg: 'HS256', kid: new Signing(first).currentId });
  expect([tokens.read(value), other.read(value)]).toEqual([expect.objectContaining({ recipient: 'Zoë ✓' }), undefined]);
  expect(both.read(other.issue(CONTENT, 60).value)).toMatchObject({ recipient: 'Zoë ✓' });
});

it('a token contains everything that it was issued with', () => {
  const { value, expiresAt } = tokens.issue(CONTENT, 60);
  const read = tokens.read(value);
  expect(read).toEqual({ ...CONTENT, issuedAt: expiresAt.getTime() - 60_000, expiresAt: expiresAt.getTime() });
});

it('a token that a library created with the key is read', async () => {
  const read = tokens.read(await made('HS256', key, inAnHour));
  expect(read).toMatchObject({ tenantId: 'tenant', recipient: 'ann', acknowledge: true, expiresAt: inAnHour * 1_000 });
});

it('a token of another key, of another algorithm, or expired is not read', async () => {
  expect(tokens.read(await made('HS256', Buffer.alloc(32, 2), inAnHour))).toBeUndefined();
  expect(tokens.read(await made('HS512', Buffer.concat([key, key]), inAnHour))).toBeUndefined();
  expect(tokens.read(await made('HS256', key, inAnHour - 7_200))).toBeUndefined();
  const { value } = tokens.issue(CONTENT, 60);
  const [, payload] = value.split('.');
  expect(tokens.read(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`)).toBeUndefined();
});

it('a token with any character changed, removed or added is not read', () => {
  const { value } = tokens.issue(CONTENT, 60);
  for (let at = 0; at < value.length; at++) {
    const other = value[at] === 'A' ? 'B' : 'A';
    expect(tokens.read(value.slice(0, at) + other + value.slice(at + 1))).toBeUndefined();
    expect(tokens.read(value.slice(0, at) + value.slice(at + 1))).toBeUndefined();
  }
  expect(tokens.read(`${value}A`)).toBeUndefined();
  expect(tokens.read(` ${value}`)).toBeUndefined();
});
