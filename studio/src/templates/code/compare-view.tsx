import { MergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { extensionsOf, type Language } from './extensions';
import { STYLE_ROOT } from './style-root';
import styles from '../templates.module.css';

/** Two texts side by side, with differences marked. */
export function CompareView({ before, after, language }: { before: string; after: string; language: Language }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const side = (label: string, doc: string) => ({
      doc,
      extensions: [
        extensionsOf({ label, language, isTemplate: language !== 'css', isOneLine: false, isReadOnly: true, params: () => [] }),
        EditorState.readOnly.of(true),
        EditorView.darkTheme.of(document.documentElement.dataset['theme'] === 'dark'),
      ],
    });
    const view = new MergeView({
      root: STYLE_ROOT,
      parent: place.current!,
      a: side('Before', before),
      b: side('After', after),
      collapseUnchanged: { margin: 3, minSize: 6 },
      gutter: true,
    });
    return () => view.destroy();
  }, [before, after, language]);
  return <div ref={place} className={styles.compare} />;
}
