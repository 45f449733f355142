import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../../api/api-context';
import { Button, Modal } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { useReadAgain } from './stream';
import { destinationOf, EMPTY, isComplete, type StreamDraft } from './stream-draft';
import { StreamFields } from './stream-fields';

/** The time from which every record is sent. */
const FIRST = '1970-01-01T00:00:00Z';

interface NewStreamProps {
  onClose: () => void;
  onCreated: (id: string) => void;
}

/** Creates a stream. */
export function NewStream({ onClose, onCreated }: NewStreamProps) {
  const api = useApi();
  const readAgain = useReadAgain();
  const [draft, setDraft] = useState<StreamDraft>(EMPTY);
  const [withOlder, setWithOlder] = useState(false);
  const creating = useMutation({
    mutationFn: () => {
      const { name, format } = draft;
      const from = withOlder ? { from: FIRST } : {};
      return api.log.createLogStream({ input: { name, format, destination: destinationOf(draft), ...from } });
    },
    onSuccess: ({ id }) => {
      onCreated(id);
      void readAgain();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate();
  };
  return (
    <Modal title="New stream" isOpen onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <StreamFields draft={draft} onChange={setDraft} />
        <label className="row">
          <input type="checkbox" className="tick" checked={withOlder} onChange={({ target }) => setWithOlder(target.checked)} />
          Include records already in the log
        </label>
        {creating.error && <ErrorNotice error={creating.error} tried="create the stream" />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isComplete(draft) || creating.isPending}>
            Create stream
          </Button>
        </div>
      </form>
    </Modal>
  );
}
