import { useState } from 'react';
import { Time } from '../../ui/status';
import type { WholeRecord } from '../data/log-record';
import { ChangeBoth } from '../parts/change';
import { subjectOfEdit } from '../seals/subject';
import { ProofOf } from './record-proof';

type Edit = NonNullable<WholeRecord['edits']>[number];
const WORDS: Readonly<Record<string, string>> = { comment: 'Comment', custom1: 'Custom 1', custom2: 'Custom 2' };

/** Note history of a record, newest first, each with its proof. */
export function RecordEdits({ record }: { record: WholeRecord }) {
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
