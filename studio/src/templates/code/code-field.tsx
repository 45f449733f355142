import { Suspense, useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { lazyPart } from '../../api/load-part';
import { Field, type FieldProps } from '../../ui/controls';
import type { Target } from './code-editor';
import type { Language } from './extensions';
import styles from '../templates.module.css';

const Editor = lazyPart(async () => (await import('./code-editor')).CodeEditor);

type CodeFieldProps = Omit<FieldProps, 'children'> & {
  value: string;
  onChange: (value: string) => void;
  language: Language;
  rows?: number;
  autoFocus?: boolean;
};

/** A labelled code field: a text area, which becomes the code editor once it is focused and that is loaded. */
export function CodeField({ value, onChange, language, rows = 12, autoFocus = false, ...field }: CodeFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const help = useId();
  const [isReached, setReached] = useState(false);
  const [isReady, setReady] = useState(false);
  const [target, setTarget] = useState<Target>();
  const swap = () => {
    // The value has the text typed meanwhile; the caret keeps its position.
    const { selectionStart = 0 } = area.current ?? {};
    const lines = value.slice(0, selectionStart).split('\n');
    if (document.activeElement === area.current) setTarget({ line: lines.length, column: lines.at(-1)!.length + 1 });
    setReady(true);
  };
  return (
    <Field {...field}>
      {({ id, ...ids }) => (
        <div className={styles.codeField} data-fault={field.fault ? true : undefined}>
          {!isReady && (
            <textarea
              {...ids}
              id={id}
              ref={area}
              className="input mono"
              rows={rows}
              spellCheck={false}
              autoFocus={autoFocus}
              value={value}
              onFocus={() => setReached(true)}
              onChange={({ target: { value: text } }) => onChange(text)}
            />
          )}
          {isReached && (
            <Suspense fallback={null}>
              <div className={`input ${styles.codeBox}`} style={{ height: `${rows * LINE_REM}rem` }}>
                <Editor
                  label={field.label}
                  value={value}
                  onChange={onChange}
                  language={language}
                  target={target}
                  describedBy={`${help} ${ids['aria-describedby'] ?? ''}`.trim()}
                />
              </div>
              <span id={help} className="visually-hidden">
                Esc, then Tab to leave the editor.
              </span>
              <Loaded onLoaded={swap} />
            </Suspense>
          )}
        </div>
      )}
    </Field>
  );
}

const LINE_REM = 1.4;

/** Reports that its siblings were loaded, before they are painted. */
function Loaded({ onLoaded }: { onLoaded: () => void }) {
  const loaded = useEffectEvent(onLoaded);
  useLayoutEffect(() => loaded(), []);
  return null;
}
