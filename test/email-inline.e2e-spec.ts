// @nightly postgresql: no SQL of its own
import { createHash } from 'node:crypto';
import { TenantData } from '../src/common/tenants/tenant-data.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Email, someone } from './support/email.js';
import { type MimePart, readMail } from './support/mime.js';
import { MIB } from './support/rendering.js';

const CONTENT = 'query($id:ID!){messages(filter:{id:$id}){items{content{attachments{name contentType size fileId contentId}}}}}';
/** Every byte, in an order without a period of 3, so that each of them is at each place of base64. */
const PIXELS = Buffer.from(Array.from({ length: 1_000 }, (_, at) => (at * 7 + (at >> 8)) % 256));
const base64 = (bytes: Buffer): string => bytes.toString('base64');
const inline = (input: object = {}) => ({ name: 'logo.png', contentType: 'image/png', content: base64(PIXELS), ...input });
const bad = (field: string) => ({ code: 'BAD_USER_INPUT', field: `input.${field}` });
/** A mail without its boundaries, which are new in each attempt. */
const withoutBoundaries = (raw: string) => raw.replaceAll(/--_NmP-[0-9a-f]+-/g, '');

let email: Email;
beforeAll(async () => {
  email = await Email.start();
});
afterAll(() => email.stop());

const shown = async (id: string, by = email): Promise<any> => (await by.api.ask(CONTENT, { id })).messages.items[0].content;
const arrived = async (to: string): Promise<MimePart> => readMail((await email.mail.to(to))[0]!.bytes);
const rowsOf = (emailId: string) =>
  allRowsOf('no API shows what is kept of a mail that ended', email.server).emailAttachment.count({ where: { emailId } });
/** A message to others too, that is refused for now, so that it waits between attempts. */
const waiting = async (input: object, by = email): Promise<{ id: string; to: string }> => {
  const to = someone();
  email.mail.treatments.set(to, { code: 451, at: 'MAIL' });
  const id = await by.send({ to: { address: to }, ...input });
  await by.tried(id);
  return { id, to };
};

it('an inline attachment is sent beside the html, and others after it, byte for byte (RFC 2387, RFC 2392)', async () => {
  const to = someone();
  const [photo, list] = [
    await email.file(PIXELS, { contentType: 'image/jpeg' }),
    await email.file('a,b', { contentType: 'text/csv' }),
  ];
  const id = await email.send({
    to: { address: to },
    htmlBody: '<img src="cid:photo_1"><img src=cid:logo.png><p style="background: url(cid:back-ground)">',
    attachments: [
      { name: 'photo.jpg', fileId: photo, contentId: 'photo_1' },
      { name: 'list.csv', fileId: list },
    ],
    inlineAttachments: [
      inline({ contentId: 'logo.png' }),
      inline({ name: '=?utf-8?Q?a?= "b".svg', contentType: 'image/svg+xml', contentId: 'back-ground' }),
      inline({ name: 'note.txt', contentType: 'text/plain; charset=utf-8', content: base64(Buffer.from('ü')) }),
      inline({ name: 'empty', contentType: 'message/rfc822', content: '' }),
    ],
  });
  const mixed = await arrived(to);
  expect(mixed.type).toBe('multipart/mixed');
  expect(mixed.parts.map(({ type, disposition }) => [type, disposition])).toEqual([
    ['multipart/alternative', 'inline'],
    ['text/csv', 'attachment'],
    ['text/plain', 'attachment'],
    ['application/octet-stream', 'attachment'],
  ]);
  expect(mixed.parts.slice(1).map(({ content }) => String(content))).toEqual(['a,b', 'ü', '']);
  const [text, related] = mixed.parts[0]!.parts;
  expect(text!.type).toBe('text/plain');
  expect(related!.headers.get('content-type')).toMatch(/^multipart\/related; type="text\/html"/);
  const [html, ...images] = related!.parts;
  expect(html!.type).toBe('text/html');
  const about = images.map(({ type, disposition, fileName, headers }) => [
    type,
    disposition,
    fileName,
    headers.get('content-id'),
  ]);
  expect(about).toEqual([
    ['image/jpeg', 'inline', 'photo.jpg', '<photo_1>'],
    ['image/png', 'inline', 'logo.png', '<logo.png>'],
    ['image/svg+xml', 'inline', '=?utf-8?Q?a?= "b".svg', '<back-ground>'],
  ]);
  for (const image of images) expect(image.content.equals(PIXELS)).toBe(true);
  await email.finished(id);
  const size = PIXELS.length;
  expect((await shown(id)).attachments).toEqual([
    { name: 'photo.jpg', contentType: 'image/jpeg', size, fileId: photo, contentId: 'photo_1' },
    { name: 'list.csv', contentType: 'text/csv', size: 3, fileId: list, contentId: null },
    { name: 'logo.png', contentType: 'image/png', size, fileId: null, contentId: 'logo.png' },
    { name: '=?utf-8?Q?a?= "b".svg', contentType: 'image/svg+xml', size, fileId: null, contentId: 'back-ground' },
    { name: 'note.txt', contentType: 'text/plain; charset=utf-8', size: 2, fileId: null, contentId: null },
    { name: 'empty', contentType: 'message/rfc822', size: 0, fileId: null, contentId: null },
  ]);
  expect(await rowsOf(id)).toBe(0);
});

it('an inline attachment is the same in every attempt, with content of the largest size', async () => {
  const to = someone();
  const large = Buffer.alloc(MIB, PIXELS);
  email.mail.treatments.set(to, 'drop after DATA');
  const id = await email.send({
    to: { address: to },
    htmlBody: '<img src="cid:a"><img src="cid:b">',
    inlineAttachments: ['a', 'b', undefined].map((contentId) => inline({ content: base64(large), contentId })),
  });
  await email.tried(id);
  const before = (await shown(id)).attachments;
  expect(before.map(({ size, contentId }: any) => [size, contentId])).toEqual([[MIB, 'a'], [MIB, 'b'], [MIB, null]]); // prettier-ignore
  email.mail.treatments.delete(to);
  await email.passTime();
  expect(await email.finished(id)).toMatchObject({ status: 'SENT', attempts: 2 });
  const [first, second] = await email.mail.to(to, 2);
  expect(withoutBoundaries(second!.raw)).toBe(withoutBoundaries(first!.raw));
  const [mixed] = [readMail(second!.bytes)];
  const parts = [...mixed.parts[0]!.parts[1]!.parts.slice(1), mixed.parts[1]!];
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  expect(parts.map(({ content }) => digest(content))).toEqual(Array(3).fill(digest(large)));
  expect((await shown(id)).attachments).toEqual(before);
});

it('a rendered contentId that a parameter brings is named, one that it leaves out is not', async () => {
  const rendering = await email.server.api('document-rendering', email.api.key);
  const template = {
    name: 'with image',
    type: 'email',
    contentType: 'html',
    subject: 's',
    body: '<p>Hello</p><img src="{{ image }}">',
  };
  await rendering.ask('mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}', { input: template });
  const to = someone();
  const mail = (image: string) => ({
    subject: null,
    textBody: null,
    templateName: 'with image',
    params: JSON.stringify({ image }),
    inlineAttachments: inline({ contentId: 'logo' }),
  });
  await email.send({ to: { address: to }, ...mail('cid:logo') });
  const [, related] = (await arrived(to)).parts;
  expect(related!.type).toBe('multipart/related');
  expect(related!.parts[1]!.content.equals(PIXELS)).toBe(true);
  expect(await email.refused(mail('cid:other'))).toMatchObject(bad('inlineAttachments.0.contentId'));
});

it.each([
  ['names no image', '<p>logo</p>'],
  ['names a longer id', '<img src="cid:logo2"><img src="cid:logo.png"><img src="cid:logo@host">'],
  ['names another scheme', '<img src="acid:logo">'],
  ['spells the id otherwise', '<img src="cid:Logo"><img src="cid: logo"><img src="CID:logo">'],
])('a contentId is refused if the html %s, with the correct form', async (_, htmlBody) => {
  const fileId = await email.file('x');
  const refusals = await Promise.all([
    email.refused({ htmlBody, attachments: [{ name: 'a', fileId }, { name: 'b', fileId, contentId: 'logo' }] }), // prettier-ignore
    email.refused({ htmlBody, inlineAttachments: [inline(), inline({ contentId: 'logo' })] }),
  ]);
  expect(refusals).toEqual([
    expect.objectContaining(bad('attachments.1.contentId')),
    expect.objectContaining(bad('inlineAttachments.1.contentId')),
  ]);
  for (const { message } of refusals) expect(message).toContain('cid:logo');
});

it('a contentId is refused without html, twice in a message, and with invalid characters', async () => {
  const fileId = await email.file('x');
  const htmlBody = '<img src="cid:logo">';
  const logo = { contentId: 'logo' };
  const stored = { name: 'a', fileId, ...logo };
  expect(await email.refused({ inlineAttachments: inline(logo) })).toMatchObject(bad('inlineAttachments.0.contentId'));
  const twice = { htmlBody, attachments: stored, inlineAttachments: inline(logo) };
  expect(await email.refused(twice)).toMatchObject(bad('inlineAttachments.0.contentId'));
  expect(await email.refused({ htmlBody, attachments: [stored, stored] })).toMatchObject(bad('attachments.1.contentId'));
  for (const contentId of ['', 'a b', 'a>\r\nBcc: x@y.example', '<logo>', 'cid:logo', 'logo@host', 'ä', 'a'.repeat(65)]) {
    const html = `<img src="cid:${contentId}">`;
    expect(await email.refused({ htmlBody: html, attachments: { ...stored, contentId } })).toMatchObject(
      bad('attachments.0.contentId'),
    );
    expect(await email.refused({ htmlBody: html, inlineAttachments: inline({ contentId }) })).toMatchObject(
      bad('inlineAttachments.0.contentId'),
    );
  }
  const longest = 'a'.repeat(64);
  await email.send({ to: { address: someone() }, htmlBody: `cid:${longest}`, inlineAttachments: inline({ contentId: longest }) });
});

it.each([
  ['content', 'base64 without padding', 'AAA', /must be padded base64/],
  ['content', 'two texts of base64', 'AA==AA==', /base64/],
  ['content', 'base64 with padding inside', 'AA=A', /base64/],
  ['content', 'base64url', 'A_-A', /base64/],
  ['content', 'base64 with a line break', 'AAAA\r\n', /base64/],
  ['content', 'a data URL', 'data:image/png;base64,AAAA', /base64/],
  ['content', 'no Unicode', '\ud800AAA', /base64/],
  ['content', 'a byte too long', base64(Buffer.alloc(MIB + 1)), /more than 1048576/],
  ['contentType', 'empty', '', /MIME type/],
  ['contentType', 'no type', 'png', /MIME type/],
  ['contentType', 'followed by a header', 'image/png\r\nBcc: x@y.example', /MIME type/],
  ['contentType', 'folded', 'image/png\r\n; a=b', /MIME type/],
  ['contentType', 'too long', `image/${'x'.repeat(250)}`, /255/],
  ['name', 'empty', '', /empty/],
  ['name', 'followed by a header', 'a\r\nBcc: x@y.example', /line breaks/],
  ['name', 'of two lines', 'a\u2028b', /line breaks/],
  ['name', 'a path', '../a', /segment/],
  ['name', 'too long', 'x'.repeat(256), /255/],
])('an inline attachment is refused if its %s is %s, with the correct form', async (field, _, value, says) => {
  const refusal = await email.refused({ inlineAttachments: [inline(), inline({ [field]: value })] });
  expect(refusal).toMatchObject(bad(`inlineAttachments.1.${field}`));
  expect(refusal.message).toMatch(says);
});

it('inline attachments and stored files count toward one limit of number and bytes', async () => {
  const small = await email.file('x');
  const large = await email.file(Buffer.alloc(24 * MIB));
  const stored = Array.from({ length: 25 }, (_, at) => ({ name: `${at}`, fileId: small }));
  const many = (count: number) => Array.from({ length: count }, () => inline({ content: 'AAAA' }));
  expect(await email.refused({ attachments: stored, inlineAttachments: many(26) })).toMatchObject(bad('inlineAttachments'));
  expect(await email.refused({ inlineAttachments: many(51) })).toMatchObject(bad('inlineAttachments'));
  const to = someone();
  await email.send({ to: { address: to }, attachments: stored, inlineAttachments: many(25) });
  expect((await arrived(to)).parts).toHaveLength(51);
  const attachments = { name: 'large', fileId: large };
  const [whole, byte] = [inline({ content: base64(Buffer.alloc(MIB)) }), inline({ content: 'AA==' })];
  expect(await email.refused({ attachments, inlineAttachments: [whole, byte] })).toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    field: 'input.attachments',
  });
  await email.send({ to: { address: someone() }, attachments, inlineAttachments: whole });
});

it('a repeat with the same inline attachments returns the first message, and one with other content or contentId is a CONFLICT', async () => {
  const input = {
    to: { address: someone() },
    htmlBody: '<img src="cid:a"><img src="cid:b">',
    idempotencyKey: 'inline',
    inlineAttachments: [inline({ contentId: 'a' })],
  };
  const id = await email.send(input);
  expect(await email.send(input)).toBe(id);
  for (const other of [
    { contentId: 'b' },
    { contentId: 'a', name: 'other.png' },
    { contentId: 'a', contentType: 'image/gif' },
    { contentId: 'a', content: base64(Buffer.from('x')) },
  ])
    expect(await email.refused({ ...input, inlineAttachments: [inline(other)] })).toMatchObject({ code: 'CONFLICT' });
  expect(await email.refused({ ...input, inlineAttachments: null })).toMatchObject({ code: 'CONFLICT' });
});

it('a call with several messages accepts or refuses each separately, with its inline attachments', async () => {
  const [good, other] = [someone(), someone()];
  const message = (address: string, contentId: string) => ({ to: { address }, inlineAttachments: inline({ contentId }) });
  const { sendMessages } = await email.api.ask(
    'mutation($input:SendMessagesInput!){sendMessages(input:$input){id error{code field}}}',
    {
      input: {
        defaults: { subject: 's', htmlBody: '<p>Hello</p><img src="cid:logo">' },
        messages: [message(good, 'logo'), message(someone(), 'none'), message(other, 'logo')],
      },
    },
  );
  expect(sendMessages.map(({ error }: any) => error)).toEqual([
    null,
    { code: 'BAD_USER_INPUT', field: 'input.messages.1.inlineAttachments.0.contentId' },
    null,
  ]);
  for (const to of [good, other]) expect((await arrived(to)).parts[1]!.parts[1]!.content.equals(PIXELS)).toBe(true);
});

it('inline content is removed when a message finishes, is cancelled or erased', async () => {
  const own = await email.another();
  const input = { inlineAttachments: inline() };
  const cancelled = await waiting(input, own);
  expect(await rowsOf(cancelled.id)).toBe(1);
  await own.api.ask(`mutation{cancelMessage(id:"${cancelled.id}"){id}}`);
  expect(await rowsOf(cancelled.id)).toBe(0);
  expect((await shown(cancelled.id, own)).attachments).toEqual([
    { name: 'logo.png', contentType: 'image/png', size: PIXELS.length, fileId: null, contentId: null },
  ]);
  const erased = await waiting(input, own);
  const tenantId = await own.server.tenantIdOf(own.api);
  const mails = own.server.app.get(TenantData, { strict: false }).traces.find(({ kind }) => kind === 'mails')!;
  await mails.erase(tenantId, { emailAddress: erased.to, authorId: null, recipient: null });
  expect(await rowsOf(erased.id)).toBe(0);
  expect(await own.page({ id: erased.id })).toMatchObject({ items: [] });
});

it('a list of messages reads no inline content', async () => {
  const own = await email.another();
  const { id } = await waiting({ inlineAttachments: inline() }, own);
  const statements: string[] = [];
  const database = allRowsOf('the statements of a list are the subject', email.server) as any;
  const query = database.$query;
  database.$query = (asked: { text: string }) => (statements.push(asked.text), query.call(database, asked));
  try {
    await shown(id, own);
  } finally {
    database.$query = query;
  }
  expect(statements.filter((text) => text.includes('"EmailAttachment"')).length).toBeGreaterThan(0);
  expect(statements.filter((text) => text.includes('"content"'))).toEqual([]);
});
