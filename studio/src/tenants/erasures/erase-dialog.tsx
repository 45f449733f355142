import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { Button, TextField } from '../../ui/controls';
import { CheckboxField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';

/** Maximum length of a person's name. */
const MAX_NAME = 1_024;

/** Dialog for the names of a person, then a confirmation, which starts the erasure. */
export function EraseDialog({ tenantId, onClose }: { tenantId: string; onClose: () => void }) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const [authorId, setAuthorId] = useState('');
  const [recipient, setRecipient] = useState('');
  const [emailAddress, setEmailAddress] = useState('');
  const person = { authorId: authorId || null, recipient: recipient || null, emailAddress: emailAddress || null };
  const erasing = useMutation({
    meta: { done: 'Erasure started' },
    mutationFn: () => admin.erasePerson({ input: { tenantId, ...person } }, { id: true }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['admin', 'erasures', tenantId] });
      onClose();
    },
  });
  const [isAsked, setAsked] = useState(false);
  const [isSure, setSure] = useState(false);
  if (isAsked) {
    return (
      <FormDialog
        key="question"
        title="Erase this person?"
        action="Erase person"
        tried="erase the person"
        look="danger"
        sending={erasing}
        isReady={isSure}
        other={<Button onClick={() => setAsked(false)}>Back</Button>}
        onSend={erasing.mutate}
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
        <CheckboxField label="Erase all of this. It can’t be undone." checked={isSure} onChange={setSure} />
      </FormDialog>
    );
  }
  const field = { maxLength: MAX_NAME, autoComplete: 'off' } as const;
  return (
    <FormDialog
      title="Erase person"
      action="Continue"
      tried="erase the person"
      isReady={Object.values(person).some((one) => one !== null)}
      onSend={() => setAsked(true)}
      onClose={onClose}
    >
      <p className="muted">
        Enter every name that your application uses for the person. Remove the person from the application first, or it adds more.
        This can’t be undone.
      </p>
      <TextField
        {...field}
        label="Author ID"
        hint="In log records, files and templates"
        value={authorId}
        onChange={setAuthorId}
      />
      <TextField {...field} label="Recipient" hint="In messages" value={recipient} onChange={setRecipient} />
      <TextField
        {...field}
        type="email"
        label="Email address"
        hint="In emails, senders and authors"
        value={emailAddress}
        onChange={setEmailAddress}
      />
    </FormDialog>
  );
}
