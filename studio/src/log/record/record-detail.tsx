import { useState } from 'react';
import { Link } from 'wouter';
import { useRead } from '../../api/use-read';
import { CopyText } from '../../ui/copy';
import { formatTime } from '../../ui/format';
import { NoDetail } from '../../ui/no-detail';
import { Detail, Facts, Sides } from '../../ui/page';
import { Status, Time } from '../../ui/status';
import { documentPath, personPath } from '../data/filters';
import { authorName, isDamaged, readName, recordTitle, type WholeRecord } from '../data/log-record';
import { readWhole } from '../data/read-logs';
import { ChangeBoth } from '../parts/change';
import { ProofOf, RecordProof } from './record-proof';
import { subjectOfEdit } from '../seals/subject';
import { Button } from '../../ui/controls';
import { TextAreaField } from '../../ui/fields';
import { InlineForm } from '../../ui/inline-form';
import { useForm } from '../../ui/use-form';
import styles from '../log.module.css';

/** One record with all its fields, its edits and its proof. */
export function RecordDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useRead({
    queryKey: ['log', 'record', id],
    read: async (api, signal) => (await readWhole(api, { filter: { id }, limit: 1 }, signal)).items[0] ?? null,
  });
  const { data } = query;
  if (!data) {
    return (
      <NoDetail word="record" query={query} onClose={onClose}>
        No record has the ID <code className="break">{id}</code>. It may have been removed by retention.
      </NoDetail>
    );
  }
  return (
    <Detail
      title={isDamaged(data) ? 'Record' : recordTitle(data)}
      onClose={onClose}
      of={{ id, json: data, request: { service: 'log', operation: 'logs', variables: { filter: { id } } } }}
    >
      {isDamaged(data) ? <Damage text={data.damage} /> : <Whole record={data} />}
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

type Edit = NonNullable<WholeRecord['edits']>[number];
const WORDS: Readonly<Record<string, string>> = { comment: 'Comment', custom1: 'Custom 1', custom2: 'Custom 2' };

/** Note history of a record, newest first, each with its proof. */
function RecordEdits({ record }: { record: WholeRecord }) {
  const edits = record.edits ?? [];
  if (edits.length === 0) return undefined;
  return (
    <section className="stack tight" aria-label="Note history">
      <h3>Note history</h3>
      <ol className="timeline">
        {[...edits].reverse().map((edit) => (
          <li key={edit.id}>
            <EditOf edit={edit} record={record} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function EditOf({ edit, record }: { edit: Edit; record: WholeRecord }) {
  const [isOpen, setOpen] = useState(false);
  const { field, dateTime, oldValue, newValue } = edit;
  return (
    <div className="stack tight">
      <span className="row">
        {WORDS[field ?? ''] ?? field} <span className="muted small">{dateTime && <Time at={dateTime} />}</span>
      </span>
      {record.erasedAt ? (
        <span className="muted small">The notes were erased.</span>
      ) : (
        <ChangeBoth before={valueOf(oldValue)} after={valueOf(newValue)} />
      )}
      <details className="small" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="muted">Proof</summary>
        {isOpen && <ProofOf subject={subjectOfEdit(edit, record)} />}
      </details>
    </div>
  );
}

const valueOf = (text: string | null) => (text === null ? null : { raw: text, display: null });

const FIELDS = [
  ['comment', 'Comment'],
  ['custom1', 'Custom 1'],
  ['custom2', 'Custom 2'],
] as const;
type Texts = Record<(typeof FIELDS)[number][0], string>;
const LONGEST = 4_096;

/** The three editable texts of a record, with a form. Earlier texts are retained. */
function RecordTexts({ record }: { record: WholeRecord }) {
  const [isEditing, setEditing] = useState(false);
  if (record.erasedAt) return undefined;
  if (isEditing) return <TextsForm record={record} onClose={() => setEditing(false)} />;
  return (
    <section className="stack tight" aria-label="Notes">
      <div className="row">
        <h3 className="grow">Notes</h3>
        <Button size="small" right={['document-log', 'mutation', 'updateLog']} onClick={() => setEditing(true)}>
          Change
        </Button>
      </div>
      <Facts of={FIELDS.map(([name, word]) => [word, record[name] || null] as const)} />
    </section>
  );
}

function TextsForm({ record, onClose }: { record: WholeRecord; onClose: () => void }) {
  const form = useForm({
    first: () => Object.fromEntries(FIELDS.map(([name]) => [name, record[name] ?? ''])) as Texts,
    send: (texts, { log }) => {
      const changed = FIELDS.filter(([name]) => texts[name] !== (record[name] ?? ''));
      const input = Object.fromEntries(changed.map(([name]) => [name, texts[name] || null]));
      return log.updateLog({ input: { id: record.id, ...input } }, { id: true });
    },
    done: 'Record saved',
    again: ['log'],
    onDone: onClose,
  });
  return (
    <InlineForm form={form} label="Notes" tried="save the notes" onClose={onClose}>
      {FIELDS.map(([name, word]) => (
        <TextAreaField key={name} label={word} rows={name === 'comment' ? 3 : 1} maxLength={LONGEST} {...form.field(name)} />
      ))}
      <p className="muted small">Earlier notes stay in the record’s history.</p>
    </InlineForm>
  );
}
