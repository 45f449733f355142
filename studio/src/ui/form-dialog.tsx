import { type FormEvent, type ReactNode, useState } from 'react';
import { Confirm } from './confirm';
import { Button, Modal } from './controls';
import { wordsOf } from './faults';
import { ErrorNotice } from './states';
import { type FormState, useCloseQuestion } from './use-form';

interface FormDialogProps {
  form: FormState;
  title: string;
  /** Label of the submit button. */
  action: string;
  /** The same within a sentence, such as "create the key", if it does not follow from the label. */
  tried?: string;
  onClose: () => void;
  /** False while a value is missing. */
  isReady?: boolean;
  /** Reason why the form cannot be submitted. */
  refusal?: string | undefined;
  /** Whether the dialog stays until the response, which is shown once. */
  isAwaited?: boolean;
  size?: 'dialog' | 'wide';
  look?: 'primary' | 'danger';
  /** An additional action. */
  other?: ReactNode;
  children: ReactNode;
}

/** A form in a dialog: fields, errors, and the buttons. Closing it otherwise than by a button confirms the loss of entered values. */
export function FormDialog(props: FormDialogProps) {
  const { form, title, action, tried = wordsOf(action), onClose, isReady = true, refusal } = props;
  const { isAwaited = false, size = 'dialog', look = 'primary', other, children } = props;
  const [isAsking, setAsking] = useState(false);
  useCloseQuestion(form.isDirty);
  const isHeld = isAwaited && form.isBusy;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !refusal && !form.isBusy) form.submit();
  };
  return (
    <Modal title={title} form={size} isOpen isDismissible={!isHeld} onClose={() => (form.isDirty ? setAsking(true) : onClose())}>
      <form className="stack" onSubmit={send}>
        {children}
        {Boolean(form.error) && <ErrorNotice error={form.error} tried={tried} />}
        <div className="actions">
          {other}
          <Button disabled={isHeld} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look={look} disabled={!isReady || form.isBusy} refusal={refusal}>
            {action}
          </Button>
        </div>
      </form>
      <Confirm
        title="Discard what you entered?"
        action="Discard"
        keep="Keep editing"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={onClose}
      >
        The form isn’t sent yet.
      </Confirm>
    </Modal>
  );
}
