import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { FormDialog } from '../../ui/form-dialog';
import { type Stream, useReadAgain } from './stream';
import { fromField } from '../../ui/local-time';
import { TimeField } from '../../ui/time-field';

/** Dialog that resends records from a time on, or skips to it. */
export function RewindStream({ stream, onClose }: { stream: Stream; onClose: () => void }) {
  const api = useApi();
  const readAgain = useReadAgain();
  const [at, setAt] = useState('');
  const rewinding = useMutation({
    meta: { done: 'Stream rewound' },
    mutationFn: () => api.log.rewindLogStream({ id: stream.id, to: fromField(at)! }),
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
      <TimeField
        label="Send records recorded from"
        hint="In your time zone. An earlier time sends records again. A later time skips records."
        required
        value={at}
        onChange={setAt}
      />
    </FormDialog>
  );
}
