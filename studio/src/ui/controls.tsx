import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog } from '@base-ui/react/dialog';
import { Menu } from '@base-ui/react/menu';
import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { Tooltip } from '@base-ui/react/tooltip';
import { Cross2Icon } from '@radix-ui/react-icons';
import { type ComponentProps, type ReactElement, type ReactNode, useId, useRef, useState } from 'react';

type ButtonProps = ComponentProps<'button'> & {
  look?: 'primary' | 'plain' | 'danger' | undefined;
  size?: 'small' | undefined;
  /** Reason why it is disabled. It stays focusable, so that the reason can be read. */
  refusal?: string | undefined;
};

/** A button. A disabled one shows its reason on hover or focus. */
export function Button({ look, size, refusal, className = '', type = 'button', onClick, ...rest }: ButtonProps) {
  const names = ['button', look, size, className].filter(Boolean).join(' ');
  const button = <button type={type} className={names} {...rest} {...(refusal ? { 'aria-disabled': true } : { onClick })} />;
  return refusal ? <Hint text={refusal}>{button}</Hint> : button;
}

/** An icon button, with its name on hover and for screen readers. */
export function IconButton({ label, className = '', ...rest }: ButtonProps & { label: string }) {
  const button = <Button aria-label={label} className={`icon ${className}`} {...rest} />;
  return rest.refusal ? button : <Hint text={label}>{button}</Hint>;
}

/** Text shown on hover or focus. */
export function Hint({ text, children }: { text: ReactNode; children: ReactElement<Record<string, unknown>> }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6}>
          <Tooltip.Popup className="tooltip">{text}</Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

export interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** Says why the value is invalid, and which would be valid. */
  fault?: string | undefined;
  children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean }) => ReactNode;
}

/** A labelled field, with a hint and its error. */
export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  const isDescribed = Boolean(hint ?? fault);
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {children({ id, ...(isDescribed && { 'aria-describedby': `${id}-about` }), ...(fault && { 'aria-invalid': true }) })}
      {isDescribed && (
        <span id={`${id}-about`} className={fault ? 'fault' : 'hint'}>
          {fault ?? hint}
        </span>
      )}
    </div>
  );
}

type TextFieldProps = Omit<FieldProps, 'children'> &
  Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'id'> & {
    /** Undefined for an uncontrolled field with a `defaultValue`. */
    value?: string;
    onChange: (value: string) => void;
  };

/** A labelled one-line field. `className` is added to that of all fields. */
export function TextField({ label, hint, fault, value, onChange, className = '', ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(ids) => (
        <input
          {...ids}
          {...rest}
          className={`input ${className}`.trim()}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

export function Switch({
  label,
  checked,
  onChange,
  disabled = false,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  return (
    <label className="row small">
      <BaseSwitch.Root className="switch" checked={checked} onCheckedChange={onChange} disabled={disabled}>
        <BaseSwitch.Thumb className="thumb" />
      </BaseSwitch.Root>
      {label}
    </label>
  );
}

interface ModalProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** `drawer` is at the right edge, with full height. */
  form?: 'dialog' | 'wide' | 'drawer';
  /** False for content that is shown once: only its own buttons close it, not Escape or a click outside. */
  isDismissible?: boolean;
}

const FIELDS = ':is(input:not([type=file]), textarea, select, [contenteditable=true]):not(:disabled)';

/** A dialog, which focuses its first field, and traps the focus until it is closed. */
export function Modal({ title, isOpen, onClose, children, form = 'dialog', isDismissible = true }: ModalProps) {
  const popup = useRef<HTMLDivElement>(null);
  const firstField = () => popup.current?.querySelector<HTMLElement>(FIELDS) ?? true;
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && isDismissible && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup ref={popup} initialFocus={firstField} className={form === 'drawer' ? 'drawer' : `dialog ${form}`}>
          <div className="row">
            <Dialog.Title render={<h2 className="grow">{title}</h2>} />
            {isDismissible && (
              <Dialog.Close render={<Button className="icon" look="plain" size="small" aria-label="Close" />}>
                <Cross2Icon />
              </Dialog.Close>
            )}
          </div>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

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
  onConfirm: () => void | Promise<unknown>;
}

/** Confirmation before an action that cannot be undone. */
export function Confirm({ title, children, action, keep = 'Cancel', isOpen, onClose, onConfirm }: ConfirmProps) {
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } finally {
      setBusy(false);
    }
  };
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title render={<h2 className="break">{title}</h2>} />
          <AlertDialog.Description render={<div className="muted">{children}</div>} />
          <div className="actions">
            <AlertDialog.Close render={<Button />}>{keep}</AlertDialog.Close>
            <Button look="danger" disabled={isBusy} onClick={() => void confirm().catch(() => undefined)}>
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

export interface MenuEntry {
  label: string;
  icon?: ReactNode;
  onSelect: () => void;
  isDanger?: boolean;
  /** Reason why it is disabled. */
  refusal?: string | undefined;
}

/** A menu button. `false` entries are left out. */
export function ActionMenu({
  trigger,
  entries,
  onOpenChange,
}: {
  trigger: ReactElement<Record<string, unknown>>;
  entries: (MenuEntry | false)[];
  onOpenChange?: ((isOpen: boolean) => void) | undefined;
}) {
  return (
    <Menu.Root {...(onOpenChange && { onOpenChange })}>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner className="popup-place" sideOffset={4} align="end">
          <Menu.Popup className="popup">
            {entries
              .filter((entry) => entry !== false)
              .map(({ label, icon, onSelect, isDanger, refusal }) => (
                <Menu.Item
                  key={label}
                  className={isDanger ? 'item danger' : 'item'}
                  disabled={Boolean(refusal)}
                  title={refusal}
                  onClick={onSelect}
                >
                  {icon}
                  {label}
                </Menu.Item>
              ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
