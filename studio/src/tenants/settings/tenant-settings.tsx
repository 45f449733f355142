import type { RetainedKind, TenantLimit, TenantRetention as Retention } from '../../../../clients/js/src/generated/admin';
import { useApi, useRefusal } from '../../api/api-context';
import { plural } from '../../ui/format';
import { formatLimit, LIMIT_WORDS, Meter } from '../../ui/usage';
import { SettingsTable } from './settings-table';

interface TenantLimitsProps {
  tenantId: string;
  limits: readonly Pick<TenantLimit, 'name' | 'limit' | 'used' | 'isOwn'>[];
}

/** Limits of a tenant, and their usage. */
export function TenantLimits({ tenantId, limits }: TenantLimitsProps) {
  const { admin } = useApi();
  const refusal = useRefusal(['admin', 'mutation', 'setTenantLimits']);
  const settings = limits.map(({ name, limit, used, isOwn }) => ({
    word: LIMIT_WORDS[name!],
    unit: name === 'storedBytes' ? 'Bytes' : 'Number',
    now: limit,
    shown: limit === null ? 'No limit' : formatLimit(name!, limit),
    isOwn: isOwn === true,
    used: (
      <>
        {formatLimit(name!, used ?? 0)}
        <Meter name={name!} used={used ?? 0} limit={limit} />
      </>
    ),
    set: (value: number | null) => admin.setTenantLimits({ id: tenantId, limits: [{ name: name!, limit: value }] }),
  }));
  return (
    <SettingsTable
      tenantId={tenantId}
      heads={['Resource', 'Used', 'Limit']}
      settings={settings}
      what="limit"
      hint="Leave empty for no limit. Data over a lower limit is kept, but nothing can be added."
      rule="Enter a whole number from 1"
      empty={0}
      refusal={refusal}
    />
  );
}

const RETENTION_WORDS: Readonly<Record<RetainedKind, string>> = {
  files: 'Files, since last change',
  logs: 'Log records, since recorded',
  mails: 'Emails, since sent or failed',
  events: 'Webhook events, since they occurred',
  messages: 'Messages, since acknowledged or not delivered',
};

interface TenantRetentionProps {
  tenantId: string;
  retention: readonly Pick<Retention, 'kind' | 'days' | 'isOwn'>[];
}

/** Retention periods of a tenant. */
export function TenantRetention({ tenantId, retention }: TenantRetentionProps) {
  const { admin } = useApi();
  const refusal = useRefusal(['admin', 'mutation', 'setTenantRetention']);
  const settings = retention.map(({ kind, days, isOwn }) => ({
    word: RETENTION_WORDS[kind!],
    unit: 'Days',
    now: days,
    shown: days === null ? 'Forever' : plural(days, 'day'),
    isOwn: isOwn === true,
    set: (value: number | null) => admin.setTenantRetention({ id: tenantId, retention: [{ kind: kind!, days: value }] }),
  }));
  return (
    <SettingsTable
      tenantId={tenantId}
      heads={['Data', 'Kept for']}
      settings={settings}
      what="period"
      hint="1 to 36,500. Older data is deleted within a minute. This can’t be undone."
      rule="Enter a whole number from 1 to 36,500"
      refusal={refusal}
    />
  );
}
