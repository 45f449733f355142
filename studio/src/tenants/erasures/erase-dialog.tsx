import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../../api/api-context';
import { Button, Modal, TextField } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';

/** The longest name of a person. */
const MAX_NAME = 1_024;

/** Asks for the names that an application has for a person, and begins to erase the person. */
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    erasing.mutate();
  };
  const field = { maxLength: MAX_NAME, autoComplete: 'off' } as const;
  return (
    <Modal title="Erase person" isOpen isDismissible={!erasing.isPending} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="muted">
          Enter every name that your application uses for the person. Remove the person from the application first, or it adds
          more. This can’t be undone.
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
        {erasing.error && <ErrorNotice error={erasing.error} tried="erase the person" />}
        <div className="actions">
          <Button disabled={erasing.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="danger" disabled={Object.values(person).every((one) => one === null) || erasing.isPending}>
            Erase person
          </Button>
        </div>
      </form>
    </Modal>
  );
}
