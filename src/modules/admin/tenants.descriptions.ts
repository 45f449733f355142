import { CONTAINS, DEFAULT_LIMIT, MAX_LIMIT } from '../../common/lists/page.js';
import { SUSPENDED_WITHIN_MS } from '../../common/tenants/suspended-tenants.js';
import { LIMITED_WITHIN_MS } from '../../common/tenants/tenant-limits-reader.js';
import { asCount, asSeconds } from '../../common/base/amounts.js';
import { MAX_KINDS } from './tenant.model.js';

const OTHERWISE = 'NOT_FOUND for an unknown id; FAILED_PRECONDITION while the tenant is being deleted.';

export const TENANTS = {
  tenant: 'Returns a tenant; null for an unknown id and after its deletion.',
  tenants: `Lists tenants in creation order. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default.`,
  tenantsName: 'Exact name, case-sensitive.',
  tenantsContains: `Part of the name, ${CONTAINS}`,
  createTenant: 'Creates a tenant without keys. CONFLICT if the name is taken, even by a tenant being deleted.',
  setTenantLimits:
    `Sets limits, on every node within ${asSeconds(LIMITED_WITHIN_MS)} s. Other limits remain unchanged, as does ` +
    `usage over a limit. ${OTHERWISE}`,
  setTenantRetention:
    'Sets retention periods. After shortening one, the irreversible deletion of older data starts within a ' +
    `minute. Other kinds remain unchanged. ${OTHERWISE}`,
  suspendTenant:
    `Suspends a tenant. Within ${asSeconds(SUSPENDED_WITHIN_MS)} s, every node rejects its keys, URLs and tokens (FORBIDDEN), and ` +
    `closes the connections of its recipients with code 4403. Its mails and messages queue. Idempotent. ${OTHERWISE}`,
  resumeTenant: `Resumes a suspended tenant, within ${asSeconds(SUSPENDED_WITHIN_MS)} s. Idempotent. ${OTHERWISE}`,
  deleteTenant:
    'Starts to delete a tenant with all its data, irreversibly. Responds immediately, with the state ' +
    'DELETING: poll remaining for progress; the tenant is null once deleted. Idempotent. NOT_FOUND for an ' +
    'unknown id; BAD_USER_INPUT if name is not that of the tenant.',
  activeKeys: 'Number of keys that are neither revoked nor expired.',
  lastUsedAt: 'Time of the last use of any of its keys, to the minute; null for never.',
  limits: 'All six limits and their usage.',
  retention: 'Retention periods by kind of data.',
  remaining: `Data still to be removed, by kind, at most ${MAX_KINDS}; null unless the tenant is DELETING.`,
};
