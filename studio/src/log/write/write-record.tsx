import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { PlatformError } from '../../../../clients/js/src/errors';
import type { CreateLogInput } from '../../../../clients/js/src/generated/log';
import { useApi } from '../../api/api-context';
import { TextField } from '../../ui/controls';
import { TextAreaField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { fromField, toField } from '../../ui/local-time';
import styles from '../log.module.css';
import { TimeField } from '../../ui/time-field';

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
type Entered = Partial<Record<Name, string>>;

/** A form that writes one record. */
export function WriteRecord({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [entered, setEntered] = useState<Entered>(() => ({ time: toField(new Date()) }));
  // The same for each attempt of a form, so a record is written once.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const set = (name: Name, text: string) => setEntered((now) => ({ ...now, [name]: text }));
  const write = useMutation({
    meta: { done: 'Record added' },
    mutationFn: () => api.log.createLog({ input: { ...inputOf(entered), idempotencyKey } }, { itemId: true }),
    onSuccess: async ({ itemId }) => {
      onClose();
      navigate(`/${itemId}`);
      await queries.invalidateQueries({ queryKey: ['log'] });
    },
  });
  return (
    <FormDialog
      title="Add record"
      action="Add record"
      tried="add the record"
      form="wide"
      sending={write}
      onSend={write.mutate}
      onClose={onClose}
    >
      <p className="muted small">Records can’t be changed. Only the comment can be edited later.</p>
      <div className={styles.form}>
        {FIELDS.map(({ name, label, example, ...rest }) => (
          <TextField
            key={name}
            label={'isNeeded' in rest ? label : `${label} (optional)`}
            fault={faultOf(write.error, name)}
            required={'isNeeded' in rest}
            maxLength={name === 'before' || name === 'after' ? 65_536 : 1_024}
            placeholder={example}
            value={entered[name] ?? ''}
            onChange={(text) => set(name, text)}
          />
        ))}
        <TimeField
          label="Occurred"
          fault={faultOf(write.error, 'time')}
          step={1}
          required
          value={entered.time ?? ''}
          onChange={(text) => set('time', text)}
        />
        <TextAreaField
          label="Comment (optional)"
          fault={faultOf(write.error, 'comment')}
          rows={1}
          maxLength={4_096}
          value={entered.comment ?? ''}
          onChange={(text) => set('comment', text)}
        />
      </div>
    </FormDialog>
  );
}

/** Maps field paths of the API to the form. */
const API_NAMES: Readonly<Partial<Record<Name, string>>> = {
  before: 'attributeOldValue',
  after: 'attributeNewValue',
  attributeId: 'attribute',
  authorId: 'author.id',
  authorName: 'author.name',
  time: 'dateTime',
};

function faultOf(error: unknown, name: Name): string | undefined {
  if (!(error instanceof PlatformError) || !error.field) return undefined;
  return error.field.startsWith(`input.${API_NAMES[name] ?? name}`) ? error.message : undefined;
}

function inputOf({ attributeId, before, after, authorId, authorName, time = '', ...rest }: Entered): CreateLogInput {
  const { documentType = '', documentId = '', action, comment } = rest;
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
