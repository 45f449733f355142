import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { SelectField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { plural } from '../../ui/format';
import { fromField, toField } from '../../ui/local-time';
import { toasts } from '../../ui/toasts';
import { useReadAgain } from '../model/reads';
import { type DeliveryStatus, doorOf, type Hook } from '../model/webhook';
import { TimeField } from '../../ui/time-field';

const DAY_MS = 86_400_000;

interface SendAgainProps {
  hook: Hook;
  /** Time of the filter. */
  from: string | undefined;
  to: string | undefined;
  onClose: () => void;
}

/** Dialog that resends the events of a time range. */
export function SendAgain({ hook: { id, source }, from, to, onClose }: SendAgainProps) {
  const api = useApi();
  const readAgain = useReadAgain();
  const [status, setStatus] = useState<DeliveryStatus>('FAILED');
  const [begin, setBegin] = useState(() => toField(from ?? new Date(Date.now() - DAY_MS), 'minute'));
  const [end, setEnd] = useState(() => toField(to, 'minute'));
  const earliest = fromField(begin);
  const sending = useMutation({
    mutationFn: () =>
      doorOf(api, source).redeliver({
        webhookId: id!,
        from: earliest!,
        to: fromField(end) ?? new Date().toISOString(),
        status,
      }),
    onSuccess: async (count) => {
      toasts.add({ title: count === 0 ? 'No events to send again' : `Sending ${plural(count, 'event')} again` });
      onClose();
      await readAgain();
    },
  });
  return (
    <FormDialog
      title="Send events again"
      action="Send again"
      tried="send the events"
      sending={sending}
      isReady={earliest !== undefined}
      onSend={sending.mutate}
      onClose={onClose}
    >
      <p className="muted">
        Sends up to 10,000 events, oldest first. Events keep their IDs, so your receiver can skip duplicates.
      </p>
      <SelectField<DeliveryStatus>
        label="Events"
        words={[
          ['FAILED', 'Failed'],
          ['DELIVERED', 'Delivered'],
        ]}
        value={status}
        onChange={setStatus}
      />
      <TimeField label="Earliest" required value={begin} onChange={setBegin} />
      <TimeField label="Latest" hint="Defaults to now." value={end} onChange={setEnd} />
    </FormDialog>
  );
}
