import { CheckIcon, CopyIcon } from '@radix-ui/react-icons';
import { useEffect, useState } from 'react';
import { IconButton } from './controls';
import { toasts } from './toasts';

const SHOWN_MS = 1_500;

/** Copies a text, and confirms it for a moment. */
export function CopyButton({
  text,
  label = 'Copy',
  onCopied,
}: {
  text: string;
  label?: string;
  onCopied?: (() => void) | undefined;
}) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copied = () => {
    setCopied(true);
    onCopied?.();
  };
  return (
    <IconButton label={isCopied ? 'Copied' : label} look="plain" size="small" onClick={() => copy(text, copied)}>
      {isCopied ? <CheckIcon /> : <CopyIcon />}
    </IconButton>
  );
}

/** Copies a text. Without HTTPS or localhost a page has no clipboard; then the text is shown to be copied by hand. */
export function copy(text: string, onCopied: () => void): void {
  const copying = navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject(new Error('no clipboard'));
  copying.then(onCopied, () => prompt('Copy this text', text));
}

/** Copies an ID, and confirms it. */
export const copyId = (id: string): void => copy(id, () => toasts.add({ title: 'ID copied' }));

/** An id or URL in one line, with a copy button. */
export function CopyText({ text, label }: { text: string; label?: string }) {
  return (
    <span className="row copy-text">
      <code className="truncate" title={text}>
        {text}
      </code>
      <CopyButton text={text} label={label ?? 'Copy'} />
    </span>
  );
}

/** Longest word of code that is kept in one line where there is room. */
const WHOLE_WORD = 40;

/** Code whose short words, such as options, are not broken at their hyphens. */
const wordsOf = (code: string) =>
  code.split(/(\s+)/).map((word, at) =>
    word.includes('-') && word.length <= WHOLE_WORD ? (
      <span key={at} className="whole">
        {word}
      </span>
    ) : (
      word
    ),
  );

/** A block of code to copy. */
export function Snippet({ code, label, onCopied }: { code: string; label: string; onCopied?: () => void }) {
  return (
    <div className="snippet">
      <pre tabIndex={0} aria-label={label}>
        <code>{wordsOf(code)}</code>
      </pre>
      <CopyButton text={code} label={`Copy ${label}`} onCopied={onCopied} />
    </div>
  );
}
