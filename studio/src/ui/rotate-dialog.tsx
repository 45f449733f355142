import type { QueryKey } from '@tanstack/react-query';
import type { Api } from '../api/client';
import { SelectField } from './fields';
import { FormDialog } from './form-dialog';
import { useForm } from './use-form';

const DAY_SECONDS = 86_400;
const OVERLAPS: readonly (readonly [seconds: number, word: string])[] = [
  [0, 'Immediately'],
  [3_600, 'After 1 hour'],
  [DAY_SECONDS, 'After 1 day'],
  [7 * DAY_SECONDS, 'After 7 days'],
  [30 * DAY_SECONDS, 'After 30 days'],
];

interface RotateDialogProps {
  title: string;
  about: string;
  /** Name of what expires after the overlap. */
  label: string;
  what: 'key' | 'secret';
  longestDays: number;
  /** Accepts the overlap in seconds. */
  rotate: (api: Api, overlap: number) => Promise<{ secret: string | null }>;
  again: QueryKey;
  onSecret: (secret: string) => void;
  onClose: () => void;
}

/** Dialog for the overlap of an old secret with the new one. */
export function RotateDialog(props: RotateDialogProps) {
  const { title, about, label, what, longestDays, rotate, again, onSecret, onClose } = props;
  const form = useForm({
    first: { overlap: DAY_SECONDS },
    send: ({ overlap }, api) => rotate(api, overlap),
    again,
    onDone: ({ secret }) => onSecret(secret!),
  });
  return (
    <FormDialog form={form} title={title} action={`Rotate ${what}`} isAwaited onClose={onClose}>
      <p className="muted">{about}</p>
      <SelectField
        label={label}
        words={OVERLAPS.filter(([seconds]) => seconds <= longestDays * DAY_SECONDS)}
        {...form.field('overlap')}
      />
    </FormDialog>
  );
}
