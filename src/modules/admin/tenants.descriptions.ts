import { CONTAINS, DEFAULT_LIMIT, MAX_LIMIT } from '../../common/lists/page.js';
import { SUSPENDED_WITHIN_MS } from '../../common/tenants/suspended-tenants.js';
import { LIMITED_WITHIN_MS } from '../../common/tenants/tenant-limits-reader.js';
import { asCount, asSeconds } from '../../common/base/amounts.js';
import { MAX_KINDS } from './tenant.model.js';

const OTHERWISE = 'NOT_FOUND for an unknown id; FAILED_PRECONDITION while the tenant is being deleted.';

/** Schema descriptions of the operations on tenants. */
export const TENANTS = {
  tenant: 'A tenant; null for an unknown id, also once its deletion has ended.',
  tenants: `Tenants in the order of their creation. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} unless given.`,
  tenantsName: 'Returns only the tenant with this whole name, case-sensitive.',
  tenantsContains: `Any part of the name, ${CONTAINS}`,
  createTenant: 'Creates a tenant, without keys. CONFLICT for a name that a tenant has, also one that is being deleted.',
  setTenantLimits:
    `Sets limits, on every node within ${asSeconds(LIMITED_WITHIN_MS)} s. Limits that are not named stay as they are, and so ` +
    `does usage over a limit. ${OTHERWISE}`,
  setTenantRetention:
    'Sets how long things are kept. If a period becomes shorter, the deletion of what is older begins within a minute and cannot ' +
    `be undone. Kinds that are not named stay as they are. ${OTHERWISE}`,
  suspendTenant:
    `Within ${asSeconds(SUSPENDED_WITHIN_MS)} s every node refuses the keys, URLs and tokens of the tenant (FORBIDDEN), and ` +
    `closes the connections of its recipients with 4403; its mails and messages wait. A repeat changes nothing. ${OTHERWISE}`,
  resumeTenant: `Undoes a suspension within ${asSeconds(SUSPENDED_WITHIN_MS)} s. A repeat changes nothing. ${OTHERWISE}`,
  deleteTenant:
    'Begins to delete a tenant with all its data, which cannot be undone. The answer comes at once, with the state ' +
    'DELETING; remaining tells what is left, and the tenant is null once nothing is. A repeat changes nothing. NOT_FOUND for an ' +
    'unknown id; BAD_USER_INPUT when name is not that of the tenant.',
  activeKeys: 'How many keys it has that are neither revoked nor expired.',
  lastUsedAt: 'When one of its keys was last used, to the minute; null: never.',
  limits: 'All six limits and their usage.',
  retention: 'How long it keeps things, by kind.',
  remaining: `The data that is still to be removed, by kind, at most ${MAX_KINDS}; null unless the tenant is DELETING.`,
};
