import { Suspense, useId } from 'react';
import { lazyPart } from '../../api/load-part';
import { Skeleton } from '../../ui/states';
import type { CodeEditorProps } from './code-editor';
import styles from '../templates.module.css';

const Editor = lazyPart(async () => (await import('./code-editor')).CodeEditor);
const Compare = lazyPart(async () => (await import('./compare-view')).CompareView);

/** A code editor, loaded when first shown. Its space is reserved before. */
export function Code(props: CodeEditorProps) {
  const hint = useId();
  return (
    <Suspense
      fallback={
        <div className={props.isOneLine ? `${styles.code} ${styles.oneLine}` : styles.code}>
          <Skeleton lines={props.isOneLine ? 1 : 4} label={`Loading ${props.label.toLowerCase()} editor`} />
        </div>
      }
    >
      <Editor {...props} describedBy={hint} />
      <span id={hint} className="visually-hidden">
        {props.isOneLine ? 'Ctrl+Space for suggestions.' : 'Esc, then Tab to leave the editor. Ctrl+Space for suggestions.'}
      </span>
    </Suspense>
  );
}

/** Two texts side by side, of which the first is the saved one. */
export function Comparison(props: { before: string; after: string; language: 'html' | 'plain' | 'css' }) {
  return (
    <Suspense fallback={<Skeleton lines={6} label="Loading comparison" />}>
      <Compare {...props} />
    </Suspense>
  );
}
