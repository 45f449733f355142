import { useState } from 'react';
import type { RetainedKind, TenantRetention as Retention } from '../../../../clients/js/src/generated/admin';
import { useApi, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { plural } from '../../ui/format';
import { SettingDialog } from './setting-dialog';

type Period = Pick<Retention, 'kind' | 'days' | 'isOwn'>;

const WORDS: Readonly<Record<RetainedKind, string>> = {
  files: 'Files, since last change',
  logs: 'Log records, since recorded',
  mails: 'Emails, since sent or failed',
  events: 'Webhook events, since they occurred',
  messages: 'Messages, since acknowledged or not delivered',
};

/** How long a tenant keeps things. */
export function TenantRetention({ tenantId, retention }: { tenantId: string; retention: readonly Period[] }) {
  const { admin } = useApi();
  const [changing, setChanging] = useState<Period>();
  const refusal = useRefusal(['admin', 'mutation', 'setTenantRetention']);
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">Data</th> <th scope="col">Kept for</th>
            <th scope="col">
              <span className="visually-hidden">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {retention.map((period) => (
            <tr key={period.kind}>
              <th scope="row">{WORDS[period.kind!]}</th>
              <td>
                {period.days === null ? 'Forever' : plural(period.days, 'day')}
                <div className="muted small">{period.isOwn ? 'Custom' : 'Server default'}</div>
              </td>
              <td className="number">
                <Button
                  size="small"
                  refusal={refusal}
                  aria-label={`Change: ${WORDS[period.kind!]}`}
                  onClick={() => setChanging(period)}
                >
                  Change
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {changing && (
        <SettingDialog
          title={WORDS[changing.kind!]}
          label="Days"
          hint="1 to 36,500. Older data is deleted within a minute. This can’t be undone."
          rule="Enter a whole number from 1 to 36,500"
          what="period"
          tenantId={tenantId}
          now={changing.days}
          isOwn={changing.isOwn === true}
          set={(days) => admin.setTenantRetention({ id: tenantId, retention: [{ kind: changing.kind!, days }] })}
          onClose={() => setChanging(undefined)}
        />
      )}
    </>
  );
}
