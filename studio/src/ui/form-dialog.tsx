import type { FormEvent, ReactNode } from 'react';
import { Button, Modal } from './controls';
import { ErrorNotice } from './states';

interface FormDialogProps {
  title: string;
  /** Label of the submit button. */
  action: string;
  /** The same within a sentence, such as "create the key". */
  tried: string;
  /** Mutation that submits the form; none if nothing is sent. */
  sending?: { isPending: boolean; error: unknown };
  onSend: () => void;
  onClose: () => void;
  /** False while a value is missing. */
  isReady?: boolean;
  /** Reason why the form cannot be submitted. */
  refusal?: string | undefined;
  /** Whether a field shows the error. */
  isToldByField?: boolean;
  /** Whether the dialog stays until the response, which is shown once. */
  isAwaited?: boolean;
  form?: 'dialog' | 'wide';
  look?: 'primary' | 'danger';
  /** An additional action. */
  other?: ReactNode;
  children: ReactNode;
}

const IDLE = { isPending: false, error: null };

/** A form in a dialog: fields, errors, and the buttons. */
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
