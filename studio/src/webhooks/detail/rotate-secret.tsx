import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { Button, Field, Modal } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { useReadAgain } from '../model/reads';
import { doorOf, type Hook } from '../model/webhook';

const DAY_SECONDS = 86_400;
const OVERLAPS: readonly (readonly [seconds: number, word: string])[] = [
  [0, 'Immediately'],
  [3_600, 'After 1 hour'],
  [DAY_SECONDS, 'After 1 day'],
  [7 * DAY_SECONDS, 'After 7 days'],
];

/** Makes a new secret. Requests are signed with both while they overlap. */
export function RotateSecret({
  hook: { id, source },
  onClose,
  onSecret,
}: {
  hook: Hook;
  onClose: () => void;
  onSecret: (secret: string) => void;
}) {
  const api = useApi();
  const readAgain = useReadAgain();
  const [overlap, setOverlap] = useState(DAY_SECONDS);
  const rotating = useMutation({
    mutationFn: () => doorOf(api, source).rotateWebhookSecret({ id: id!, overlap }),
    onSuccess: ({ secret }) => {
      onSecret(secret!);
      onClose();
      void readAgain();
    },
  });
  return (
    <Modal title="Rotate secret" isOpen isDismissible={!rotating.isPending} onClose={onClose}>
      <p className="muted">Requests are signed with both secrets until the current one expires.</p>
      <Field label="The current secret expires">
        {(ids) => (
          <select {...ids} className="input" value={overlap} onChange={({ target }) => setOverlap(Number(target.value))}>
            {OVERLAPS.map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        )}
      </Field>
      {rotating.error && <ErrorNotice error={rotating.error} tried="rotate the secret" />}
      <div className="actions">
        <Button disabled={rotating.isPending} onClick={onClose}>
          Cancel
        </Button>
        <Button look="primary" disabled={rotating.isPending} onClick={() => rotating.mutate()}>
          Rotate secret
        </Button>
      </div>
    </Modal>
  );
}
