import { Email, someone } from './support/email.js';
import { PolledWebhook } from './support/polled-webhook.js';

const PAGE = '{suppressions{items{address reason list messageId}}}';
const ONE_CLICK = { 'content-type': 'application/x-www-form-urlencoded' };

describe('a mail of a list', () => {
  let email: Email;
  beforeAll(async () => (email = await Email.start({ PUBLIC_URL: 'https://mail.sender.example' })));
  afterAll(() => email.stop());

  const headerOf = (raw: string, name: string) => new RegExp(`^${name}: (.*)\r$`, 'm').exec(raw)?.[1];
  /** The link of a mail, at the port of this server. */
  const here = (link: string) => link.replace('https://mail.sender.example', email.server.address);
  /** A message of a list, as it arrived, and its link. */
  const arrived = async (list = 'news', more: object = {}, by = email) => {
    const address = someone();
    const id = await by.send({ to: { address }, unsubscribe: { list }, ...more });
    const [mail] = await email.mail.to(address);
    const header = headerOf(mail!.raw, 'List-Unsubscribe')!;
    return { id, address, mail: mail!, header, link: here(header.slice(1, -1)) };
  };
  const post = (link: string, body = 'List-Unsubscribe=One-Click', headers: Record<string, string> = ONE_CLICK) =>
    fetch(link, { method: 'POST', body, headers, redirect: 'error' });
  const suppressions = async (by = email) => (await by.api.ask(PAGE)).suppressions.items;
  const statusOf = async (input: object, by = email) => (await by.finished(await by.send(input))).status;

  it('has the headers of one-click unsubscription, each on one line, and a link that its template reads', async () => {
    const rendering = await email.server.api('document-rendering', email.api.key);
    const body = '<p>{{ text }}</p><a href="{{ unsubscribeUrl }}">Unsubscribe</a>';
    await rendering.ask(
      'mutation($body:String!){createTemplate(input:{name:"n",type:email,contentType:html,subject:"s",body:$body}){id}}',
      { body },
    );
    const address = someone();
    for (const params of ['{"text":"t","unsubscribeUrl":"https://elsewhere.example/"}', '{ "text": "t" } ', ' {}']) {
      await email.send({
        to: { address },
        unsubscribe: { list: 'news' },
        templateName: 'n',
        params,
        subject: null,
        textBody: null,
      });
    }
    for (const { raw, parsed } of await email.mail.to(address, 3)) {
      const header = headerOf(raw, 'List-Unsubscribe')!;
      expect(header).toMatch(/^<https:\/\/mail\.sender\.example\/email\/unsubscribe\?token=[\w.-]+>$/);
      expect(headerOf(raw, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
      expect(parsed.html).toContain(`href="${header.slice(1, -1)}"`);
    }
  });

  it('unsubscribes by one POST without a key, at once and once, with an event; other mails are sent', async () => {
    const by = await email.another();
    const webhook = await PolledWebhook.create(by.api, 'RECIPIENT_UNSUBSCRIBED');
    const { id, address, link } = await arrived('news', {}, by);
    for (let times = 0; times < 3; times++) expect((await post(link)).status).toBe(200);
    const expected = { address, reason: 'UNSUBSCRIBED', list: 'news', messageId: id };
    expect(await suppressions(by)).toEqual([expected]);
    expect(await statusOf({ to: { address }, unsubscribe: { list: 'news' } }, by)).toBe('FAILED');
    expect(await statusOf({ to: { address }, unsubscribe: { list: 'offers' } }, by)).toBe('SENT');
    expect(await statusOf({ to: { address } }, by)).toBe('SENT');
    const events = await webhook.of(id);
    expect(events.map(({ data }) => data)).toEqual([
      { ...expected, createdAt: expect.any(String), expiresAt: null, diagnostic: null },
    ]);
  });

  it.each([
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
    ],
    ['text/plain', ''],
    ['application/x-www-form-urlencoded', 'action=unsubscribe&x=1'],
  ])('unsubscribes by a form that is %s', async (type, body) => {
    const { address, link } = await arrived();
    expect((await post(link, body, { 'content-type': type })).status).toBe(200);
    expect((await suppressions())[0]).toMatchObject({ address, list: 'news' });
  });

  it('shows a page that changes nothing when opened, and whose button unsubscribes and subscribes again', async () => {
    const { address, link } = await arrived('<News> & "more"');
    const get = async () => (await fetch(link)).text();
    for (let times = 0; times < 2; times++) expect(await get()).toMatch(/<button>Unsubscribe<\/button>/);
    expect(await get()).toContain('&lt;News&gt; &amp; &quot;more&quot;');
    expect((await suppressions()).filter((one: any) => one.address === address)).toEqual([]);
    expect(await (await post(link, '')).text()).toContain('You are unsubscribed');
    expect(await get()).toContain('Subscribe again');
    for (let times = 0; times < 2; times++)
      expect(await (await post(link, 'action=resubscribe')).text()).toMatch(/<button>Unsubscribe/);
    expect(await statusOf({ to: { address }, unsubscribe: { list: '<News> & "more"' } })).toBe('SENT');
    const { headers } = await fetch(link);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('is unaffected by any other link: changed, cut, of another list or made up', async () => {
    const { link } = await arrived();
    const [, token] = link.split('token=') as [string, string];
    const [text, signature] = token.split('.') as [string, string];
    const other = Buffer.from(text, 'base64url').toString('latin1').replace('news', 'mews');
    const before = await suppressions();
    for (const wrong of [
      '',
      '.',
      text,
      `${text}.`,
      `${text}.${signature}x`,
      `${text}.${signature}.`,
      `${text}A.${signature}`,
      `${Buffer.from(other, 'latin1').toString('base64url')}.${signature}`,
      'a'.repeat(3_000),
    ]) {
      const response = await post(`${link.split('token=')[0]}token=${wrong}`);
      expect([response.status, wrong]).toEqual([404, wrong]);
      expect(await response.text()).toContain('This link is not valid.');
    }
    expect(await suppressions()).toEqual(before);
  });

  it('fits the longest address and list into a header line of 998 characters', async () => {
    const address = `${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(3)}example`;
    await email.send({ to: { address }, unsubscribe: { list: '☃'.repeat(85) } });
    const [mail] = await email.mail.to(address);
    expect(Math.max(...mail!.raw.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
    expect((await post(here(headerOf(mail!.raw, 'List-Unsubscribe')!.slice(1, -1)))).status).toBe(200);
  });

  it('has the unsubscribe URL of the application if it has one', async () => {
    const url = 'https://app.example/end?who=1%2C2';
    const { header, mail } = await arrived('news', { unsubscribe: { list: 'news', url } });
    expect(header).toBe(`<${url}>`);
    expect(headerOf(mail.raw, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  });

  it.each([
    [{ unsubscribe: { list: '' } }, 'unsubscribe.list'],
    [{ unsubscribe: { list: 'a\r\nBcc: b@example.com' } }, 'unsubscribe.list'],
    [{ unsubscribe: { list: 'n', url: 'http://app.example/' } }, 'unsubscribe.url'],
    [{ unsubscribe: { list: 'n', url: 'https://app.example/>,<mailto:x@y>' } }, 'unsubscribe.url'],
    [{ unsubscribe: { list: 'n', url: 'https://app.example/\r\nBcc: x@y.example' } }, 'unsubscribe.url'],
    [{ unsubscribe: { list: 'n', url: 'https://user:word@app.example/' } }, 'unsubscribe.url'],
    [{ unsubscribe: { list: 'n', url: `https://app.example/${'a'.repeat(800)}` } }, 'unsubscribe.url'],
    [{ unsubscribe: { list: 'n' }, cc: { address: 'b@example.com' } }, 'unsubscribe'],
  ])('is refused with its field for %j', async (input, field) => {
    expect(await email.refused(input)).toMatchObject({ code: 'BAD_USER_INPUT', field: `input.${field}` });
  });

  it('has no List-Unsubscribe-Post if the URL of the service is http', async () => {
    const plain = await Email.start();
    try {
      const address = someone();
      await plain.send({ to: { address }, unsubscribe: { list: 'news' } });
      const [mail] = await plain.mail.to(address);
      expect(headerOf(mail!.raw, 'List-Unsubscribe-Post')).toBeUndefined();
      expect((await post(headerOf(mail!.raw, 'List-Unsubscribe')!.slice(1, -1))).status).toBe(200);
    } finally {
      await plain.stop();
    }
  });
});
