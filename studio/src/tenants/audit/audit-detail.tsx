import { Link } from 'wouter';
import { useRead } from '../../api/use-read';
import { documentPath } from '../../log/data/filters';
import { isDamaged } from '../../log/data/log-record';
import { readWhole } from '../../log/data/read-logs';
import { CopyText } from '../../ui/copy';
import { formatTime } from '../../ui/format';
import { NoDetail } from '../../ui/no-detail';
import { Detail, Facts } from '../../ui/page';
import { Author } from './author';
import { actionWord, type AuditEntry, changeOf, entriesOf, type Listed } from './audit-entry';
import styles from '../tenants.module.css';
import { TableHead } from '../../ui/table-head';

interface DetailProps {
  /** Id of its first record. */
  id: string;
  /** The entry, where the list has it. */
  listed: Listed | undefined;
  onClose: () => void;
}

/** An action of an operator: its object, its key, and every value before and after. */
export function AuditDetail({ id, listed, onClose }: DetailProps) {
  const query = useRead({
    queryKey: ['log', 'audit entry', id],
    read: async (api, signal) => entriesOf((await readWhole(api, { filter: { id }, limit: 1 }, signal)).items)[0] ?? null,
    enabled: !listed,
  });
  const entry = listed ?? query.data;
  if (!entry) {
    return (
      <NoDetail word="action" query={query} onClose={onClose}>
        No record has this ID.
      </NoDetail>
    );
  }
  if (isDamaged(entry)) {
    return (
      <Detail title="Action" onClose={onClose} of={{ id, json: entry }}>
        <p className="notice bad break">{entry.damage}</p>
      </Detail>
    );
  }
  return (
    <Detail title={actionWord(entry.records[0])} onClose={onClose} of={{ id, json: entry.records }}>
      <Whole entry={entry} />
    </Detail>
  );
}

function Whole({ entry: { records } }: { entry: AuditEntry }) {
  const [record] = records;
  const isKey = record.documentType === 'key';
  const tenantId = isKey ? record.custom1 : record.documentId;
  return (
    <>
      <Facts
        of={[
          [isKey ? 'Key' : 'Tenant', record.comment ?? undefined],
          ['ID', <CopyText key="id" text={record.documentId!} label="Copy ID" />],
          ['By', <Author key="by" of={record} />],
          ['Time', formatTime(record.dateTime!)],
        ]}
      />
      <div className="row wrap">
        {tenantId && (
          <Link className="button small" href={`/${tenantId}`}>
            Show tenant
          </Link>
        )}
        <Link className="button small" href={`~/studio/log${documentPath(record.documentType, record.documentId)}`}>
          History in the log
        </Link>
      </div>
      <table className={styles.auditChanges}>
        <TableHead of={['Attribute', 'Before', 'After']} />
        <tbody>
          {records.map((one) => {
            const { word, before, after } = changeOf(one);
            return (
              <tr key={one.id}>
                <th scope="row">{word}</th>
                <td className="break">{before ?? <span className="muted">–</span>}</td>
                <td className="break">{after ?? <span className="muted">–</span>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}
