import { Combobox } from '@base-ui/react/combobox';
import { Cross2Icon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { type ClipboardEvent, useId, useMemo, useRef, useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { formatCount, plural } from '../../ui/format';
import styles from '../push.module.css';
import { Suggestions } from '../../ui/suggestions';

export const MOST_RECIPIENTS = 1_000;
const LONGEST_NAME = 1_024;
const SHOWN_CHIPS = 60;
const OFFERED = 8;
const ASKED = 1_000;

interface Props {
  value: readonly string[];
  onChange: (recipients: string[]) => void;
  fault: string | undefined;
  /** Whether it has the initial focus. */
  isFirst: boolean;
}

/** Names of recipients: typed, pasted, or chosen from those online. */
export function RecipientsField({ value, onChange, fault, isFirst }: Props) {
  const id = useId();
  const [text, setText] = useState('');
  const popup = useRef<HTMLDivElement>(null);
  const { items, online } = useOffered(text, value);
  const take = (next: readonly string[]) => {
    onChange([...new Set(next)]);
    setText('');
  };
  const paste = (event: ClipboardEvent) => {
    const names = namesIn(event.clipboardData.getData('text'));
    if (names.length < 2) return;
    event.preventDefault();
    take([...value, ...names]);
  };
  const hidden = value.length - SHOWN_CHIPS;
  return (
    <div className="field">
      <div className={`row ${styles.namesHead}`}>
        <label className="label grow" htmlFor={id}>
          Recipients
        </label>
        {value.length > 1 && (
          <Button size="small" look="plain" onClick={() => onChange([])}>
            Remove all {formatCount(value.length)}
          </Button>
        )}
      </div>
      <Combobox.Root
        multiple
        items={items}
        filter={null}
        autoHighlight
        value={[...value]}
        onValueChange={take}
        inputValue={text}
        onInputValueChange={setText}
      >
        <Combobox.Chips
          className={`input ${styles.recipients}`}
          aria-label={value.length > 0 ? 'Selected recipients' : undefined}
        >
          {value.slice(0, SHOWN_CHIPS).map((name) => (
            <Combobox.Chip key={name} className={styles.recipient} aria-label={name} aria-description="Press Backspace to remove">
              <span className="truncate">{name}</span>
              <Combobox.ChipRemove aria-label={`Remove ${name}`}>
                <Cross2Icon aria-hidden />
              </Combobox.ChipRemove>
            </Combobox.Chip>
          ))}
          {hidden > 0 && <span className="muted small">and {formatCount(hidden)} more</span>}
          <Combobox.Input
            id={id}
            autoComplete="off"
            autoFocus={isFirst}
            placeholder={value.length > 0 ? '' : 'ann'}
            aria-describedby={`${id}-about`}
            aria-invalid={fault ? true : undefined}
            onPaste={paste}
            onBlur={({ relatedTarget }) => {
              if (text.trim() && !popup.current?.contains(relatedTarget)) take([...value, text.trim()]);
            }}
          />
        </Combobox.Chips>
        <Suggestions<string>
          keyOf={(name) => name}
          label="Suggested recipients"
          popup={popup}
          className={items.length > 0 ? '' : styles.nothing!}
        >
          {(name) => (
            <>
              <span className="truncate grow">{name}</span>
              {online.has(name) && <span className="muted small">online</span>}
            </>
          )}
        </Suggestions>
      </Combobox.Root>
      <span id={`${id}-about`} className={fault ? 'fault' : 'hint'}>
        {fault ??
          `${value.length > 0 ? `${plural(value.length, 'recipient')}. ` : ''}Press Enter after each recipient, or paste one per line.`}
      </span>
    </div>
  );
}

/** The typed name comes first, then matching online recipients. */
function useOffered(text: string, chosen: readonly string[]): { items: string[]; online: ReadonlySet<string> } {
  const { push } = useApi();
  const refusal = useRefusal(['websockets-manager', 'query', 'onlineRecipients']);
  const { data } = useQuery({
    queryKey: ['push', 'suggestions'],
    queryFn: ({ signal }) => push.onlineRecipients({ limit: ASKED }, { items: { recipient: true } }, { signal }),
    enabled: !refusal,
  });
  return useMemo(() => {
    const typed = text.trim();
    const taken = new Set(chosen);
    const online = (data?.items ?? []).flatMap(({ recipient }) => recipient ?? []);
    const isOffered = (name: string) => !taken.has(name) && name !== typed && name.toLowerCase().includes(typed.toLowerCase());
    const matching = online.filter(isOffered);
    const first = typed && !taken.has(typed) && typed.length <= LONGEST_NAME ? [typed] : [];
    return { items: [...first, ...matching.slice(0, OFFERED)], online: new Set(online) };
  }, [data, text, chosen]);
}

/** Parses pasted names: one per line, or separated by tabs, semicolons or commas. */
function namesIn(text: string): string[] {
  const lines = /[\n\t;]/.test(text.trim()) ? text.split(/[\n\r\t;]+/) : text.split(',');
  return lines.map((name) => name.trim()).filter(Boolean);
}
