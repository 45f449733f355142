import type { FormEvent, ReactNode } from 'react';
import { Button, Modal } from './controls';
import { ErrorNotice } from './states';

interface FormDialogProps {
  title: string;
  /** The word of the button that sends the form. */
  action: string;
  /** The same as a part of a sentence, such as "create the key". */
  tried: string;
  /** The mutation that sends the form; none where nothing is asked of the server. */
  sending?: { isPending: boolean; error: unknown };
  onSend: () => void;
  onClose: () => void;
  /** False while something is missing. */
  isReady?: boolean;
  /** Why the form cannot be sent as it is. */
  refusal?: string | undefined;
  /** Whether a field tells the error. */
  isToldByField?: boolean;
  /** Whether the dialog stays until the answer is there, since it is shown once. */
  isAwaited?: boolean;
  form?: 'dialog' | 'wide';
  look?: 'primary' | 'danger';
  /** An action beside those of every dialog. */
  other?: ReactNode;
  children: ReactNode;
}

const IDLE = { isPending: false, error: null };

/** Asks for values and sends them: fields, what was refused, and the buttons. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, tried, sending = IDLE, onSend, onClose, isReady = true, refusal, isToldByField = false } = props;
  const { isAwaited = false, form = 'dialog', look = 'primary', other, children } = props;
  const isHeld = isAwaited && sending.isPending;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !refusal && !sending.isPending) onSend();
  };
  return (
    <Modal title={title} form={form} isOpen isDismissible={!isHeld} onClose={onClose}>
      <form className="stack" onSubmit={send}>
        {children}
        {Boolean(sending.error) && !isToldByField && <ErrorNotice error={sending.error} tried={tried} />}
        <div className="actions">
          {other}
          <Button disabled={isHeld} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look={look} disabled={!isReady || sending.isPending} refusal={refusal}>
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
