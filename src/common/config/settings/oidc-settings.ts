import { z } from 'zod';
import type { Environment } from '../environment.js';

const ROLES = ['reader', 'editor', 'operator'] as const;
type RoleName = (typeof ROLES)[number];

/** Role in a tenant; in all tenants if `tenant` is `*`, as that of every operator. */
export interface Role {
  name: RoleName;
  tenant: string;
}

/** Claim that names the roles of a person. */
export interface RoleClaim {
  claim: string;
  /** Roles by value of the claim. Undefined: the values are roles themselves. */
  roles?: ReadonlyMap<string, readonly string[]>;
}

const LOOPBACK = /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|$)/;
const isSafe = (url: string): boolean => url.startsWith('https://') || LOOPBACK.test(url);

/** Parses `ROLE:TENANT`. Returns undefined for any other text, and for an operator of a single tenant: administration has no tenant. */
export function readRole(text: string): Role | undefined {
  const [, name, tenant] = /^(reader|editor|operator):(.+)$/s.exec(text) ?? [];
  if (tenant === undefined || (name === 'operator' && tenant !== '*')) return undefined;
  return { name: name as RoleName, tenant };
}

const ROLES_RULE =
  'OIDC_ROLES must be CLAIM, whose values are roles, or CLAIM,VALUE=ROLE:TENANT,…, with special characters percent-encoded; ' +
  'a role is reader:TENANT, editor:TENANT or operator:*, and * stands for all tenants';

const roleClaim = z.string().transform((text, context): RoleClaim => {
  const [claim, ...pairs] = text.split(',').map((part) => part.trim());
  try {
    if (!claim || claim.includes('=')) throw new RangeError();
    const roles = new Map<string, string[]>();
    for (const pair of pairs) {
      const [value, role] = pair.split('=').map(decodeURIComponent);
      if (!value || !role || pair.split('=').length !== 2 || !readRole(role)) throw new RangeError();
      roles.set(value, [...(roles.get(value) ?? []), role]);
    }
    return { claim: decodeURIComponent(claim), ...(pairs.length > 0 && { roles }) };
  } catch {
    context.addIssue({ code: 'custom', message: ROLES_RULE });
    return z.NEVER;
  }
});

/** Settings for people who sign in to Studio. */
export const oidcEnvironment = {
  OIDC_ISSUER: z
    .string()
    .refine((text) => isSafe(text) && URL.canParse(text) && !/[?#]/.test(text), {
      error: 'OIDC_ISSUER must be the https URL of an OpenID Connect issuer, without query; http only on localhost',
    })
    .optional()
    .describe('OpenID Connect issuer whose users may sign in to Studio (none: keys only)')
    .meta({ example: 'https://login.example.com/realms/acme' }),
  OIDC_CLIENT_ID: z
    .string()
    .optional()
    .describe('id of Studio at OIDC_ISSUER; its redirect URI is /session/callback below PUBLIC_URL (none)')
    .meta({ example: 'studio' }),
  OIDC_CLIENT_SECRET: z.string().optional().describe('secret of that client (none: a public client)'),
  OIDC_ROLES: roleClaim
    .optional()
    .describe(
      'claim with the roles of a person: reader:TENANT, editor:TENANT or operator:*, with * for all tenants; or the claim, then ' +
        'value=ROLE:TENANT,… for each value that gives a role (none)',
    )
    .meta({ example: 'groups,acme-team=editor:acme,platform-team=operator:*' }),
};

/** Issuer of people; undefined without OIDC_ISSUER. */
export function oidcSettings(env: Environment) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId = '', OIDC_CLIENT_SECRET: clientSecret, OIDC_ROLES: roles } = env;
  return issuer === undefined ? undefined : { issuer, clientId, clientSecret, roleClaim: roles ?? { claim: '' } };
}

/** Validates the settings together. Returns the error message, or undefined. */
export function faultOfOidc(env: Environment): string | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_ROLES, PUBLIC_URL } = env;
  if (!OIDC_ISSUER) {
    const isAlone = OIDC_CLIENT_ID ?? OIDC_CLIENT_SECRET ?? OIDC_ROLES;
    return isAlone && 'OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_ROLES need OIDC_ISSUER';
  }
  if (!OIDC_CLIENT_ID || !OIDC_ROLES) return 'OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_ROLES';
  if (PUBLIC_URL === undefined || isSafe(PUBLIC_URL)) return undefined;
  return 'PUBLIC_URL must begin with https:// if OIDC_ISSUER is set, since browsers send sessions to it; http only on localhost';
}
