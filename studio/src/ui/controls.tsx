import { Dialog } from '@base-ui/react/dialog';
import { Menu } from '@base-ui/react/menu';
import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { Tooltip } from '@base-ui/react/tooltip';
import { Cross2Icon } from '@radix-ui/react-icons';
import { useRefusal } from '../api/api-context';
import type { Right } from '../api/scope';
import { type ComponentProps, Fragment, type ReactElement, type ReactNode, useId, useRef } from 'react';

type ButtonProps = ComponentProps<'button'> & {
  look?: 'primary' | 'plain' | 'danger' | undefined;
  size?: 'small' | undefined;
  /** Operation that it needs: without the scope entry it is disabled. */
  right?: Right | undefined;
  /** Another reason why it is disabled. It stays focusable, so that the reason can be read. */
  refusal?: string | undefined;
};

/** A button. A disabled one shows its reason on hover or focus. */
export function Button({ look, size, right, refusal: other, className = '', type = 'button', onClick, ...rest }: ButtonProps) {
  const refusal = useRefusal(...(right ? [right] : [])) ?? other;
  const names = ['button', look, size, className].filter(Boolean).join(' ');
  const button = <button type={type} className={names} {...rest} {...(refusal ? { 'aria-disabled': true } : { onClick })} />;
  return refusal ? <Hint text={refusal}>{button}</Hint> : button;
}

/** An icon button, with its name on hover and for screen readers. */
export function IconButton({ label, right, refusal: other, className = '', ...rest }: ButtonProps & { label: string }) {
  const refusal = useRefusal(...(right ? [right] : [])) ?? other;
  const button = <Button aria-label={label} className={`icon ${className}`} refusal={refusal} {...rest} />;
  return refusal ? button : <Hint text={label}>{button}</Hint>;
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

interface SwitchProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

export function Switch({ label, checked, onChange, disabled = false }: SwitchProps) {
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

export interface MenuEntry {
  label: string;
  icon?: ReactNode;
  onSelect: () => void;
  isDanger?: boolean;
  /** Reason why it is disabled. */
  refusal?: string | undefined;
  /** Whether a line separates it from the entries above. */
  isApart?: boolean;
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
              .map(({ label, icon, onSelect, isDanger, refusal, isApart }) => (
                <Fragment key={label}>
                  {isApart && <Menu.Separator className="separator" />}
                  <Menu.Item
                    className={isDanger ? 'item danger' : 'item'}
                    disabled={Boolean(refusal)}
                    title={refusal}
                    onClick={onSelect}
                  >
                    {icon}
                    {label}
                  </Menu.Item>
                </Fragment>
              ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
