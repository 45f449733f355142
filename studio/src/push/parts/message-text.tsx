import { useMemo, useState } from 'react';
import { CopyButton } from '../../ui/copy';
import { formatCount } from '../../ui/format';
import { Chip } from '../../ui/page';
import { indentJson, judgeJson } from '../model/json';
import styles from '../push.module.css';

/** The text of a message, as it was pushed or, if it is JSON, indented. */
export function MessageText({ text }: { text: string }) {
  const [isPlain, setPlain] = useState(false);
  const indented = useMemo(() => (judgeJson(text).isJson ? indentJson(text) : undefined), [text]);
  const shown = isPlain || indented === undefined ? text : indented;
  return (
    <section className="stack tight" aria-label="Text">
      <div className="row">
        <h3 className="grow">
          Text <span className="muted small">{formatCount(text.length)} characters</span>
        </h3>
        {indented !== undefined && (
          <>
            <Chip isActive={!isPlain} onClick={() => setPlain(false)}>
              Formatted
            </Chip>
            <Chip isActive={isPlain} onClick={() => setPlain(true)}>
              Raw
            </Chip>
          </>
        )}
        <CopyButton text={text} label="Copy message" />
      </div>
      <pre className={`code-block ${styles.text}`} tabIndex={0} aria-label="Message text">
        {shown}
      </pre>
    </section>
  );
}
