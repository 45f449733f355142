import { type ComponentProps, Suspense, useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { lazyPart } from '../../api/load-part';
import { Skeleton } from '../../ui/states';
import type { CodeEditorProps, Target } from './code-editor';
import styles from '../templates.module.css';

const Editor = lazyPart(async () => (await import('./code-editor')).CodeEditor);
const Compare = lazyPart(async () => (await import('./compare-view')).CompareView);

type CodeProps = CodeEditorProps & {
  /** Whether CodeMirror is loaded once the text is focused, instead of once the page is shown. */
  isLate?: boolean;
  /** Class of the box around the editor, and its style. */
  box?: Pick<ComponentProps<'div'>, 'className' | 'style'>;
  /** Attributes of the text area. */
  area?: ComponentProps<'textarea'>;
};

/** A code editor. A text area has its place until CodeMirror is loaded, and takes input too. */
export function Code({ isLate = false, box, area, ...props }: CodeProps) {
  const { value, isOneLine, onFocus, onChange } = props;
  const plain = useRef<HTMLTextAreaElement>(null);
  const hint = useId();
  const [isWanted, setWanted] = useState(false);
  const [isReady, setReady] = useState(false);
  const [caret, setCaret] = useState<Target>();
  useEffect(() => (isLate ? undefined : whenIdle(() => setWanted(true))), [isLate]);
  const swap = () => {
    // The value has the text typed meanwhile; the caret keeps its position.
    const { selectionStart = 0 } = plain.current ?? {};
    const lines = value.slice(0, selectionStart).split('\n');
    if (document.activeElement === plain.current) setCaret({ line: lines.length, column: lines.at(-1)!.length + 1 });
    setReady(true);
  };
  return (
    <>
      {!isReady && (
        <textarea
          aria-label={area?.id ? undefined : props.label}
          className={isOneLine ? `${styles.plain} ${styles.oneLine}` : styles.plain}
          rows={isOneLine ? 1 : undefined}
          {...area}
          ref={plain}
          readOnly={props.isReadOnly}
          spellCheck={false}
          value={value}
          onFocus={() => {
            setWanted(true);
            onFocus?.();
          }}
          onChange={({ target: { value: text } }) => onChange(isOneLine ? text.replace(/\s*\n\s*/g, ' ') : text)}
        />
      )}
      {isWanted && (
        <Suspense fallback={null}>
          <div className={styles.editor} {...box}>
            <Editor
              {...props}
              target={props.target ?? caret}
              describedBy={`${hint} ${area?.['aria-describedby'] ?? ''}`.trim()}
            />
          </div>
          <span id={hint} className="visually-hidden">
            {isOneLine ? 'Ctrl+Space for suggestions.' : 'Esc, then Tab to leave the editor. Ctrl+Space for suggestions.'}
          </span>
          <Loaded onLoaded={swap} />
        </Suspense>
      )}
    </>
  );
}

/** Reports that its siblings were loaded, before they are painted. */
function Loaded({ onLoaded }: { onLoaded: () => void }) {
  const loaded = useEffectEvent(onLoaded);
  useLayoutEffect(() => loaded(), []);
  return null;
}

const LATEST_MS = 1_000;

/** Runs once the page was painted and does nothing else, or after a second. Safari cannot tell. */
function whenIdle(run: () => void): () => void {
  if (!('requestIdleCallback' in globalThis)) {
    const timer = setTimeout(run, LATEST_MS);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(run, { timeout: LATEST_MS });
  return () => cancelIdleCallback(request);
}

/** Two texts side by side, of which the first is the saved one. */
export function Comparison(props: { before: string; after: string; language: 'html' | 'plain' | 'css' }) {
  return (
    <Suspense fallback={<Skeleton lines={6} label="Loading comparison" />}>
      <Compare {...props} />
    </Suspense>
  );
}
