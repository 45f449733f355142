import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { Webhook } from 'standardwebhooks';
import { type PlatformEvent, verifyWebhook, type WebhookVerificationError } from '../../clients/js/dist/webhooks.js';
import * as whole from '../../clients/js/dist/index.js';

const CLIENT = fileURLToPath(new URL('../../clients/js', import.meta.url));
const secretOf = (letter: string) => `whsec_${Buffer.from(letter.repeat(24)).toString('base64')}`;
const SECRET = secretOf('a');
const OTHER = secretOf('b');
const ID = '01a213c1-e673-70fc-9945-7f457abb3ea2';
const BODY = JSON.stringify({
  specversion: '1.0',
  id: ID,
  source: '/file-management',
  type: 'file.done',
  time: '2026-11-25T17:30:04.275Z',
  subject: '01a213c1-e600-7418-98f7-615ab2c927b2',
  datacontenttype: 'application/json',
  data: { id: '01a213c1-e600-7418-98f7-615ab2c927b2', name: 'Größe 文件 🎉\u2028.txt', status: 'done' },
});
const now = () => Math.floor(Date.now() / 1_000);

/** Headers as the official package signs a body. */
function signed(body = BODY, { secret = SECRET, at = now(), id = ID } = {}) {
  const signature = new Webhook(secret).sign(id, new Date(at * 1_000), body);
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature };
}

const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'accepted',
    (error: WebhookVerificationError) => `${error.name} ${error.reason}`,
  );
const refused = (reason: string) => `WebhookVerificationError ${reason}`;

describe('verifyWebhook accepts', () => {
  const event = JSON.parse(BODY);

  it.each([
    ['an object', signed()],
    ['an object with names in any case', Object.fromEntries(Object.entries(signed()).map(([n, v]) => [n.toUpperCase(), v]))],
    ['Headers', new Headers(signed())],
    ['the headers of Node, with lists and others', { ...signed(), host: 'shop', 'set-cookie': ['a', 'b'], none: undefined }],
  ])('headers as %s', async (_, headers) => {
    expect(await verifyWebhook(BODY, headers, SECRET)).toEqual(event);
  });

  it.each([
    ['text', BODY],
    ['a Buffer', Buffer.from(BODY)],
    ['bytes within a larger buffer', new Uint8Array(Buffer.from(`--${BODY}--`)).subarray(2, -2)],
  ])('a body as %s, with characters of all planes', async (_, body) => {
    expect(await verifyWebhook(body, signed(), SECRET)).toEqual(event);
  });

  it('any of several secrets and signatures, during a rotation', async () => {
    expect(await verifyWebhook(BODY, signed(), [OTHER, SECRET])).toEqual(event);
    const [one, other] = [signed(), signed(BODY, { secret: OTHER })];
    const both = `v1a,AAAA ${one['webhook-signature']} ${other['webhook-signature']}`;
    for (const secret of [SECRET, OTHER]) {
      expect(await verifyWebhook(BODY, { ...one, 'webhook-signature': both }, secret)).toEqual(event);
    }
  });

  it('times up to five minutes away, or within the given tolerance', async () => {
    for (const at of [now() - 295, now() + 295]) expect(await verifyWebhook(BODY, signed(BODY, { at }), SECRET)).toEqual(event);
    const moved = signed(BODY, { at: now() + 86_400 });
    expect(await verifyWebhook(BODY, moved, SECRET, { toleranceSeconds: Infinity })).toEqual(event);
  });

  it('the same requests as the official package', async () => {
    expect(new Webhook(SECRET).verify(BODY, signed())).toEqual(event);
    expect(whole.verifyWebhook).toBe(verifyWebhook);
  });
});

describe('verifyWebhook refuses', () => {
  const fitting = signed()['webhook-signature'].slice('v1,'.length);

  it.each([
    ['a signature by another secret', {}, OTHER, 'WRONG_SIGNATURE'],
    ['another id', { 'webhook-id': `${ID.slice(0, -1)}3` }, SECRET, 'WRONG_SIGNATURE'],
    ['another time', { 'webhook-timestamp': String(now() - 1) }, SECRET, 'WRONG_SIGNATURE'],
    ['another version alone', { 'webhook-signature': `v2,${fitting}` }, SECRET, 'WRONG_SIGNATURE'],
    ['the asymmetric version', { 'webhook-signature': `v1a,${fitting}` }, SECRET, 'WRONG_SIGNATURE'],
    ['a signature without its version', { 'webhook-signature': fitting }, SECRET, 'WRONG_SIGNATURE'],
    ['a signature that is cut', { 'webhook-signature': `v1,${fitting.slice(0, -4)}` }, SECRET, 'WRONG_SIGNATURE'],
    ['an empty signature', { 'webhook-signature': 'v1,' }, SECRET, 'WRONG_SIGNATURE'],
    ['a signature that is no base64', { 'webhook-signature': 'v1,%%%' }, SECRET, 'WRONG_SIGNATURE'],
    ['no signature', { 'webhook-signature': '' }, SECRET, 'MISSING_HEADER'],
    ['no id', { 'webhook-id': undefined }, SECRET, 'MISSING_HEADER'],
    ['no time', { 'webhook-timestamp': undefined }, SECRET, 'MISSING_HEADER'],
    ['a time that is no number', { 'webhook-timestamp': `${now()}.5` }, SECRET, 'MALFORMED_HEADER'],
    ['a time in another form', { 'webhook-timestamp': '1e10' }, SECRET, 'MALFORMED_HEADER'],
  ])('%s', async (_, headers, secret, reason) => {
    expect(await refusal(verifyWebhook(BODY, { ...signed(), ...headers }, secret))).toBe(refused(reason));
  });

  it.each([
    ['more than five minutes old', -302, 'TOO_OLD'],
    ['more than five minutes from the future', 303, 'TOO_NEW'],
    ['of 1970', -now(), 'TOO_OLD'],
  ])('a request that is %s, although it is signed', async (_, seconds, reason) => {
    expect(await refusal(verifyWebhook(BODY, signed(BODY, { at: now() + seconds }), SECRET))).toBe(refused(reason));
  });

  it('a changed body, by one letter, one space or one form of a letter', async () => {
    const changes = [BODY.replace('done', 'dome'), `${BODY} `, BODY.replace('ö', 'o\u0308'), BODY.slice(0, -1), ''];
    for (const body of changes) expect(await refusal(verifyWebhook(body, signed(), SECRET))).toBe(refused('WRONG_SIGNATURE'));
  });

  it('a signature with a moved boundary between id, time and body', async () => {
    const at = now();
    const { 'webhook-signature': signature } = signed(BODY, { at });
    const headers = { 'webhook-id': `${ID}.${at}`, 'webhook-timestamp': String(at), 'webhook-signature': signature };
    expect(await refusal(verifyWebhook(BODY, headers, SECRET))).toBe(refused('WRONG_SIGNATURE'));
  });

  it.each(['no JSON', 'null', '"text"', '{}', '{"type":"file.done"}'])('%s, although it is signed', async (body) => {
    expect(await refusal(verifyWebhook(body, signed(body), SECRET))).toBe(refused('NOT_AN_EVENT'));
  });

  it('invalid arguments, as a TypeError', async () => {
    const named = (promise: Promise<unknown>) =>
      promise.then(
        () => 'accepted',
        (error: Error) => error.name,
      );
    for (const secrets of [[], '', 'whsec_', 'whsec_%', 'whsec_c2hvcnQ=', undefined as never, [SECRET, '']]) {
      expect(await named(verifyWebhook(BODY, signed(), secrets))).toBe('TypeError');
    }
    for (const body of [JSON.parse(BODY), undefined as never, null as never]) {
      expect(await named(verifyWebhook(body, signed(), SECRET))).toBe('TypeError');
    }
  });
});

it('the type of an event determines the type of its data', async () => {
  const nameOf = (event: PlatformEvent): string | null | undefined => {
    if (event.type === 'file.done' && !event.datatruncated) {
      // @ts-expect-error signed addresses are left out
      void event.data.downloadUrl;
      return event.data.name;
    }
    if (event.type === 'recipient.bounced' && !event.datatruncated) return event.data.recipient.bounce?.code;
    if (event.type === 'domain.verified' && !event.datatruncated) return event.data.records?.[0]?.name;
    if (event.type === 'recipient.unsubscribed' && !event.datatruncated) return event.data.reason;
    if (event.type === 'message.sent' && !event.datatruncated) return event.data.to?.[0]?.address;
    if (event.type === 'partial.updated' && !event.datatruncated) return event.data.name;
    if (event.type === 'log.created' && !event.datatruncated) return event.data.author?.id;
    if (event.type === 'logs.removed' && !event.datatruncated) return String(event.data.removedRecords);
    if (event.type === 'message.cancelled' && !event.datatruncated) return event.data.cancelReason;
    // @ts-expect-error no such event
    if (event.type === 'file.created') return undefined;
    // @ts-expect-error a large event has only the id of its object
    if (event.type === 'template.updated') void event.data.body;
    return event.type === 'ping' ? undefined : event.subject;
  };
  expect(nameOf(await verifyWebhook(BODY, signed(), SECRET))).toBe('Größe 文件 🎉\u2028.txt');
});

it('a bundle of the verification runs without Node', async () => {
  const { exports } = JSON.parse(readFileSync(`${CLIENT}/package.json`, 'utf8'));
  const input = join(CLIENT, exports['./webhooks'].import.default);
  const { output } = await build({ input, platform: 'browser', write: false });
  expect(output[0].code).not.toMatch(/node:|require\(|\bBuffer\b|\bprocess\b/);
});
