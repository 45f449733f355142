import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { FormDialog } from '../../ui/form-dialog';
import { type Stream, useReadAgain } from './stream';
import { destinationOf, isComplete, type StreamDraft } from './stream-draft';
import { StreamFields } from './stream-fields';

/** Returns the form values of a stream, without its secrets. */
function draftOf({ name, format, destination }: Stream): StreamDraft {
  const { kind, url, index, tags, region, bucket, prefix, accessKeyId, headers } = destination!;
  const site = /^https:\/\/http-intake\.logs\.([^/]+)\//.exec(url ?? '')?.[1];
  const known = { url, endpoint: url, site, index, tags, region, bucket, prefix, accessKeyId, headerName: headers?.[0] };
  const fields = Object.fromEntries(Object.entries(known).flatMap(([field, value]) => (value ? [[field, value]] : [])));
  return { name: name!, kind: kind!, format: format!, fields };
}

/** Form that changes a stream. Its secret is entered again, since nobody can read it. */
export function EditStream({ stream, onClose }: { stream: Stream; onClose: () => void }) {
  const api = useApi();
  const readAgain = useReadAgain();
  const [draft, setDraft] = useState<StreamDraft>(() => draftOf(stream));
  const saving = useMutation({
    meta: { done: 'Stream saved' },
    mutationFn: () => {
      const { name, format } = draft;
      return api.log.updateLogStream({ id: stream.id, input: { name, format, destination: destinationOf(draft) } });
    },
    onSuccess: async () => {
      await readAgain();
      onClose();
    },
  });
  return (
    <FormDialog
      title="Edit stream"
      action="Save"
      tried="save the stream"
      sending={saving}
      isReady={isComplete(draft)}
      onSend={saving.mutate}
      onClose={onClose}
    >
      <p className="muted small">Enter the secret again: stored secrets can’t be read.</p>
      <StreamFields draft={draft} onChange={setDraft} />
    </FormDialog>
  );
}
