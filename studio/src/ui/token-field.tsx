import { Combobox } from '@base-ui/react/combobox';
import { Cross2Icon } from '@radix-ui/react-icons';
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { Button, Field, type FieldProps } from './controls';
import { formatCount } from './format';
import { Suggestions } from './suggestions';
import styles from './token.module.css';

/** Values of one kind, such as addresses. */
export interface Tokens<T> {
  /** Parses typed or pasted text: its tokens, and the rest that is none. */
  read: (text: string) => { found: readonly T[]; rest: string };
  /** Identity of a token. */
  keyOf: (token: T) => string;
  /** Text on the chip. */
  wordOf: (token: T) => string;
  /** Whole text, if the chip has a part of it. */
  titleOf?: (token: T) => string;
  /** Text that a space ends. */
  whole?: RegExp;
  /** Whether commas and semicolons are part of a value. */
  hasCommas?: boolean;
  /** Says what the rest should be. */
  wanted?: string;
  inputMode?: 'email';
}

/** Returns the kind of plain texts with these separators. */
export const wordsBy = (separators: RegExp, options: Pick<Tokens<string>, 'whole' | 'hasCommas'> = {}): Tokens<string> => ({
  read: (text) => ({ found: text.split(separators).flatMap((word) => word.trim() || []), rest: '' }),
  keyOf: (word) => word,
  wordOf: (word) => word,
  ...options,
});

/** Plain texts, one per line or separated by commas. */
export const WORDS = wordsBy(/[,;\n\r\t]+/);

type TokenFieldProps<T> = Omit<FieldProps, 'children'> & {
  tokens: Tokens<T>;
  value: readonly T[];
  onChange: (value: readonly T[]) => void;
  /** Reason why a value is invalid. */
  faultOf?: (token: T) => string | undefined;
  /** Values to choose from, and what is shown beside each. */
  known?: readonly T[];
  aside?: (token: T) => ReactNode;
  placeholder?: string;
  /** Whether it has the initial focus. */
  isFirst?: boolean;
};

/** Number of chips, suggestions and faults to show. */
const SHOWN = { chips: 60, known: 8, faults: 20 };

/** Text beside the chips. Whole tokens of it become chips. */
function useTyped<T>(tokens: Tokens<T>, add: (found: readonly T[]) => void) {
  const [typed, setTyped] = useState('');
  const [leftOver, setLeftOver] = useState('');
  const take = (text: string) => {
    const { found, rest } = tokens.read(text);
    if (found.length > 0) add(found);
    // Keeps text typed next apart from it.
    const left = rest && `${rest}, `;
    setTyped(left);
    setLeftOver(left);
  };
  return {
    typed,
    setTyped,
    take,
    isEnd: (key: string) =>
      (!tokens.hasCommas && (key === ',' || key === ';')) || (key === ' ' && (tokens.whole?.test(typed) ?? false)),
    leave: () => typed.trim() && typed !== leftOver && take(typed),
    fault: leftOver && typed.startsWith(leftOver) ? `“${leftOver.slice(0, -2)}” is not ${tokens.wanted}` : undefined,
  };
}

/**
 * Several values as chips. Enter, a comma or leaving the field ends a value, Backspace removes the last one, and pasted text becomes a
 * chip for each value.
 */
export function TokenField<T>(props: TokenFieldProps<T>) {
  const { label, hint, fault, tokens, value, onChange, faultOf, known = [], aside, placeholder, isFirst = false } = props;
  const { keyOf, titleOf = tokens.wordOf } = tokens;
  const [isOpen, setOpen] = useState(false);
  const highlighted = useRef<T>(undefined);
  const set = (next: readonly T[]) => onChange([...new Map(next.map((token) => [keyOf(token), token])).values()]);
  const typing = useTyped(tokens, (found) => set([...value, ...found]));
  const { typed, setTyped } = typing;
  const take = (text: string) => {
    typing.take(text);
    setOpen(false);
  };
  const press = (event: KeyboardEvent<HTMLInputElement> & { preventBaseUIHandler: () => void }) => {
    const isEnd = typing.isEnd(event.key) || (event.key === 'Enter' && !highlighted.current);
    if (!isEnd || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.preventBaseUIHandler();
    if (typed.trim()) take(typed);
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text');
    if (tokens.read(text).found.length === 0) return;
    event.preventDefault();
    take(`${typed}\n${text}`);
  };
  const sought = typed.trim().toLowerCase();
  const taken = new Set(value.map(keyOf));
  const matching = known.filter((token) => !taken.has(keyOf(token)) && titleOf(token).toLowerCase().includes(sought));
  const wrong = value.flatMap((token) => (faultOf?.(token) ? [{ word: titleOf(token), fault: faultOf(token) }] : []));
  return (
    <Field label={label} hint={hint} fault={fault ?? typing.fault}>
      {(ids) => (
        <Combobox.Root<T, true>
          multiple
          items={matching.slice(0, SHOWN.known)}
          filter={null}
          value={[...value]}
          onValueChange={(next) => {
            set(next);
            setTyped('');
          }}
          open={isOpen && matching.length > 0}
          onOpenChange={(open, { reason }) => setOpen(open && reason !== 'input-press')}
          inputValue={typed}
          // Only typing changes the text; choosing a value would clear it, with pasted text beside it.
          onInputValueChange={(text, { reason }) => reason === 'input-change' && setTyped(text)}
          onItemHighlighted={(token) => (highlighted.current = token)}
          itemToStringLabel={titleOf}
          itemToStringValue={keyOf}
          isItemEqualToValue={(one, other) => keyOf(one) === keyOf(other)}
        >
          <Combobox.Chips className={`input ${styles.field}`}>
            <Chips tokens={tokens} value={value} faultOf={faultOf} onClear={() => onChange([])} />
            <Combobox.Input
              {...ids}
              {...(wrong.length > 0 && { 'aria-invalid': true })}
              aria-label={label}
              className={styles.input}
              autoFocus={isFirst}
              autoComplete="off"
              inputMode={tokens.inputMode}
              spellCheck={false}
              placeholder={value.length > 0 ? '' : placeholder}
              onKeyDown={press}
              onPaste={paste}
              onBlur={typing.leave}
            />
          </Combobox.Chips>
          <Suggestions<T> keyOf={keyOf} label={`Suggestions: ${label}`}>
            {(token) => (
              <>
                <span className="truncate grow">{titleOf(token)}</span>
                {aside && <span className="muted small">{aside(token)}</span>}
              </>
            )}
          </Suggestions>
          <Faults of={wrong} />
        </Combobox.Root>
      )}
    </Field>
  );
}

type ChipsProps<T> = Pick<TokenFieldProps<T>, 'tokens' | 'value'> & {
  faultOf: ((token: T) => string | undefined) | undefined;
  onClear: () => void;
};

function Chips<T>({ tokens: { keyOf, wordOf, titleOf = wordOf }, value, faultOf, onClear }: ChipsProps<T>) {
  return (
    <>
      {value.slice(0, SHOWN.chips).map((token) => (
        <Combobox.Chip
          key={keyOf(token)}
          className={styles.token}
          data-fault={faultOf?.(token)}
          aria-label={titleOf(token)}
          aria-description="Press Backspace to remove"
        >
          <span className="truncate" title={titleOf(token)}>
            {wordOf(token)}
          </span>
          <Combobox.ChipRemove className={styles.remove} aria-label={`Remove ${titleOf(token)}`}>
            <Cross2Icon aria-hidden width={12} height={12} />
          </Combobox.ChipRemove>
        </Combobox.Chip>
      ))}
      {value.length > SHOWN.chips && (
        <Button size="small" look="plain" onClick={onClear}>
          Remove all {formatCount(value.length)}
        </Button>
      )}
    </>
  );
}

/** Lists invalid values, each with its reason. */
function Faults({ of }: { of: readonly { word: string; fault: string | undefined }[] }) {
  if (of.length === 0) return undefined;
  return (
    <div role="alert">
      <ul className="stack tight small">
        {of.slice(0, SHOWN.faults).map(({ word, fault }) => (
          <li key={word} className="fault break">
            <code>{word}</code>: {fault}
          </li>
        ))}
        {of.length > SHOWN.faults && <li className="muted">And {formatCount(of.length - SHOWN.faults)} more.</li>}
      </ul>
    </div>
  );
}
