import { Combobox } from '@base-ui/react/combobox';
import { Cross2Icon } from '@radix-ui/react-icons';
import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from 'react';
import { Field } from '../../../ui/controls';
import { written } from '../../words';
import { isSame, joined, type Named, readAddresses } from '../draft/addresses';
import { Suggestions } from '../../../ui/suggestions';
import styles from '../../email.module.css';

interface RecipientsFieldProps {
  label: string;
  value: readonly Named[];
  onChange: (value: readonly Named[]) => void;
  /** Addresses of earlier mails. */
  known: readonly Named[];
  fault?: string | undefined;
  hint?: string;
  isFirst?: boolean;
}

/** An address without a name, which a space ends. */
const WHOLE = /^[^\s<>"@]+@[^\s<>"@]+$/;

/** Addresses as chips. Each address of a pasted list becomes a chip. */
export function RecipientsField({ label, value, onChange, known, fault, hint, isFirst = false }: RecipientsFieldProps) {
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const highlighted = useRef<Named>(undefined);
  const [leftOver, setLeftOver] = useState('');
  const take = (text: string) => {
    const { found, rest } = readAddresses(text);
    if (found.length > 0) onChange(joined(value, found));
    // What follows is no part of what is left.
    const left = rest && `${rest}, `;
    setTyped(left);
    setLeftOver(left);
    setOpen(false);
  };
  const press = (event: KeyboardEvent<HTMLInputElement> & { preventBaseUIHandler: () => void }) => {
    const isEnd =
      event.key === ',' ||
      event.key === ';' ||
      (event.key === ' ' && WHOLE.test(typed)) ||
      (event.key === 'Enter' && !highlighted.current);
    if (!isEnd || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.preventBaseUIHandler();
    if (typed.trim()) take(typed);
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text');
    if (readAddresses(text).found.length === 0) return;
    event.preventDefault();
    take(`${typed} ${text}`);
  };
  const sought = typed.trim().toLowerCase();
  const matching = sought
    ? known.filter((one) => written(one).toLowerCase().includes(sought) && !value.some((other) => isSame(one, other)))
    : [];
  const ownFault =
    leftOver && typed.startsWith(leftOver)
      ? `“${leftOver.slice(0, -2)}” is not an email address. Use the form ann@example.com.`
      : undefined;
  return (
    <Field label={label} hint={hint} fault={fault ?? ownFault}>
      {(ids) => (
        <Combobox.Root<Named, true>
          multiple
          items={matching}
          filter={null}
          value={[...value]}
          onValueChange={(next) => {
            onChange(next);
            setTyped('');
          }}
          open={isOpen && matching.length > 0}
          onOpenChange={setOpen}
          inputValue={typed}
          // Only typing changes the text; choosing an address would clear it, with pasted text beside it.
          onInputValueChange={(text, { reason }) => reason === 'input-change' && setTyped(text)}
          onItemHighlighted={(item) => (highlighted.current = item)}
          itemToStringLabel={written}
          itemToStringValue={written}
          isItemEqualToValue={isSame}
        >
          <Combobox.Chips className={`input ${styles.chips}`}>
            {value.map((one) => (
              <Combobox.Chip key={one.address} className={styles.chip} aria-label={written(one)}>
                <span className="truncate" title={written(one)}>
                  {one.name ?? one.address}
                </span>
                <Combobox.ChipRemove className={styles.chipRemove} aria-label={`Remove ${one.address}`}>
                  <Cross2Icon aria-hidden width={12} height={12} />
                </Combobox.ChipRemove>
              </Combobox.Chip>
            ))}
            <Combobox.Input
              {...ids}
              aria-label={label}
              className={styles.chipsInput}
              autoFocus={isFirst}
              autoComplete="off"
              inputMode="email"
              onKeyDown={press}
              onPaste={paste}
              onBlur={() => typed.trim() && typed !== leftOver && take(typed)}
            />
          </Combobox.Chips>
          <Suggestions<Named> keyOf={({ address }) => address} className={styles.suggestions}>
            {(one) => <span className="truncate">{written(one)}</span>}
          </Suggestions>
        </Combobox.Root>
      )}
    </Field>
  );
}
