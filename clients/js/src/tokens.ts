import { ForbiddenError } from './errors.js';
import type { AccessDenial, AccessToken, AccessTokenInput, DenyAccessInput } from './generated/files.js';
import { SERVICES, type ServiceName } from './generated/services.js';
import type { CallOptions, Transport } from './transport.js';

/** Access tokens for pages and devices. */
export interface Tokens {
  /** Creates a token with a part of the rights of the key. The key needs `mutation:createAccessToken` of a service in the scope. */
  create(input: AccessTokenInput, call?: CallOptions): Promise<AccessToken>;
  /** Ends all tokens of a key or for a recipient, within 5 s. The key needs `mutation:denyAccess` of any service. */
  deny(input: DenyAccessInput, call?: CallOptions): Promise<AccessDenial>;
}

const CREATE =
  'mutation($input: AccessTokenInput!) { createAccessToken(input: $input) { token id expiresAt scope recipient filePrefix origins } }';
const DENY = 'mutation($input: DenyAccessInput!) { denyAccess(input: $input) { keyId recipient deniedAt } }';
const ALL = Object.values(SERVICES).filter((service) => service !== 'admin');

export function tokensOf(transport: Transport): Tokens {
  return {
    async create(input, call = {}) {
      const own = ALL.filter((service) => [input.scope].flat().some((entry) => entry.startsWith(`${service}-api:`)));
      const { createAccessToken } = await sendToFirst(own.length > 0 ? own : ALL, CREATE, input, call);
      return createAccessToken as AccessToken;
    },
    async deny(input, call = {}) {
      return (await sendToFirst(ALL, DENY, input, call)).denyAccess as AccessDenial;
    },
  };

  /** Every service has the operation; the first that the key may use runs it. */
  async function sendToFirst([service, ...others]: ServiceName[], query: string, input: object, call: CallOptions) {
    try {
      return await transport.send(service!, { query, variables: { input }, isRepeatable: true }, call);
    } catch (error) {
      if (others.length > 0 && error instanceof ForbiddenError) return sendToFirst(others, query, input, call);
      throw error;
    }
  }
}
