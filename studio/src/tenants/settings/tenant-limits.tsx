import { useState } from 'react';
import type { TenantLimit } from '../../../../clients/js/src/generated/admin';
import { useApi, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { formatLimit, LIMIT_WORDS, Meter } from '../../ui/usage';
import { SettingDialog } from './setting-dialog';

type Limit = Pick<TenantLimit, 'name' | 'limit' | 'used' | 'isOwn'>;

/** Limits of a tenant, and their usage. */
export function TenantLimits({ tenantId, limits }: { tenantId: string; limits: readonly Limit[] }) {
  const { admin } = useApi();
  const [changing, setChanging] = useState<Limit>();
  const refusal = useRefusal(['admin', 'mutation', 'setTenantLimits']);
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">Resource</th> <th scope="col">Used</th>
            <th scope="col">Limit</th>
            <th scope="col">
              <span className="visually-hidden">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {limits.map((limit) => (
            <tr key={limit.name}>
              <th scope="row">{LIMIT_WORDS[limit.name!]}</th>
              <td>
                {formatLimit(limit.name!, limit.used ?? 0)}
                <Meter name={limit.name!} used={limit.used ?? 0} limit={limit.limit} />
              </td>
              <td>
                {limit.limit === null ? 'No limit' : formatLimit(limit.name!, limit.limit)}
                <div className="muted small">{limit.isOwn ? 'Custom' : 'Server default'}</div>
              </td>
              <td className="number">
                <Button
                  size="small"
                  refusal={refusal}
                  aria-label={`Change: ${LIMIT_WORDS[limit.name!]}`}
                  onClick={() => setChanging(limit)}
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
          title={`Limit: ${LIMIT_WORDS[changing.name!].toLowerCase()}`}
          label={changing.name === 'storedBytes' ? 'Bytes' : 'Number'}
          hint="Leave empty for no limit. Data over a lower limit is kept, but nothing can be added."
          rule="Enter a whole number from 1"
          what="limit"
          tenantId={tenantId}
          now={changing.limit}
          isOwn={changing.isOwn === true}
          empty={0}
          set={(limit) => admin.setTenantLimits({ id: tenantId, limits: [{ name: changing.name!, limit }] })}
          onClose={() => setChanging(undefined)}
        />
      )}
    </>
  );
}
