import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Text, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useShownTheme } from '../../ui/theme';
import type { Problem } from '../model/problems';
import type { KnownParam } from './completion';
import { extensionsOf, type Language } from './extensions';
import { STYLE_ROOT } from './style-root';
import styles from '../templates.module.css';

/** Position to go to. A new object goes there again. */
export interface Target {
  line: number;
  column: number;
}

export interface CodeEditorProps {
  /** Label for screen readers. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  language: Language;
  /** Whether the template language is highlighted and completed. */
  isTemplate?: boolean;
  isOneLine?: boolean;
  isReadOnly?: boolean;
  problems?: readonly Problem[];
  params?: readonly KnownParam[];
  target?: Target | undefined;
  onFocus?: () => void;
  /** Id of the element with usage hints. */
  describedBy?: string;
}

const NONE: never[] = [];

/** A code editor, which brings CodeMirror along: shown by lazy-code.tsx. */
export function CodeEditor(props: CodeEditorProps) {
  const {
    label,
    value,
    language,
    isTemplate = false,
    isOneLine = false,
    isReadOnly = false,
    problems = NONE,
    target,
    describedBy,
  } = props;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const begun = useEffectEvent(() => ({ value, problems }));
  const params = useEffectEvent(() => props.params ?? NONE);
  const type = useEffectEvent((text: string) => props.onChange(text));
  const focus = useEffectEvent(() => props.onFocus?.());
  const dark = useRef(new Compartment());
  const theme = useShownTheme();
  useEffect(() => {
    const first = begun();
    const view = new EditorView({
      root: STYLE_ROOT,
      parent: place.current!,
      state: EditorState.create({
        doc: first.value,
        extensions: [
          extensionsOf({ label, language, isTemplate, isOneLine, isReadOnly, params: () => params() }),
          describedBy ? EditorView.contentAttributes.of({ 'aria-describedby': describedBy }) : [],
          dark.current.of(EditorView.darkTheme.of(document.documentElement.dataset['theme'] === 'dark')),
          isOneLine ? [] : lintGutter(),
          EditorView.updateListener.of((update) => {
            const isTyped = update.transactions.some((one) => one.docChanged && one.annotation(Transaction.remote) !== true);
            if (isTyped) type(update.state.doc.toString());
            if (update.focusChanged && update.view.hasFocus) focus();
          }),
        ],
      }),
    });
    editor.current = view;
    annotate(view, first.problems);
    return () => view.destroy();
  }, [label, language, isTemplate, isOneLine, isReadOnly, describedBy]);
  useEffect(() => {
    editor.current?.dispatch({ effects: dark.current.reconfigure(EditorView.darkTheme.of(theme === 'dark')) });
  }, [theme]);
  useEffect(() => {
    const view = editor.current;
    if (!view || view.state.doc.toString() === value) return;
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: value },
      annotations: Transaction.remote.of(true),
    });
  }, [value]);
  useEffect(() => {
    if (editor.current) annotate(editor.current, problems);
  }, [problems]);
  useEffect(() => {
    const view = editor.current;
    if (!view || !target) return;
    const anchor = positionOf(view.state.doc, target.line, target.column);
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    view.focus();
  }, [target]);
  return <div ref={place} className={isOneLine ? `${styles.code} ${styles.oneLine}` : styles.code} />;
}

const annotate = (view: EditorView, problems: readonly Problem[]) =>
  view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state.doc, problems)));

/** Converts a line and column from 1 to an offset, limited to the text, which may have changed. */
function positionOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.max(1, Math.min(doc.lines, line)));
  return Math.max(from, Math.min(to, from + column - 1));
}

/** Marks problems at their position, up to the end of their name or tag. */
function diagnosticsOf(doc: Text, problems: readonly Problem[]): Diagnostic[] {
  return problems
    .filter(({ line }) => line !== undefined)
    .map(({ line, column, severity, reason }) => {
      const from = positionOf(doc, line!, column ?? 1);
      const rest = doc.sliceString(from, doc.lineAt(from).to);
      const length = /^(?:\{\{.*?\}\}|\{%.*?%\}|[\p{L}\p{N}_.[\]]+|.)/u.exec(rest)?.[0].length ?? 0;
      return { from, to: from + length, severity, message: reason };
    })
    .sort((one, other) => one.from - other.from);
}
