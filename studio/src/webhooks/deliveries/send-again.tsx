import { SelectField, TimeField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { plural } from '../../ui/format';
import { fromField, toField } from '../../ui/zone';
import { toasts } from '../../ui/toasts';
import { type DeliveryStatus, doorOf, type Hook, WEBHOOKS } from '../model/webhook';
import { useForm } from '../../ui/use-form';

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
  const form = useForm({
    first: () => ({
      status: 'FAILED' as DeliveryStatus,
      from: toField(from ?? new Date(Date.now() - DAY_MS), 'minute'),
      to: toField(to, 'minute'),
    }),
    send: ({ status, ...range }, api) => {
      const [first, last] = [fromField(range.from)!, fromField(range.to) ?? new Date().toISOString()];
      return doorOf(api, source).redeliver({ webhookId: id!, from: first, to: last, status });
    },
    again: WEBHOOKS,
    onDone: (count) => {
      toasts.add({ title: count === 0 ? 'No events to send again' : `Sending ${plural(count, 'event')} again` });
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title="Send events again"
      action="Send again"
      tried="send the events"
      isReady={fromField(form.values.from) !== undefined}
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
        {...form.field('status')}
      />
      <TimeField label="Earliest" required {...form.field('from')} />
      <TimeField label="Latest" hint="Defaults to now." {...form.field('to')} />
    </FormDialog>
  );
}
