import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { CheckboxField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
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
  return (
    <FormDialog
      title="New stream"
      action="Create stream"
      tried="create the stream"
      sending={creating}
      isReady={isComplete(draft)}
      onSend={creating.mutate}
      onClose={onClose}
    >
      <StreamFields draft={draft} onChange={setDraft} />
      <CheckboxField label="Include records already in the log" checked={withOlder} onChange={setWithOlder} />
    </FormDialog>
  );
}
