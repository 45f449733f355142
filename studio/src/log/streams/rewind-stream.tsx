import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { TextField } from '../../ui/controls';
import { FormDialog } from '../../ui/form-dialog';
import { type Stream, useReadAgain } from './stream';

/** Dialog that resends records from a time on, or skips to it. */
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
  return (
    <FormDialog
      title="Rewind stream"
      action="Rewind"
      tried="rewind the stream"
      sending={rewinding}
      isReady={at !== ''}
      onSend={rewinding.mutate}
      onClose={onClose}
    >
      <TextField
        label="Send records recorded from"
        hint="In your time zone. An earlier time sends records again. A later time skips records."
        type="datetime-local"
        required
        value={at}
        onChange={setAt}
      />
    </FormDialog>
  );
}
