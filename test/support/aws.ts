import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const { TEST_S3_ACCESS_KEY = '', TEST_S3_SECRET_KEY = '' } = process.env;

/** Endpoints that respond like those of AWS, and issue temporary keys of the S3 test server. */
export class CredentialSources {
  /** Lifetime of the next credentials. */
  lifetimeMs = 3_600_000;
  /** Paths of granted requests. */
  readonly granted: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<CredentialSources> {
    const sources: CredentialSources = new CredentialSources(
      createServer((request, response) => void sources.answer(request, response)),
    );
    await new Promise<void>((resolve) => sources.server.listen(0, '127.0.0.1', resolve));
    return sources;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    const body = await text(request);
    const end = (status: number, content = '') => {
      if (status === 200) this.granted.push(url);
      response.writeHead(status).end(content);
    };
    const keys = { AccessKeyId: TEST_S3_ACCESS_KEY, SecretAccessKey: TEST_S3_SECRET_KEY };
    const expiration = new Date(Date.now() + this.lifetimeMs).toISOString();
    const session = { ...keys, Token: 'a session/token+=', Expiration: expiration };
    if (url === '/container') return end(headers.authorization === 'pod' ? 200 : 401, JSON.stringify(session));
    if (method === 'PUT' && url === '/latest/api/token') return end(200, 'machine');
    if (url.startsWith('/latest/meta-data/iam/security-credentials/')) {
      if (headers['x-aws-ec2-metadata-token'] !== 'machine') return end(401);
      return end(200, url.endsWith('/role') ? JSON.stringify({ Code: 'Success', Type: 'AWS-HMAC', ...session }) : 'role');
    }
    const asked = new URLSearchParams(body);
    const isRight = asked.get('Action') === 'AssumeRoleWithWebIdentity' && asked.get('WebIdentityToken') === 'identity';
    if (method !== 'POST' || !isRight) return end(403);
    end(
      200,
      `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>
      <Credentials><AccessKeyId>${keys.AccessKeyId}</AccessKeyId><SecretAccessKey>${keys.SecretAccessKey}</SecretAccessKey>
      <SessionToken>a session/token+=</SessionToken><Expiration>${expiration}</Expiration></Credentials>
      </AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
    );
  }
}
