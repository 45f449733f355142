import { useState } from 'react';
import { useLocation } from 'wouter';
import type { CreateLogInput } from '../../../../clients/js/src/generated/log';
import { TextField } from '../../ui/controls';
import { TextAreaField, TimeField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { fromField, toField } from '../../ui/zone';
import styles from '../log.module.css';
import { useForm } from '../../ui/use-form';

const FIELDS = [
  { name: 'documentType', label: 'Document type', example: 'invoice', isNeeded: true },
  { name: 'documentId', label: 'Document ID', example: 'INV-18', isNeeded: true },
  { name: 'action', label: 'Action', example: 'update' },
  { name: 'attributeId', label: 'Attribute', example: 'status' },
  { name: 'before', label: 'Old value', example: 'open' },
  { name: 'after', label: 'New value', example: 'paid' },
  { name: 'authorId', label: 'Person ID', example: 'u-102' },
  { name: 'authorName', label: 'Person name', example: 'Ann' },
] as const;
type Name = (typeof FIELDS)[number]['name'] | 'comment' | 'time';
type Entered = Record<Name, string>;

const EMPTY = Object.fromEntries([...FIELDS.map(({ name }) => [name, '']), ['comment', '']]) as Entered;

/** A form that writes one record. */
export function WriteRecord({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  // The same for each attempt of a form, so a record is written once.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const form = useForm({
    first: () => ({ ...EMPTY, time: toField(new Date()) }),
    paths: PATHS,
    send: (entered, { log }) => log.createLog({ input: { ...inputOf(entered), idempotencyKey } }, { itemId: true }),
    done: 'Record added',
    again: ['log'],
    onDone: ({ itemId }) => {
      onClose();
      navigate(`/${itemId}`);
    },
  });
  return (
    <FormDialog form={form} title="Add record" action="Add record" size="wide" onClose={onClose}>
      <p className="muted small">A record is final, except its comment and custom fields.</p>
      <div className={styles.form}>
        {FIELDS.map(({ name, label, example, ...rest }) => (
          <TextField
            key={name}
            label={'isNeeded' in rest ? label : `${label} (optional)`}
            required={'isNeeded' in rest}
            maxLength={name === 'before' || name === 'after' ? 65_536 : 1_024}
            placeholder={example}
            {...form.field(name)}
          />
        ))}
        <TimeField label="Occurred" step={1} required {...form.field('time')} />
        <TextAreaField label="Comment (optional)" rows={1} maxLength={4_096} {...form.field('comment')} />
      </div>
    </FormDialog>
  );
}

/** Names of values in the API, where they differ. */
const PATHS = {
  before: 'attributeOldValue',
  after: 'attributeNewValue',
  attributeId: 'attribute',
  authorId: 'author.id',
  authorName: 'author.name',
  time: 'dateTime',
} as const;

function inputOf({ attributeId, before, after, authorId, authorName, time, ...rest }: Entered): CreateLogInput {
  const { documentType, documentId, action, comment } = rest;
  return {
    documentType,
    documentId,
    dateTime: fromField(time) ?? time,
    ...(action && { action }),
    ...(comment && { comment }),
    ...(attributeId && { attribute: { id: attributeId } }),
    ...(before && { attributeOldValue: { raw: before } }),
    ...(after && { attributeNewValue: { raw: after } }),
    ...((authorId || authorName) && { author: { ...(authorId && { id: authorId }), ...(authorName && { name: authorName }) } }),
  };
}
