import { randomUUID } from 'node:crypto';
import { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Email, someone } from './support/email.js';
import { TestServer } from './support/server.js';

const FIELDS = '{address status createdAt verifiedAt lastError}';
const VERIFY = `mutation($address:String!){verifyEmailIdentity(address:$address)${FIELDS}}`;
const DELETE = `mutation($address:String!){deleteEmailIdentity(address:$address)${FIELDS}}`;

describe('a sender address under verification', () => {
  let email: Email;
  beforeAll(async () => {
    email = await Email.start();
  });
  afterAll(() => email.stop());

  const ask = async (address: string, by = email) => (await by.api.ask(VERIFY, { address })).verifyEmailIdentity;
  /** The link in the latest mail, once there are this many. */
  const link = async (address: string, count = 1) => {
    const mail = (await email.mail.to(address, count)).at(-1)!;
    return /http:\/\/localhost:\d+\/email\/identities\/verify\?token=[\w-]{43}/.exec(mail.parsed.text!)![0];
  };
  const identity = async (address: string, by = email) =>
    (await by.api.ask(`{emailIdentities${FIELDS}}`)).emailIdentities.find((one: any) => one.address === address);
  const sendFrom = (address: string, by = email) => by.send({ to: { address: someone() }, from: { address } });

  it('is VERIFIED by the button behind the link, not by opening the link; then it can send', async () => {
    const address = someone();
    const pending = { address, status: 'PENDING', createdAt: expect.stringMatching(/Z$/), verifiedAt: null, lastError: null };
    expect(await ask(address)).toEqual(pending);
    await expect(sendFrom(address)).rejects.toThrow('FAILED_PRECONDITION');
    const url = await link(address);
    for (const method of ['GET', 'HEAD', 'GET']) expect((await fetch(url, { method })).status).toBe(200);
    expect(await identity(address)).toEqual(pending);
    await expect(sendFrom(address)).rejects.toThrow('FAILED_PRECONDITION');
    const answer = await fetch(url, { method: 'POST', body: new URLSearchParams() });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('Thank you');
    expect(await identity(address)).toMatchObject({ status: 'VERIFIED', verifiedAt: expect.stringMatching(/Z$/) });
    const to = someone();
    await email.send({ to: { address: to }, from: { address, name: 'Boss' } });
    expect((await email.mail.to(to))[0]!.parsed.from).toEqual({ address, name: 'Boss' });
    expect((await email.mail.to(to))[0]!.from).toBe(address);
  });

  it('is not needed for the default sender, which a query shows', async () => {
    const { defaultSender } = await email.api.ask('{defaultSender{address name}}');
    const to = someone();
    await email.send({ to: { address: to } });
    expect((await email.mail.to(to))[0]!.parsed.from).toEqual({ address: defaultSender.address, name: defaultSender.name ?? '' });
  });

  it('gets a page that names the tenant, runs no script and loads nothing', async () => {
    const name = `<script>alert(1)</script> & "Söhne" ${randomUUID()}`;
    const api = await email.server.api('email', await email.server.createKey(undefined, name));
    const address = someone();
    await api.ask(VERIFY, { address });
    const page = await fetch(await link(address));
    const html = await page.text();
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Söhne&quot;');
    expect(html).toContain(address);
    expect(html).toContain('<form method="post">');
    expect(html).not.toMatch(/<script|src=|href=|url\(/);
    const mail = (await email.mail.to(address))[0]!.parsed.html!;
    const [, title] = /<h1>(.*)<\/h1>/.exec(html)!;
    const [, look] = /body\{(.*?)\}/.exec(html)!;
    const [, button] = /button\{(.*?)\}/.exec(html)!;
    expect(mail).toContain(`<h1>${title}</h1>`);
    expect(mail).toContain(`<div style="${look}">`);
    expect(mail).toMatch(
      new RegExp(`<a href="${await link(address)}" style="${button!.replaceAll('.', '\\.')};`.replaceAll('?', '\\?')),
    );
    expect(mail).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Söhne&quot;');
    expect(mail).not.toMatch(/<script|src=|url\(/);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });

  it('shows the result when the page is reloaded, the button pressed again or the link opened later', async () => {
    const address = someone();
    await ask(address);
    const url = await link(address);
    const answers = await Promise.all([1, 2, 3].map(() => fetch(url, { method: 'POST' })));
    const { verifiedAt } = await identity(address);
    const database = allRowsOf('only time ends a link', email.server);
    await database.emailIdentity.updateMany({ where: { address }, data: { tokenExpiresAt: new Date() } });
    answers.push(await fetch(url), await fetch(url, { method: 'POST' }));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      const html = await answer.text();
      expect(html).toContain('It is done: ');
      expect(html).not.toContain('<form');
    }
    expect(await identity(address)).toMatchObject({ status: 'VERIFIED', verifiedAt });
  });

  it('is PENDING with the cause while its mail is deferred, FAILED once it is refused, and can be requested again', async () => {
    const address = someone();
    email.mail.recipients.set(address, 450);
    const pending = await ask(address);
    const until = async (is: (one: any) => boolean) => {
      for (;;) {
        const one = await identity(address);
        if (is(one)) return one;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const waiting = await until(({ lastError }) => lastError !== null);
    expect(waiting).toEqual({ ...pending, lastError: expect.stringContaining(`${address}: the mail server responded: 450 `) });
    email.mail.recipients.set(address, 550);
    await email.passTime();
    const failed = { ...pending, status: 'FAILED', lastError: expect.stringContaining(' 550 ') };
    expect(await until(({ status }) => status === 'FAILED')).toEqual(failed);
    expect((await email.api.ask(DELETE, { address })).deleteEmailIdentity).toEqual(failed);
    await ask(address);
    await until(({ status }) => status === 'FAILED');
    await expect(sendFrom(address)).rejects.toThrow('FAILED_PRECONDITION');
    email.mail.recipients.delete(address);
    expect(await ask(address)).toMatchObject({ status: 'PENDING', lastError: null });
    await fetch(await link(address), { method: 'POST' });
    expect(await identity(address)).toMatchObject({ status: 'VERIFIED', lastError: null });
  });

  it('has a link that is valid for 24 hours or until the next link; other links show a page', async () => {
    const [replaced, late] = [someone(), someone()];
    for (const address of [replaced, late]) await ask(address);
    const links = await Promise.all([replaced, late].map((address) => link(address)));
    const post = async (url: string) => {
      const { status, headers } = await fetch(url, { method: 'POST' });
      expect(headers.get('content-type')).toContain('text/html');
      return status;
    };
    await ask(replaced);
    expect(await post(links[0]!)).toBe(404);
    const fresh = await link(replaced, 2);
    expect(await post(fresh)).toBe(200);
    const database = allRowsOf('only time ends a link', email.server);
    await database.emailIdentity.updateMany({ where: { address: late }, data: { tokenExpiresAt: new Date() } });
    expect(await post(links[1]!)).toBe(410);
    expect((await fetch(links[1]!)).status).toBe(410);
    expect(await identity(late)).toMatchObject({ status: 'PENDING' });
    for (const token of ['', '?token=', '?token=x', '?token=a&token=b']) {
      expect(await post(links[0]!.replace(/\?.*/, token))).toBe(404);
    }
  });

  it('is verified for one tenant and one spelling, in any case of the domain', async () => {
    const address = someone();
    await ask(address.replace('example', 'EXAMPLE'));
    await fetch(await link(address), { method: 'POST' });
    const other = await email.another();
    await expect(sendFrom(address, other)).rejects.toThrow('FAILED_PRECONDITION');
    expect(await identity(address, other)).toBeUndefined();
    await expect(sendFrom(address.toUpperCase())).rejects.toThrow('FAILED_PRECONDITION');
    await expect(sendFrom(`x${address}`)).rejects.toThrow('FAILED_PRECONDITION');
    await sendFrom(address.replace('example.com', 'Example.COM'));
  });

  it('stays VERIFIED when it is requested again, and gets no further mail', async () => {
    const address = someone();
    await ask(address);
    await fetch(await link(address), { method: 'POST' });
    expect(await ask(address)).toMatchObject({ status: 'VERIFIED' });
    expect(email.mail.mails.filter(({ to }) => to.includes(address))).toHaveLength(1);
  });

  it('gets at most 5 of these mails a day over all tenants, even concurrently', async () => {
    const address = someone();
    const other = await email.another();
    const answers = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => ask(address, index % 2 ? email : other)));
    const refusals = answers.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(refusals).toHaveLength(3);
    for (const refusal of refusals) expect(refusal).toContain('RATE_LIMITED');
    expect(await email.mail.to(address, 5)).toHaveLength(5);
  });

  it('is one mailbox whatever its letter case and tag, counted exactly over all tenants and nodes', async () => {
    const [local, domain] = someone().split('@');
    const spellings = ['', '+a', '+b', '+c+d', '+A'].flatMap((tag) => [`${local}${tag}@${domain}`, `${local!.toUpperCase()}${tag}@${domain}`]); // prettier-ignore
    // Both nodes are in this process. The second one opens the database on its event loop, so nothing of the first may be waiting there.
    const first = await Email.start();
    const node = await TestServer.start(first.server.settings);
    const other = await first.another();
    const onNode = new Api(node.address, 'email', other.api.key);
    const answers = await Promise.all(
      spellings.map((address, index) => [first.api, other.api, onNode][index % 3]!.send(VERIFY, { address })),
    );
    await node.app.close();
    await first.stop();
    const refusals = answers.flatMap(({ errors }) => errors ?? []);
    expect(refusals.map(({ extensions }) => extensions.code)).toEqual(Array(5).fill('RATE_LIMITED'));
    for (const { message } of refusals) expect(message).toMatch(/^The mailbox of .* retry from \d{4}-\d\d-\d\dT00:00:00.000Z$/);
  });

  it('is one of at most 100 requests of a tenant a day; refused ones and other tenants do not count', async () => {
    const busy = await email.another();
    const refused = someone();
    for (let asked = 0; asked < 100; asked += 10) await Promise.all(Array.from({ length: 10 }, () => ask(someone(), busy)));
    for (let again = 0; again < 6; again++) {
      expect(await busy.api.refusal(VERIFY, { address: refused })).toMatchObject({
        code: 'RATE_LIMITED',
        message: expect.stringMatching(/^This tenant has requested 100 .* retry from \d{4}-\d\d-\d\dT00:00:00.000Z$/),
      });
    }
    expect(await ask(refused)).toMatchObject({ status: 'PENDING' });
    const database = allRowsOf('only time begins a new day', email.server);
    await database.emailValidationTotal.updateMany({ where: { mails: 100 }, data: { day: '2026-01-01' } });
    expect(await ask(refused, busy)).toMatchObject({ status: 'PENDING' });
  });

  it('gets no mail in the name of somebody else: a tenant whose name contains an address is refused', async () => {
    for (const name of ['support@bank.example', 'Bank (support＠bank.example)', 'support\u200b@bank.example']) {
      const api = await email.server.api('email', await email.server.createKey(undefined, `${name} ${randomUUID()}`));
      const refusal = await api.refusal(VERIFY, { address: someone() });
      expect(refusal).toMatchObject({ code: 'FAILED_PRECONDITION', message: expect.stringContaining('support@bank.example') });
    }
  });

  it('can be deleted, and then cannot send; an unknown one is NOT_FOUND', async () => {
    const address = someone();
    await ask(address);
    const url = await link(address);
    await fetch(url, { method: 'POST' });
    expect((await email.api.ask(DELETE, { address })).deleteEmailIdentity).toMatchObject({ address, status: 'VERIFIED' });
    await expect(sendFrom(address)).rejects.toThrow('FAILED_PRECONDITION');
    expect((await fetch(url)).status).toBe(404);
    expect(await email.api.refusal(DELETE, { address })).toMatchObject({ code: 'NOT_FOUND' });
    for (const mutation of [VERIFY, DELETE]) {
      expect(await email.api.refusal(mutation, { address: 'a@b@c\n' })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'address',
      });
    }
  });

  it('does not appear in messages, and its tokens are in no log and no table', async () => {
    const own = await email.another();
    const address = someone();
    await ask(address, own);
    const token = (await link(address)).split('=')[1]!;
    expect((await own.page()).items).toEqual([]);
    await fetch(await link(address));
    expect(email.server.logLines.join('')).not.toContain(token);
    const database = allRowsOf('no API shows the mail with the link', email.server);
    const holds = { OR: [{ text: { contains: token } }, { html: { contains: token } }] };
    while ((await database.email.count({ where: holds })) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await database.emailIdentity.count({ where: { tokenHash: token } })).toBe(0);
  });
});
