import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLogger } from '../../src/common/logging/logger.js';
import { Config } from '../../src/common/config/config.js';
import { SmtpMailTransport } from '../../src/modules/email/transport/smtp-mail-transport.js';
import { MAIL, MailServer } from '../support/smtp.js';

describe('the login to the mail server', () => {
  const tokens = new Set<string>();
  let server: MailServer;
  let endpoint: Server;
  let transport: SmtpMailTransport;
  let asked: URLSearchParams[];
  let lifetimeSeconds: number;
  beforeEach(async () => {
    asked = [];
    lifetimeSeconds = 3_600;
    tokens.clear();
    server = await MailServer.start({ tokens });
    // RFC 6749, section 6.
    endpoint = createServer(async (request, response) => {
      asked.push(new URLSearchParams(await text(request)));
      const token = `token-${asked.length}`;
      const isRight = asked.at(-1)!.get('refresh_token') === 'refresh';
      if (isRight) tokens.add(token);
      const answer = isRight ? { access_token: token, expires_in: lifetimeSeconds } : { error: 'invalid_grant' };
      response.writeHead(isRight ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    transport.close();
    await server.stop();
    endpoint.closeAllConnections();
    endpoint.close();
  });

  const open = (settings: Record<string, string> = {}) => {
    const { port } = endpoint.address() as AddressInfo;
    const config = Config.read({
      SMTP_URL: `smtp://user%40example.com@127.0.0.1:${server.port}`,
      SMTP_TLS: 'off',
      SMTP_OAUTH_TOKEN_URL: `http://127.0.0.1:${port}/token`,
      SMTP_OAUTH_CLIENT_ID: 'client',
      SMTP_OAUTH_CLIENT_SECRET: 'secret',
      SMTP_OAUTH_REFRESH_TOKEN: 'refresh',
      EMAIL_FROM: 'a@sender.example',
      ...settings,
    });
    transport = new SmtpMailTransport(config.smtp!, createLogger({ logLevel: 'silent' }));
    return transport;
  };
  const send = () => transport.send(MAIL, new AbortController().signal);

  it('uses a token of the endpoint, requested once for many mails', async () => {
    open();
    expect([await send(), await send(), await send()]).toEqual([[], [], []]);
    expect(server.mails).toHaveLength(3);
    const request = { grant_type: 'refresh_token', client_id: 'client', client_secret: 'secret', refresh_token: 'refresh' };
    expect(asked.map((form) => Object.fromEntries(form))).toEqual([request]);
  });

  it('uses a new token if the old one is no longer accepted', async () => {
    open();
    await send();
    tokens.clear();
    server.dropAll();
    expect(await send()).toEqual([]);
    expect(asked.length).toBeGreaterThan(1);
  });

  it('is deferred, with the reason, while there is no token', async () => {
    open({ SMTP_OAUTH_REFRESH_TOKEN: 'another' });
    await expect(send()).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'the mail server requires an OAuth token, but none is configured',
    });
    expect(server.mails).toHaveLength(0);
  });

  it('sends no token over a connection without TLS unless told to', async () => {
    open({ SMTP_TLS: '' });
    await expect(send()).rejects.toMatchObject({ kind: 'unreachable' });
    expect(server.passwords).toEqual([]);
    expect(server.mails).toHaveLength(0);
  });
});
