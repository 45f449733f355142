import { createTransport } from 'nodemailer';
import { Api } from './support/api.js';
import { statusReport } from './support/bounce-reports.js';
import { FROM, SEND, someone } from './support/email.js';
import { dataFolder } from './support/folders.js';
import { needing, SERVICE } from './support/needs.js';
import { Deployment, freePort, type ServerProcess } from './support/process.js';
import { MailServer } from './support/smtp.js';
import { until } from './support/websockets.js';

const { TEST_REDIS_URL } = process.env;
const withRedis = needing(SERVICE.redis).it;
const BOUNCES = 'query($id:ID!){messages(filter:{id:$id}){items{recipients{bounce{kind}}}}}';

describe('a server that receives bounces', () => {
  let mail: MailServer;
  let deployment: Deployment;
  let server: ServerProcess;
  let api: Api;
  let key: string | undefined;

  const start = async (settings: Record<string, string> = {}) => {
    server = deployment.start(settings);
    const address = await server.ready();
    key ??= await server.until(/psk_\w+(?=\n)/);
    api = new Api(address, 'email', key);
  };
  const sent = async () => {
    const recipient = someone();
    const { id } = (await api.ask(SEND, { input: { to: { address: recipient }, subject: 's', textBody: 't' } })).sendMessage;
    const [{ from: to } = { from: '' }] = await mail.to(recipient);
    return { id: id as string, recipient, to };
  };
  const kindOf = async (id: string) => (await api.ask(BOUNCES, { id })).messages.items[0].recipients[0].bounce?.kind;
  const deliver = async (port: number, to: string, raw: string) => {
    const client = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
    await client.sendMail({ envelope: { from: '', to }, raw });
    client.close();
  };

  beforeAll(async () => {
    mail = await MailServer.start();
    const settings = { PORT: '0', SMTP_URL: mail.url, EMAIL_FROM: FROM, RETURN_PATH_DOMAIN: 'bounces.sender.example' };
    deployment = await Deployment.create({ ...settings, BOUNCE_HOST: '127.0.0.1' });
  });
  afterEach(() => server.stop('SIGTERM'));
  afterAll(async () => {
    await deployment.remove();
    await mail.stop();
  });

  it('reads an mbox while running, prints the result of each mail, and changes nothing the second time', async () => {
    await start();
    const [hard, full, away] = [await sent(), await sent(), await sent()];
    const forged = away.to.replace(/.(?=@)/, (last) => (last === 'a' ? 'b' : 'a'));
    const mails = [
      statusReport({ ...hard, diagnostic: 'smtp; 550 no such user\r\n From here' }),
      statusReport({ ...full, status: '5.2.2', diagnostic: 'smtp; 552 5.2.2 mailbox full' }),
      `From: ann@example.com\r\nTo: ${away.to}\r\nSubject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\nback on Monday\r\n`,
      statusReport({ ...away, to: forged }),
    ];
    const mbox = mails
      .map((text) => `From MAILER-DAEMON Wed Nov 25 10:00:00 2026\n${text.replaceAll(/^(>*From )/gm, '>$1')}\n`)
      .join('');
    const first = await deployment.fed(mbox, 'email', 'bounces');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout.split('\n')).toEqual([
      `1\tRECORDED\t${hard.id}\t${hard.recipient}\tHARD\t5.1.1`,
      `2\tRECORDED\t${full.id}\t${full.recipient}\tSOFT\t5.2.2`,
      '3\tNO_REPORT\tis not a report of a mail server',
      '4\tUNKNOWN',
    ]);
    expect([await kindOf(hard.id), await kindOf(full.id), await kindOf(away.id)]).toEqual(['HARD', 'SOFT', undefined]);
    const second = await deployment.fed(mbox, 'email', 'bounces');
    expect(second.stdout).toBe(first.stdout.replaceAll('RECORDED', 'REPEATED'));
  });

  it('accepts them on BOUNCE_PORT until it stops, and does not start if the port is taken', async () => {
    await start({ BOUNCE_PORT: '0' });
    const line = await server.until(/\{[^\n]*"receiving bounces by SMTP"[^\n]*\}/);
    const { port } = JSON.parse(line) as { port: number };
    const { id, recipient, to } = await sent();
    await deliver(port, to, statusReport({ recipient }));
    expect(await kindOf(id)).toBe('HARD');
    const other = deployment.start({ BOUNCE_PORT: String(port), DATA_DIR: dataFolder() });
    expect(await other.exited).toBe(1);
    expect(other.output).toMatch(new RegExp(`BOUNCE_PORT ${port} of 127.0.0.1 cannot be used: EADDRINUSE`));
    expect(await server.stop('SIGTERM')).toBe(0);
    await expect(deliver(port, to, statusReport({ recipient }))).rejects.toMatchObject({
      code: expect.stringMatching(/ESOCKET|ECONNREFUSED/),
    });
  });

  withRedis('shares BOUNCE_PORT among all workers', async () => {
    const port = await freePort();
    await start({ BOUNCE_PORT: String(port), WORKERS: '2', REDIS_URL: TEST_REDIS_URL! });
    await server.until(/("receiving bounces by SMTP"[^]*){2}/);
    const workers = [...server.output.matchAll(/"worker":(\d+)[^\n]*"receiving bounces by SMTP"/g)].map(([, worker]) => worker);
    expect(new Set(workers).size).toBe(2);
    const bounces = await Promise.all(Array.from({ length: 6 }, () => sent()));
    await Promise.all(bounces.map(({ to, recipient }) => deliver(port, to, statusReport({ recipient }))));
    for (const { id } of bounces) await until(async () => (await kindOf(id)) === 'HARD');
    expect(server.output.match(/"msg":"all workers serve"/g)).toHaveLength(1);
  });
});
