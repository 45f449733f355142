import { useState } from 'react';
import { Button, TextField } from '../../ui/controls';
import { CheckboxField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';

/** Maximum length of a person's name. */
const MAX_NAME = 1_024;

/** Dialog for the names of a person, then a confirmation, which starts the erasure. */
export function EraseDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const [isAsked, setAsked] = useState(false);
  const names = useForm({ first: { authorId: '', recipient: '', emailAddress: '' }, send: () => setAsked(true) });
  const { authorId, recipient, emailAddress } = names.values;
  const person = { authorId: authorId || null, recipient: recipient || null, emailAddress: emailAddress || null };
  const form = useForm({
    first: { isSure: false },
    send: (_, { admin }) => admin.erasePerson({ input: { tenantId, ...person } }, { id: true }),
    done: 'Erasure started',
    again: ['admin', 'erasures', tenantId],
    onDone: onClose,
  });
  if (isAsked) {
    return (
      <FormDialog
        key="question"
        form={form}
        title="Erase this person?"
        action="Erase person"
        look="danger"
        isReady={form.values.isSure}
        other={<Button onClick={() => setAsked(false)}>Back</Button>}
        onClose={onClose}
      >
        <p>This erases, from all data of the tenant:</p>
        <ul className="stack tight">
          {authorId && (
            <li className="break">
              values, notes and author of log records by <strong>{authorId}</strong>, and that author of files and templates
            </li>
          )}
          {recipient && (
            <li className="break">
              messages to <strong>{recipient}</strong>
            </li>
          )}
          {emailAddress && (
            <li className="break">
              emails to <strong>{emailAddress}</strong>, that sender, and that author
            </li>
          )}
        </ul>
        <CheckboxField label="Erase all of this. It can’t be undone." {...form.field('isSure')} />
      </FormDialog>
    );
  }
  const field = { maxLength: MAX_NAME, autoComplete: 'off' } as const;
  return (
    <FormDialog
      form={names}
      title="Erase person"
      action="Continue"
      tried="erase the person"
      isReady={Object.values(person).some((one) => one !== null)}
      onClose={onClose}
    >
      <p className="muted">
        Enter every name your application uses for the person. Remove the person there first, so that it stores nothing new. This
        can’t be undone.
      </p>
      <TextField {...field} label="Author ID" hint="In log records, files and templates" {...names.field('authorId')} />
      <TextField {...field} label="Recipient" hint="In messages" {...names.field('recipient')} />
      <TextField
        {...field}
        type="email"
        label="Email address"
        hint="In emails, senders and authors"
        {...names.field('emailAddress')}
      />
    </FormDialog>
  );
}
