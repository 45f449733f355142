import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { SelectField } from './fields';
import { FormDialog } from './form-dialog';

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
  /** Receives the overlap in seconds. */
  rotating: Pick<UseMutationResult<unknown, Error, number>, 'mutate' | 'isPending' | 'error'>;
  onClose: () => void;
}

/** Dialog for the overlap of an old secret with the new one. */
export function RotateDialog({ title, about, label, what, longestDays, rotating, onClose }: RotateDialogProps) {
  const [overlap, setOverlap] = useState(DAY_SECONDS);
  return (
    <FormDialog
      title={title}
      action={`Rotate ${what}`}
      tried={`rotate the ${what}`}
      sending={rotating}
      isAwaited
      onSend={() => rotating.mutate(overlap)}
      onClose={onClose}
    >
      <p className="muted">{about}</p>
      <SelectField
        label={label}
        words={OVERLAPS.filter(([value]) => value <= longestDays * DAY_SECONDS)}
        value={overlap}
        onChange={setOverlap}
      />
    </FormDialog>
  );
}
