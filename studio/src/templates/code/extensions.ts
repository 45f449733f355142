import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { css } from '@codemirror/lang-css';
import { html } from '@codemirror/lang-html';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { completionOf, type KnownParam } from './completion';
import { templateMarks } from './template-marks';
import { editorLook, oneLine } from './theme';

export type Language = 'html' | 'plain' | 'css' | 'json';

interface Wanted {
  label: string;
  language: Language;
  isTemplate: boolean;
  isOneLine: boolean;
  isReadOnly: boolean;
  params: () => readonly KnownParam[];
}

const LANGUAGES: Readonly<Record<Language, () => Extension>> = {
  html: () => html({ autoCloseTags: false }),
  plain: () => [],
  css: () => css(),
  json: () => json(),
};
/** Braces are not closed in templates: one types the whole tag, or completes it. */
const TEMPLATE_BRACKETS = { closeBrackets: { brackets: ['(', '[', '"'] } };

/** Extensions of an editor for a language. */
export function extensionsOf({ label, language, isTemplate, isOneLine, isReadOnly, params }: Wanted): Extension {
  return [
    highlightSpecialChars(),
    typingOver,
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ icons: false, activateOnTyping: !isReadOnly }),
    highlightSelectionMatches({ minSelectionLength: 2 }),
    isOneLine ? [] : [lineNumbers(), highlightActiveLineGutter(), EditorView.lineWrapping],
    isTemplate ? templateLanguage(params) : [],
    LANGUAGES[language](),
    editorLook,
    isOneLine ? [oneLine, singleLine] : keymap.of([indentWithTab]),
    isReadOnly ? [EditorState.readOnly.of(true)] : [],
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
    EditorView.contentAttributes.of({
      'aria-label': label,
      tabindex: '0',
      spellcheck: 'false',
      ...(isOneLine && { 'aria-multiline': 'false' }),
    }),
  ];
}

const templateLanguage = (params: () => readonly KnownParam[]): Extension => {
  const data = [{ autocomplete: completionOf(params) }, TEMPLATE_BRACKETS];
  return [templateMarks, EditorState.languageData.of(() => data)];
};

/** Restricts a text to one line: Enter does nothing, and pasted line breaks become spaces. */
const singleLine: Extension = [
  keymap.of([{ key: 'Enter', run: () => true }]),
  EditorState.transactionFilter.of((transaction) => {
    if (!transaction.docChanged || transaction.newDoc.lines === 1) return transaction;
    const text = transaction.newDoc.toString().replace(/\s*\n\s*/g, ' ');
    return { changes: { from: 0, to: transaction.startState.doc.length, insert: text }, selection: { anchor: text.length } };
  }),
];

/**
 * Replaces a selection on typing. By default the browser styles the new text with an attribute, which the Content-Security-Policy refuses
 * and reports.
 */
const typingOver: Extension = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { from, to, empty } = view.state.selection.main;
    const text = event.data;
    if (empty || event.inputType !== 'insertText' || !text || event.isComposing || view.composing) return false;
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true });
    const isTaken = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert));
    if (!isTaken && !view.state.readOnly) view.dispatch(insert());
    return true;
  },
});
