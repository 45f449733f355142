import type { TenantState } from '../../../clients/js/src/generated/admin';
import type { StatusKind } from '../ui/status';

export const TENANT_STATES: Readonly<Record<TenantState, { kind: StatusKind; word: string }>> = {
  ACTIVE: { kind: 'good', word: 'Active' },
  SUSPENDED: { kind: 'wait', word: 'Suspended' },
  DELETING: { kind: 'bad', word: 'Being deleted' },
};
