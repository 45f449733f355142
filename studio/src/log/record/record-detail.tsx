import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useApi } from '../../api/api-context';
import { CopyText } from '../../ui/copy';
import { formatTime } from '../../ui/format';
import { Detail, Facts, Sides } from '../../ui/page';
import { Empty, ErrorNotice, Skeleton } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { documentPath, personPath } from '../data/filters';
import { authorName, isDamaged, readName, recordTitle, type WholeRecord } from '../data/log-record';
import { readWhole } from '../data/read-logs';
import { ChangeBoth } from '../parts/change';
import { RecordEdits } from './record-edits';
import { RecordProof } from './record-proof';
import { RecordTexts } from './record-texts';
import styles from '../log.module.css';

/** One record with all its fields, its edits and its proof. */
export function RecordDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['log', 'record', id],
    queryFn: async ({ signal }) => (await readWhole(api, { filter: { id }, limit: 1 }, signal)).items[0] ?? null,
  });
  const isWhole = data && !isDamaged(data);
  return (
    <Detail
      title={isWhole ? recordTitle(data) : 'Record'}
      onClose={onClose}
      {...(data && { of: { id, json: data, request: { service: 'log', operation: 'logs', variables: { filter: { id } } } } })}
    >
      {error && <ErrorNotice error={error} tried="load the record" onRetry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton lines={8} label="Loading record" />}
      {data === null && (
        <Empty title="Record not found">
          <p className="muted">
            No record has the ID <code className="break">{id}</code>. It may have been removed by retention.
          </p>
        </Empty>
      )}
      {data && isDamaged(data) && <Damage text={data.damage} />}
      {isWhole && <Whole record={data} />}
    </Detail>
  );
}

function Damage({ text }: { text: string }) {
  return (
    <>
      <span>
        <Status kind="bad" word="Damaged" />
      </span>
      <p className="break">{text}</p>
      <p className="muted">
        <Link href="/seal">Verify the log</Link> to see what was changed.
      </p>
    </>
  );
}

function Whole({ record }: { record: WholeRecord }) {
  const { documentType, documentId, erasedAt, author, authorId, attributeOldValue, attributeNewValue } = record;
  return (
    <>
      <div className="row wrap">
        {record.action && <span className={styles.tag}>{record.action}</span>}
        {erasedAt && <Status kind="none" word="Erased" />}
        <span className="muted small">
          <Time at={record.dateTime!} />
        </span>
      </div>
      {erasedAt && (
        <p className="muted">
          Values, author and notes were erased on {formatTime(erasedAt)}. The rest of the record is sealed and can be verified.
        </p>
      )}
      {(attributeOldValue ?? attributeNewValue) && <ChangeBoth before={attributeOldValue} after={attributeNewValue} />}
      <div className="row wrap">
        <Link className="button small" href={documentPath(documentType, documentId)}>
          Document history
        </Link>
        {authorId && (
          <Link className="button small" href={personPath(authorId)}>
            Activity of this person
          </Link>
        )}
      </div>
      <Sides
        first={
          <Facts
            of={[
              ['Type', documentType],
              ['Document', <CopyText key="document" text={documentId!} label="Copy document ID" />],
              ['Attribute', namesOf(record.attribute?.name, record.attributeId)],
              [
                'Person',
                erasedAt ? undefined : [authorName({ author, authorId }), author?.profile].filter(Boolean).join(', ') || null,
              ],
              ['Person ID', authorId ? <CopyText key="author" text={authorId} label="Copy person ID" /> : undefined],
              ['Occurred', formatTime(record.dateTime!)],
              ['Recorded', formatTime(record.createdAt!)],
              ['Modified', record.updateAt ? formatTime(record.updateAt) : undefined],
              ['Source', erasedAt ? undefined : sourceOf(record)],
              ['Location', erasedAt ? undefined : placeOf(record)],
            ]}
          />
        }
        second={
          <>
            <RecordTexts key={record.updateAt} record={record} />
            <RecordEdits record={record} />
            <RecordProof record={record} />
          </>
        }
      />
    </>
  );
}

const sourceOf = ({ eventSource }: WholeRecord) => (eventSource ? namesOf(eventSource.name, eventSource.id) : null);

function placeOf({ eventLocation }: WholeRecord): string | null {
  const [longitude, latitude] = eventLocation?.geoLocation ?? [];
  const point = latitude === undefined ? undefined : `latitude ${latitude}, longitude ${longitude}`;
  return [eventLocation?.id, point].filter(Boolean).join(', ') || null;
}

/** Every name with its language, and the id. */
function namesOf(name: Parameters<typeof readName>[0], id: string | null) {
  const names =
    typeof name === 'object' && name ? Object.entries(name).map(([tag, text]) => `${text} (${tag})`) : name ? [name] : [];
  if (names.length === 0 && !id) return null;
  return (
    <>
      {names.join(', ')} {id && <code>{id}</code>}
    </>
  );
}
