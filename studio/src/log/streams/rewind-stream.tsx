import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../../api/api-context';
import { Button, Modal, TextField } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { type Stream, useReadAgain } from './stream';

/** Sends records again from a time on, or skips to it. */
export function RewindStream({ stream, onClose }: { stream: Stream; onClose: () => void }) {
  const api = useApi();
  const readAgain = useReadAgain();
  const [at, setAt] = useState('');
  const rewinding = useMutation({
    meta: { done: 'Stream rewound' },
    mutationFn: () => api.log.rewindLogStream({ id: stream.id, to: new Date(at).toISOString() }),
    onSuccess: async () => {
      await readAgain();
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rewinding.mutate();
  };
  return (
    <Modal title="Rewind stream" isOpen onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Send records recorded from"
          hint="In your time zone. An earlier time sends records again. A later time skips records."
          type="datetime-local"
          required
          value={at}
          onChange={setAt}
        />
        {rewinding.error && <ErrorNotice error={rewinding.error} tried="rewind the stream" />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={at === '' || rewinding.isPending}>
            Rewind
          </Button>
        </div>
      </form>
    </Modal>
  );
}
