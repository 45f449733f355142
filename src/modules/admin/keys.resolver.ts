import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { NewKey as MadeKey, StoredKey } from '../../common/auth/api-keys.service.js';
import type { Caller } from '../../common/auth/caller.js';
import { AccessByScope } from '../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../common/graphql/access/graphql-context.js';
import { Limit, NextToken } from '../../common/lists/page-of.js';
import { KeyAdministrationService } from './key-administration.service.js';
import { CreateKeyInput, RotateKeyInput } from './admin.inputs.js';
import { Key, KeysResult, NewKey } from './key.model.js';
import { Cheap } from '../../common/scheduling/work-class.js';
import { MAX_KEY_NAME, REVOKED_WITHIN_MS } from '../../common/auth/api-key.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../common/lists/page.js';
import { asCount, asSeconds } from '../../common/base/amounts.js';

const nullable = true;
const NAME = `1 to ${asCount(MAX_KEY_NAME)} characters, no control characters; null or left out: the key has no name.`;

@Resolver(() => Key)
@AccessByScope('admin')
export class KeysResolver {
  constructor(private readonly administration: KeyAdministrationService) {}

  @Query(() => KeysResult, {
    nullable,
    description:
      `The keys of a tenant in the order of their creation, also ended ones. limit is 1 to ${asCount(MAX_LIMIT)}, ` +
      `${asCount(DEFAULT_LIMIT)} unless given. NOT_FOUND for an unknown tenant.`,
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
      'Creates a key and shows its secret, once. BAD_USER_INPUT for an unknown entry, and for those of admin-api; NOT_FOUND ' +
      'for an unknown tenant; FAILED_PRECONDITION while the tenant is being deleted.',
  })
  async createKey(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The key to create.' }) input: CreateKeyInput,
  ): Promise<NewKey> {
    return toNewKey(await this.administration.create(caller, input));
  }

  @Cheap()
  @Mutation(() => NewKey, {
    nullable,
    description:
      'Creates a key with the tenant, name and scope of another, which ends after the overlap, and shows the new secret, once. ' +
      'NOT_FOUND for an unknown id; FAILED_PRECONDITION for a key that is revoked or expired; CONFLICT when it was changed at ' +
      'the same time.',
  })
  async rotateKey(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The key to replace.' }) input: RotateKeyInput,
  ): Promise<NewKey> {
    return toNewKey(await this.administration.rotate(caller, input));
  }

  @Cheap()
  @Mutation(() => Key, {
    nullable,
    description: 'Sets the name of a key, also of an ended one. A repeat changes nothing. NOT_FOUND for an unknown id.',
  })
  async renameKey(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the key.' }) id: string,
    @Args('name', { type: () => String, nullable, description: NAME }) name: string | null,
  ): Promise<Key> {
    return toKey(await this.administration.rename(caller, id, name));
  }

  @Cheap()
  @Mutation(() => Key, {
    nullable,
    description: `Ends a key on every node within ${asSeconds(REVOKED_WITHIN_MS)} s. A repeat changes nothing. NOT_FOUND for an unknown id.`,
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
