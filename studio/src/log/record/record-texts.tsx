import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { TextAreaField } from '../../ui/fields';
import { Facts } from '../../ui/page';
import { ErrorNotice } from '../../ui/states';
import type { WholeRecord } from '../data/log-record';

const FIELDS = [
  ['comment', 'Comment'],
  ['custom1', 'Custom 1'],
  ['custom2', 'Custom 2'],
] as const;
type Texts = Record<(typeof FIELDS)[number][0], string>;
const LONGEST = 4_096;

/** The three editable texts of a record, with a form. Earlier texts are retained. */
export function RecordTexts({ record }: { record: WholeRecord }) {
  const [isEditing, setEditing] = useState(false);
  const refusal = useRefusal(['document-log', 'mutation', 'updateLog']);
  if (record.erasedAt) return undefined;
  if (isEditing) return <TextsForm record={record} onClose={() => setEditing(false)} />;
  return (
    <section className="stack tight" aria-label="Notes">
      <div className="row">
        <h3 className="grow">Notes</h3>
        <Button size="small" refusal={refusal} onClick={() => setEditing(true)}>
          Change
        </Button>
      </div>
      <Facts of={FIELDS.map(([name, word]) => [word, record[name] || null] as const)} />
    </section>
  );
}

function TextsForm({ record, onClose }: { record: WholeRecord; onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [texts, setTexts] = useState<Texts>({
    comment: record.comment ?? '',
    custom1: record.custom1 ?? '',
    custom2: record.custom2 ?? '',
  });
  const changed = FIELDS.filter(([name]) => texts[name] !== (record[name] ?? ''));
  const save = useMutation({
    meta: { done: 'Record saved' },
    mutationFn: () =>
      api.log.updateLog(
        { input: { id: record.id, ...Object.fromEntries(changed.map(([name]) => [name, texts[name] || null])) } },
        { id: true },
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['log'] });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form className="stack tight card" aria-label="Notes" onSubmit={submit}>
      {FIELDS.map(([name, word]) => (
        <TextAreaField
          key={name}
          label={word}
          rows={name === 'comment' ? 3 : 1}
          maxLength={LONGEST}
          value={texts[name]}
          onChange={(text) => setTexts({ ...texts, [name]: text })}
        />
      ))}
      <p className="muted small">Earlier notes stay in the record’s history.</p>
      {save.error && <ErrorNotice error={save.error} tried="save the notes" />}
      <div className="row">
        <Button type="submit" look="primary" size="small" disabled={changed.length === 0 || save.isPending}>
          Save
        </Button>
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
