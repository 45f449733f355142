import { scopeIn, tenantsOf } from '../../src/common/auth/roles.js';
import { Config } from '../../src/common/config/config.js';
import { ADMIN_TENANT } from '../../src/common/tenants/tenant-names.js';
import { rolesOf } from '../../src/people/issuer.js';

const REQUIRED = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'studio', OIDC_ROLES: 'groups' };
const read = (settings: Record<string, string>) => Config.read({ ...REQUIRED, ...settings }).oidc!;

describe('the settings of people', () => {
  it('are none without an issuer', () => {
    expect(Config.read({}).oidc).toBeUndefined();
  });

  it.each([
    ['a client without an issuer', { OIDC_ISSUER: '' }, 'need OIDC_ISSUER'],
    ['an issuer without a client', { OIDC_CLIENT_ID: '' }, 'needs OIDC_CLIENT_ID and OIDC_ROLES'],
    ['an issuer without roles', { OIDC_ROLES: '' }, 'needs OIDC_CLIENT_ID and OIDC_ROLES'],
    ['an issuer over http', { OIDC_ISSUER: 'http://login.example.com' }, 'OIDC_ISSUER must be the https URL'],
    [
      'an issuer that only begins like localhost',
      { OIDC_ISSUER: 'http://localhost.example.com' },
      'OIDC_ISSUER must be the https URL',
    ],
    ['an issuer with a query', { OIDC_ISSUER: 'https://login.example.com?a=b' }, 'OIDC_ISSUER must be the https URL'],
    ['sessions over http', { PUBLIC_URL: 'http://platform.example.com' }, 'PUBLIC_URL must begin with https://'],
    ['roles without a claim', { OIDC_ROLES: 'team=editor:acme' }, 'OIDC_ROLES must be CLAIM'],
    ['an unknown role', { OIDC_ROLES: 'groups,team=admin:acme' }, 'OIDC_ROLES must be CLAIM'],
    ['a role without a tenant', { OIDC_ROLES: 'groups,team=editor' }, 'OIDC_ROLES must be CLAIM'],
    ['an operator of one tenant', { OIDC_ROLES: 'groups,team=operator:acme' }, 'OIDC_ROLES must be CLAIM'],
    ['a value that is no percent-encoding', { OIDC_ROLES: 'groups,%zz=editor:acme' }, 'OIDC_ROLES must be CLAIM'],
  ])('refuse %s', (_, settings, message) => {
    expect(() => read(settings as Record<string, string>)).toThrow(message);
  });

  it.each(['http://localhost:8080/realms/a', 'http://127.0.0.1', 'http://[::1]:80/x', 'https://10.0.0.1/v2.0'])(
    'accept the issuer %s',
    (issuer) => {
      expect(read({ OIDC_ISSUER: issuer }).issuer).toBe(issuer);
    },
  );
});

describe('a claim', () => {
  const roles = (setting: string, claims: object) => rolesOf({ ...claims }, read({ OIDC_ROLES: setting }).roleClaim);

  it('has roles as values, of which only well-formed ones count', () => {
    const values = ['editor:acme', 'editor:acme', 'reader:a:b', 'operator:*', 'operator:acme', 'admin:acme', 'editor:', 7, null];
    expect(roles('groups', { groups: values })).toEqual(['editor:acme', 'reader:a:b', 'operator:*']);
    expect(roles('groups', { groups: 'reader:acme' })).toEqual(['reader:acme']);
  });

  it('gives the roles of its values, and those alone, if pairs are set', () => {
    const setting = 'groups,a%2Cteam=editor:acme,a%2Cteam=reader:b%3Dc,ops=operator:*';
    expect(roles(setting, { groups: ['a,team', 'operator:*', '__proto__'] })).toEqual(['editor:acme', 'reader:b=c']);
  });

  it('is found by its name, also one with dots, and else by its path', () => {
    expect(roles('https://example.com/roles', { 'https://example.com/roles': ['reader:a'] })).toEqual(['reader:a']);
    expect(roles('realm_access.roles', { realm_access: { roles: ['reader:a'] } })).toEqual(['reader:a']);
    expect(roles('constructor.name', {})).toBeUndefined();
  });

  it('is an email address only if it is verified', () => {
    const setting = 'email,ann%40example.com=editor:acme';
    const email = 'ann@example.com';
    expect(roles(setting, { email, email_verified: true })).toEqual(['editor:acme']);
    for (const verified of [false, 'true', undefined]) expect(roles(setting, { email, email_verified: verified })).toEqual([]);
  });
});

describe('roles', () => {
  it('add up in a tenant, and give nothing in another or for administration', () => {
    expect(scopeIn(['reader:acme', 'editor:acme'], 'acme')).toContain('email-api:mutation:*');
    expect(scopeIn(['reader:*', 'editor:acme'], 'beta')).not.toContain('email-api:mutation:*');
    expect(scopeIn(['editor:acme'], 'beta')).toBeUndefined();
    expect(scopeIn([`editor:${ADMIN_TENANT}`, 'editor:*'], ADMIN_TENANT)).toBeUndefined();
    expect(scopeIn(['operator:*'], ADMIN_TENANT)).toContain('admin-api:mutation:*');
    expect(scopeIn(['operator:*'], 'acme')).not.toContain('admin-api:query:*');
    expect(tenantsOf(['editor:acme', 'reader:acme', 'reader:b'])).toEqual(['acme', 'b']);
    expect(tenantsOf(['editor:acme', 'reader:*'])).toBeUndefined();
  });
});
