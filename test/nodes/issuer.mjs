// An OpenID Connect issuer, the package oidc-provider, whose users and faults a test sets.
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

const CLIENT_ID = 'studio';
const CLIENT_SECRET = 'secret-of-studio';

export class TestIssuer {
  /** Claims of each user, by login. Any other user has none. */
  /** @type {Record<string, object>} */
  people = {};
  /** Whether requests get no answer. */
  isSilent = false;
  /**
   * Changes each ID token: replaces claims, and signs with the key.
   * @type {((claims: any) => { claims?: object, key?: any, header?: object }) | undefined}
   */
  forge;
  /** @type {string[]} */
  requests = [];

  url = '';
  claimsInToken = true;

  static async start({ claimsInToken = true } = {}) {
    const issuer = new TestIssuer();
    issuer.claimsInToken = claimsInToken;
    issuer.server = createServer((request, response) => {
      issuer.requests.push(request.url);
      if (!issuer.isSilent) issuer.handle(request, response);
    });
    await new Promise((resolve) => issuer.server.listen(0, 'localhost', resolve));
    issuer.url = `http://localhost:${issuer.server.address().port}`;
    await issuer.rotateKeys();
    return issuer;
  }

  /** Settings of a server whose people sign in here. */
  settings(roles = 'groups') {
    return { OIDC_ISSUER: this.url, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: CLIENT_SECRET, OIDC_ROLES: roles };
  }

  /** Signs with a new key from now on, under a new id; the former one is no longer published. */
  async rotateKeys() {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const key = { ...(await exportJWK(privateKey)), kid: `key-${Date.now()}-${Math.random()}`, alg: 'RS256', use: 'sig' };
    this.signing = { privateKey, kid: key.kid };
    const provider = new Provider(this.url, configurationOf(this, key));
    for (const check of ['redirectUriAllowed', 'postLogoutRedirectUriAllowed']) provider.Client.prototype[check] = () => true;
    provider.use(async (context, next) => {
      await next();
      const { body } = context;
      if (context.path !== '/token' || !body?.id_token || !this.forge) return;
      const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url'));
      const { claims: changed = {}, key: other, header = {} } = this.forge(claims);
      const unsigned =
        header.alg === 'none' &&
        [header, { ...claims, ...changed }].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
      context.body = {
        ...body,
        id_token: unsigned
          ? `${unsigned.join('.')}.`
          : await new SignJWT({ ...claims, ...changed })
              .setProtectedHeader({ alg: 'RS256', kid: this.signing.kid, ...header })
              .sign(other ?? this.signing.privateKey),
      };
    });
    this.handle = provider.callback();
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function configurationOf(issuer, key) {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: ['http://localhost/session/callback'],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['test'] },
    claims: { openid: ['sub'], profile: ['name', 'groups'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: !issuer.claimsInToken,
    ttl: { Session: 3_600, Interaction: 600, Grant: 3_600, AccessToken: 600, IdToken: 600 },
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...issuer.people[accountId] }) }),
    // a person who signs in is not asked to consent
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  };
}
