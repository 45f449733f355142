import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { Button } from './controls';
import { wordsOf } from './faults';
import { ErrorNotice } from './states';

interface ConfirmProps {
  /** Title with the object, such as `Delete invoice.pdf?`. */
  title: string;
  /** Consequences, and whether they can be undone. */
  children: ReactNode;
  action: string;
  /** Label of the button that cancels. */
  keep?: string;
  isOpen: boolean;
  onClose: () => void;
  /** The dialog shows its error, and stays open then. */
  onConfirm: () => unknown;
}

/** Confirmation before an action that cannot be undone. */
export function Confirm({ title, children, action, keep = 'Cancel', isOpen, onClose, onConfirm }: ConfirmProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const close = () => {
    setError(undefined);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
      close();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title render={<h2 className="break">{title}</h2>} />
          <AlertDialog.Description render={<div className="muted">{children}</div>} />
          {error !== undefined && <ErrorNotice error={error} tried={wordsOf(action)} />}
          <div className="actions">
            <AlertDialog.Close render={<Button />}>{keep}</AlertDialog.Close>
            <Button look="danger" disabled={isBusy} onClick={() => void confirm()}>
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

type ConfirmButtonProps = Omit<ConfirmProps, 'isOpen' | 'onClose'> &
  Pick<ComponentProps<typeof Button>, 'right' | 'refusal' | 'size' | 'look' | 'disabled'> & { word: ReactNode };

/** A button with a confirmation. */
export function ConfirmButton({ word, right, refusal, size, look = 'danger', disabled, ...confirm }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size={size} look={look} right={right} refusal={refusal} disabled={disabled} onClick={() => setOpen(true)}>
        {word}
      </Button>
      <Confirm {...confirm} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
