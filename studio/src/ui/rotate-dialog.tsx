import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Field, Modal } from './controls';
import { ErrorNotice } from './states';

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
  /** Names what expires after the overlap. */
  label: string;
  what: 'key' | 'secret';
  longestDays: number;
  /** Takes the overlap in seconds. */
  rotating: Pick<UseMutationResult<unknown, Error, number>, 'mutate' | 'isPending' | 'error'>;
  onClose: () => void;
}

/** Asks how long an old secret works beside the new one. */
export function RotateDialog({ title, about, label, what, longestDays, rotating, onClose }: RotateDialogProps) {
  const [overlap, setOverlap] = useState(DAY_SECONDS);
  return (
    <Modal title={title} isOpen isDismissible={!rotating.isPending} onClose={onClose}>
      <p className="muted">{about}</p>
      <Field label={label}>
        {(ids) => (
          <select {...ids} className="input" value={overlap} onChange={({ target }) => setOverlap(Number(target.value))}>
            {OVERLAPS.filter(([value]) => value <= longestDays * DAY_SECONDS).map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        )}
      </Field>
      {rotating.error && <ErrorNotice error={rotating.error} tried={`rotate the ${what}`} />}
      <div className="actions">
        <Button disabled={rotating.isPending} onClick={onClose}>
          Cancel
        </Button>
        <Button look="primary" disabled={rotating.isPending} onClick={() => rotating.mutate(overlap)}>
          Rotate {what}
        </Button>
      </div>
    </Modal>
  );
}
