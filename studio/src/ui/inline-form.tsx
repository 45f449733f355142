import type { FormEvent, ReactNode } from 'react';
import { Button } from './controls';
import { ErrorNotice } from './states';
import { type FormState, useCloseQuestion } from './use-form';

interface InlineFormProps {
  form: FormState;
  label: string;
  /** Attempt within a sentence, such as "save the notes". */
  tried: string;
  refusal?: string | undefined;
  /** Adds a button that closes the form. */
  onClose?: () => void;
  children: ReactNode;
}

/** A form within a page, which saves changed values. */
export function InlineForm({ form, label, tried, refusal, onClose, children }: InlineFormProps) {
  useCloseQuestion(form.isDirty);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (form.isDirty && !form.isBusy && !refusal) form.submit();
  };
  return (
    <form className={onClose ? 'stack tight card' : 'stack tight'} aria-label={label} onSubmit={send}>
      {children}
      {Boolean(form.error) && <ErrorNotice error={form.error} tried={tried} />}
      {(form.isDirty || onClose) && (
        <div className="row">
          <Button type="submit" look="primary" size="small" disabled={!form.isDirty || form.isBusy} refusal={refusal}>
            Save
          </Button>
          {onClose && (
            <Button size="small" onClick={onClose}>
              Cancel
            </Button>
          )}
        </div>
      )}
    </form>
  );
}
