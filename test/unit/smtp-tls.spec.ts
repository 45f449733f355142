import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '../../src/common/config/config.js';
import { createLogger } from '../../src/common/logging/logger.js';
import { notTaken } from '../../src/modules/email/transport/smtp-errors.js';
import { SmtpMailTransport } from '../../src/modules/email/transport/smtp-mail-transport.js';
import { newAuthority, newCertificate } from '../support/certificates.js';
import { MAIL, MailServer } from '../support/smtp.js';

const DAY_MS = 24 * 3_600_000;
type Behaviour = MailServer['behaviour'];

/** Sends one mail with the transport that these settings make. */
async function send(settings: Record<string, string>): Promise<void> {
  const { smtp } = Config.read({ EMAIL_FROM: 'a@sender.example', ...settings });
  const transport = new SmtpMailTransport(smtp!, createLogger({ logLevel: 'silent' }));
  try {
    expect(await transport.send(MAIL, new AbortController().signal)).toEqual([]);
  } finally {
    transport.close();
  }
}

describe('the connection to the mail server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'smtp-tls-'));
  const authority = newAuthority();
  const issued = newCertificate({ issuer: authority });
  const servers: { stop: () => Promise<void> }[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));
  afterAll(() => rmSync(folder, { recursive: true }));

  const start = async (behaviour: Behaviour = {}) => {
    const server = await MailServer.start(behaviour);
    servers.push(server);
    return server;
  };
  const trusting = (certificate: string) => {
    const file = join(folder, 'trusted.pem');
    writeFileSync(file, certificate);
    return { SMTP_CA_FILE: file };
  };
  const withLogin = (url: string) => url.replace('://', '://user:s3cret@');

  it.each([
    ['issued by an authority that it knows', issued, authority.cert],
    ['that it knows itself', issued, issued.cert],
    ['of its own making that it knows', newCertificate(), undefined],
  ])('is encrypted for a certificate %s, with SMTP_CA_FILE, by STARTTLS and from the start', async (_, certificate, trusted) => {
    for (const fromStart of [false, true]) {
      const server = await start({ certificate, fromStart, logins: true });
      await send({ SMTP_URL: withLogin(server.url), ...trusting(trusted ?? certificate.cert) });
      expect(server.mails.map(({ isSecure }) => isSecure)).toEqual([true]);
      expect(server.passwords).toEqual([{ password: 's3cret', isSecure: true }]);
    }
  });

  it.each([
    ['is self-signed', newCertificate(), undefined],
    ['was issued by an authority that is not trusted', issued, undefined],
    ['was issued by an authority that is not trusted', issued, newAuthority('Another authority').cert],
    ['is not trusted \\(CERT_SIGNATURE_FAILURE\\)', issued, newAuthority().cert],
    [
      'is for another host name than the one in SMTP_URL',
      newCertificate({ names: ['mx.inner.example'], issuer: authority }),
      authority.cert,
    ],
    ['has expired', newCertificate({ until: new Date(Date.now() - 1_000), issuer: authority }), authority.cert],
    ['is not valid yet', newCertificate({ from: new Date(Date.now() + DAY_MS / 2), issuer: authority }), authority.cert],
  ])(
    'is refused when the certificate %s, with the reason; only the setting off continues',
    async (cause, certificate, trusted) => {
      for (const fromStart of [false, true]) {
        const server = await start({ certificate, fromStart, logins: true });
        const own = trusted === undefined ? {} : trusting(trusted);
        const settings: Record<string, string>[] = [
          { SMTP_URL: withLogin(server.url) },
          { SMTP_URL: server.url, SMTP_TLS: 'opportunistic' },
        ];
        for (const one of settings) {
          await expect(send({ ...one, ...own })).rejects.toMatchObject({
            message: expect.stringMatching(`^the certificate of the mail server ${cause}(;|$)`),
            kind: 'unreachable',
          });
        }
        expect([server.mails, server.passwords]).toEqual([[], []]);
        if (fromStart) continue;
        await send({ SMTP_URL: server.url, SMTP_TLS: 'off' });
        expect(server.mails.map(({ isSecure }) => isSecure)).toEqual([false]);
      }
    },
  );

  it.each([{ SMTP_TLS: '' }, { SMTP_TLS: 'required' }, { SMTP_TLS: 'opportunistic' }])(
    'sends no password if the server offers no TLS, with %j; the cause is reported',
    async (settings) => {
      const server = await start({ logins: true });
      await expect(send({ SMTP_URL: withLogin(server.url), ...settings })).rejects.toMatchObject({
        message: expect.stringMatching(/^the mail server does not offer TLS, which this service requires/),
        kind: 'unreachable',
      });
      expect([server.mails, server.passwords]).toEqual([[], []]);
    },
  );

  it('sends a password without TLS when SMTP_TLS is off, even if TLS is offered', async () => {
    for (const certificate of [undefined, newCertificate()]) {
      const server = await start({ logins: true, certificate });
      await send({ SMTP_URL: withLogin(server.url), SMTP_TLS: 'off' });
      expect(server.passwords).toEqual([{ password: 's3cret', isSecure: false }]);
    }
  });

  it('needs no TLS without a password, uses it if offered, and requires it when set', async () => {
    const plain = await start();
    await send({ SMTP_URL: plain.url });
    await expect(send({ SMTP_URL: plain.url, SMTP_TLS: 'required' })).rejects.toThrow('does not offer TLS');
    expect(plain.mails.map(({ isSecure }) => isSecure)).toEqual([false]);
    const offering = await start({ certificate: issued });
    await send({ SMTP_URL: offering.url, ...trusting(authority.cert) });
    expect(offering.mails.map(({ isSecure }) => isSecure)).toEqual([true]);
  });

  it('names smtp:// as the fix at a port that begins without TLS', async () => {
    const server = await start();
    await expect(send({ SMTP_URL: server.url.replace('smtp', 'smtps') })).rejects.toMatchObject({
      message: expect.stringMatching(/does not speak TLS from the start.* SMTP_URL must begin with smtp:\/\/$/),
      kind: 'unreachable',
    });
  });

  it('names smtps:// as the fix at a port that expects TLS from the start: such a server says nothing', () => {
    // The error of nodemailer after the 10 s that it waits for a greeting.
    const error = Object.assign(new Error('Greeting never received'), {
      code: 'ETIMEDOUT',
      timeoutType: 'GREETING_TIMEOUT' as const,
    });
    expect(notTaken(error, [])).toMatchObject({
      message: expect.stringMatching(/did not greet in time.* SMTP_URL must begin with smtps:\/\/$/),
      kind: 'unreachable',
    });
  });

  it.each([
    [421, '4.3.2 mx-1.int.corp.example too busy', 'the mail server rejected the connection: 421 4.3.2 [host] too busy'],
    [554, '5.7.1 no service for 10.1.2.3', 'the mail server rejected the connection: 554 5.7.1 no service for [address]'],
  ])('shows a greeting of %i without internal names, and waits', async (code, text, message) => {
    const server = await start({ greeting: { code, text } });
    await expect(send({ SMTP_URL: server.url })).rejects.toMatchObject({ message, kind: 'unreachable' });
  });

  it('reports an unknown host, a closed port, and a port without a mail server', async () => {
    await expect(send({ SMTP_URL: 'smtp://no-such-host.invalid' })).rejects.toMatchObject({
      message: expect.stringMatching(/^the mail server cannot be reached: the host name of SMTP_URL/),
      kind: 'unreachable',
    });
    const gone = await MailServer.start();
    await gone.stop();
    await expect(send({ SMTP_URL: gone.url })).rejects.toMatchObject({
      message: 'the mail server cannot be reached: its port is closed',
      kind: 'unreachable',
    });
    const other = await listening((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await expect(send({ SMTP_URL: other })).rejects.toMatchObject({
      message: 'the server at SMTP_URL does not speak SMTP: HTTP/1.1 400 Bad Request',
      kind: 'unreachable',
    });
  });

  it('reports a server without EHLO where TLS is required', async () => {
    const ancient = await listening((socket) => {
      socket.write('220 hello\r\n');
      socket.on('data', () => socket.write('502 what\r\n'));
    });
    await expect(send({ SMTP_URL: ancient, SMTP_TLS: 'required' })).rejects.toMatchObject({
      message: 'the mail server does not offer TLS, which this service requires: 502 what',
      kind: 'unreachable',
    });
  });

  it('reports an aborted handshake', async () => {
    const dropping = await listening((socket) => {
      socket.write('220 hello\r\n');
      socket.on('data', (data) =>
        String(data).startsWith('EHLO') ? socket.write('250-hello\r\n250 STARTTLS\r\n') : socket.end('220 continue\r\n'),
      );
    });
    await expect(send({ SMTP_URL: dropping })).rejects.toMatchObject({
      message: 'the mail server aborted the TLS handshake',
      kind: 'unreachable',
    });
  });

  async function listening(answer: (socket: Socket) => void): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      answer(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push({ stop: () => new Promise((resolve) => server.close(() => resolve())) });
    return `smtp://127.0.0.1:${(server.address() as { port: number }).port}`;
  }
});
