import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const LOOK = {
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--page)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--panel)', borderRight: '1px solid var(--line)' },
  '.cm-activeLineGutter': { color: 'var(--text)', backgroundColor: 'transparent' },
  '.cm-lint-marker': { width: '10px', height: '10px' },
  '.cm-lint-marker-error': { content: 'normal', borderRadius: '2px', backgroundColor: 'var(--bad)' },
  '.cm-lint-marker-warning': { content: 'normal', borderRadius: '50%', backgroundColor: 'var(--wait)' },
  '.cm-lint-marker-info': { content: 'normal', borderRadius: '50%', border: '2px solid var(--info)' },
  '.cm-gutter-lint': { width: '16px' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    overflow: 'hidden',
    zIndex: '30',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '12px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--text)', backgroundColor: 'var(--selected)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-diagnostic': { padding: '6px 10px', fontFamily: 'var(--font)', fontSize: '12px', maxWidth: '420px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--wait)' },
  '.cm-diagnostic-info': { borderLeftColor: 'var(--info)' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--panel)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-textfield': {
    color: 'var(--text)',
    backgroundColor: 'var(--page)',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
  },
  '.cm-button': {
    color: 'var(--text)',
    backgroundImage: 'none',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: '4px',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--selected)', color: 'inherit' },
  '.cm-nonmatchingBracket': { color: 'var(--bad)' },
  '.cm-searchMatch': { backgroundColor: 'var(--wait-soft)', outline: '1px solid var(--wait)' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-changedLine, .cm-insertedLine, ins.cm-insertedLine': { backgroundColor: 'var(--good-soft)' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--bad-soft)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--good-soft)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in srgb, var(--bad) 8%, transparent)',
  },
  '&.cm-merge-b .cm-changedText': { background: 'color-mix(in srgb, var(--good) 8%, transparent)' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"···"' },
  '.cm-collapsedLines': { color: 'var(--muted)', background: 'var(--panel)' },
};

const ONE_LINE = {
  '&': { height: '30px' },
  '.cm-content': { padding: '4px 0', fontFamily: 'var(--font)' },
  '.cm-line': { padding: '0 8px' },
  '.cm-scroller': { overflow: 'hidden', lineHeight: '22px' },
};

const COLOURS = HighlightStyle.define([
  { tag: [tags.tagName, tags.keyword, tags.propertyName, tags.angleBracket], color: 'var(--code-key)' },
  { tag: [tags.attributeName, tags.className, tags.labelName, tags.typeName], color: 'var(--info)' },
  { tag: [tags.string, tags.attributeValue, tags.special(tags.string)], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.unit, tags.color, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.processingInstruction, tags.documentMeta, tags.meta], color: 'var(--code-comment)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

const look = EditorView.theme(LOOK);
const oneLineLook = EditorView.theme(ONE_LINE);

/** Theme of the editors, in the colours of the page. */
export const editorLook: Extension = [look, syntaxHighlighting(COLOURS)];
export const oneLine: Extension = oneLineLook;
