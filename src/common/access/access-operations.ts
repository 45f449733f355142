import type { Type } from '@nestjs/common';
import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Caller } from '../auth/caller.js';
import { SERVICES } from '../auth/scopes.js';
import { AccessByScope } from '../graphql/access/access.guard.js';
import { CurrentCaller } from '../graphql/access/graphql-context.js';
import { Cheap } from '../scheduling/work-class.js';
import { asSeconds } from '../base/amounts.js';
import { DENIED_WITHIN_MS } from '../tokens/cutoffs.queries.js';
import { AccessService } from './access.service.js';
import { accessInputs, type AccessTokenInput, type DenyAccessInput } from './access-token.inputs.js';
import { type AccessDenial, accessTypes, type CreatedToken } from './access-token.model.js';

const nullable = true;

const DESCRIPTIONS = {
  createAccessToken:
    'Creates a token for a browser or a device with a part of the rights of the key. It is not stored, and ends with its key: when that ' +
    'is revoked, rotated, or loses rights. URLs and connections obtained with it keep their own lifetime. FORBIDDEN for an entry that ' +
    'the key lacks, and for a token or a person as caller. BAD_USER_INPUT for an entry of a service that the bounds exclude, and for a token that ' +
    'would be too long: use * in the scope.',
  denyAccess:
    `Ends all tokens created until now by a key or for a recipient, on every node within ${asSeconds(DENIED_WITHIN_MS)} s. ` +
    'Connections opened with them stay: ' +
    'disconnectRecipient closes those. Logged in the audit log. FORBIDDEN for a token as caller; NOT_FOUND for an unknown key.',
};

/** Creates the operations on access tokens of a service, for the providers of its module. */
export function accessOperations({ service, marker }: { service: (typeof SERVICES)[number]; marker: Type }): Type {
  const [types, inputs] = [accessTypes(marker), accessInputs(marker)];

  @Resolver()
  @AccessByScope(service)
  class AccessResolver {
    constructor(private readonly access: AccessService) {}

    @Cheap()
    @Mutation(() => types.AccessToken, { nullable, description: DESCRIPTIONS.createAccessToken })
    createAccessToken(
      @CurrentCaller() caller: Caller,
      @Args('input', { type: () => inputs.AccessTokenInput, description: 'Rights and lifetime of the token.' })
      input: AccessTokenInput,
    ): Promise<CreatedToken> {
      return this.access.create(caller, inputs, input);
    }

    @Cheap()
    @Mutation(() => types.AccessDenial, { nullable, description: DESCRIPTIONS.denyAccess })
    denyAccess(
      @CurrentCaller() caller: Caller,
      @Args('input', { type: () => inputs.DenyAccessInput, description: 'Tokens to end.' }) input: DenyAccessInput,
    ): Promise<AccessDenial> {
      return this.access.deny(caller, inputs, input);
    }
  }
  return AccessResolver;
}
