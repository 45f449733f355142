import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { NewKey as MadeKey, StoredKey } from '../../common/auth/api-keys.service.js';
import type { Caller } from '../../common/auth/caller.js';
import { AccessByScope } from '../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../common/graphql/access/graphql-context.js';
import { Limit, NextToken } from '../../common/lists/page-of.js';
import { KeyAdministrationService } from './key-administration.service.js';
import { CreateKeyInput, RotateKeyInput, UpdateKeyInput } from './admin.inputs.js';
import { Key, KeysResult, NewKey } from './key.model.js';
import { Cheap } from '../../common/scheduling/work-class.js';
import { REVOKED_WITHIN_MS } from '../../common/auth/api-key.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../common/lists/page.js';
import { asCount, asSeconds } from '../../common/base/amounts.js';

const nullable = true;

@Resolver(() => Key)
@AccessByScope('admin')
export class KeysResolver {
  constructor(private readonly administration: KeyAdministrationService) {}

  @Query(() => KeysResult, {
    nullable,
    description:
      `Lists the keys of a tenant in creation order, including expired and revoked ones. limit is 1 to ${asCount(MAX_LIMIT)}, ` +
      `${asCount(DEFAULT_LIMIT)} by default. NOT_FOUND for an unknown tenant.`,
  })
  async keys(
    @CurrentCaller() caller: Caller,
    @Args('tenantId', { type: () => ID, description: 'Id of the tenant.' }) tenantId: string,
    @NextToken('tenantId') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<KeysResult> {
    const { items, ...page } = await this.administration.page(caller, tenantId, nextToken, limit);
    return { ...page, items: items.map(toKey) };
  }

  @Cheap()
  @Mutation(() => NewKey, {
    nullable,
    description:
      'Creates a key and returns its secret, once. BAD_USER_INPUT for an unknown entry or one of admin-api; NOT_FOUND ' +
      'for an unknown tenant; FAILED_PRECONDITION while the tenant is being deleted.',
  })
  async createKey(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'Key to create.' }) input: CreateKeyInput,
  ): Promise<NewKey> {
    return toNewKey(await this.administration.create(caller, input));
  }

  @Cheap()
  @Mutation(() => NewKey, {
    nullable,
    description:
      'Replaces a key by a new one with the same tenant, name and scope, and returns the new secret, once. The old key expires after ' +
      'the overlap. NOT_FOUND for an unknown id; FAILED_PRECONDITION for a revoked or expired key; CONFLICT after a concurrent ' +
      'change.',
  })
  async rotateKey(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'Key to replace.' }) input: RotateKeyInput,
  ): Promise<NewKey> {
    return toNewKey(await this.administration.rotate(caller, input));
  }

  @Cheap()
  @Mutation(() => Key, {
    nullable,
    description:
      `Changes name, scope and expiry of a key, on every node within ${asSeconds(REVOKED_WITHIN_MS)} s. URLs and tokens created with it ` +
      'live out their time. FORBIDDEN to add entries or extend its life without the scope of createKey; FAILED_PRECONDITION for a new ' +
      'scope or expiry of a revoked or expired key; CONFLICT after a concurrent change; NOT_FOUND for an unknown id.',
  })
  async updateKey(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the key.' }) id: string,
    @Args('input', { description: 'New values.' }) input: UpdateKeyInput,
  ): Promise<Key> {
    return toKey(await this.administration.update(caller, id, input));
  }

  @Cheap()
  @Mutation(() => Key, {
    nullable,
    description: `Revokes a key, on every node within ${asSeconds(REVOKED_WITHIN_MS)} s. Idempotent. NOT_FOUND for an unknown id.`,
  })
  async revokeKey(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the key.' }) id: string,
  ): Promise<Key> {
    return toKey(await this.administration.revoke(caller, id));
  }
}

const toKey = ({ scope, ...key }: StoredKey): Key => ({ ...key, scope: scope.split(' ') });

const toNewKey = ({ stored, secret }: MadeKey): NewKey => ({ key: toKey(stored), secret });
