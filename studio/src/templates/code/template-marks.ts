import { Prec, RangeSetBuilder, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

/** Comments, and tags up to their end outside of quotes; one that is not closed reaches to the end of its line. */
const TAG =
  /\{#[^]*?#\}|\{\{(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?!\}\}|\{[{%#])[^"'])*\}\}|\{%(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?!%\}|\{[{%#])[^"'])*%\}|\{[{%#](?:(?!\{[{%#])[^\n<])*/g;
const TOKEN =
  /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\d+(?:\.\d+)?|(\|\s*)?([\p{L}_][\p{L}\p{N}_]*)|\{\{-?|-?\}\}|\{%-?|-?%\}/gu;
const KEYWORDS = new Set(
  'if elif elseif else endif for endfor in and or not true false none raw endraw verbatim endverbatim loop'.split(' '),
);
const RAW_END = /\{%-?\s*end(?:raw|verbatim)\s*-?%\}/g;
/** Longer texts are highlighted around the visible part only. */
const WHOLE = 100_000;
const AROUND = 5_000;

const mark = (name: string) => Decoration.mark({ class: `tpl-${name}` });
const MARKS = {
  tag: mark('tag'),
  word: mark('word'),
  filter: mark('filter'),
  text: mark('text'),
  number: mark('number'),
  comment: mark('comment'),
  name: mark('name'),
  sign: mark('sign'),
};

/** Overlays the highlighting of the template language on HTML or plain text. */
export const templateMarks = Prec.highest(
  ViewPlugin.fromClass(
    class {
      marks: DecorationSet;
      constructor(view: EditorView) {
        this.marks = marksOf(view);
      }
      update(update: ViewUpdate) {
        if (update.docChanged || update.viewportChanged) this.marks = marksOf(update.view);
      }
    },
    { decorations: (plugin) => plugin.marks },
  ),
);

function marksOf({ state: { doc }, viewport }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const isShort = doc.length <= WHOLE;
  const from = isShort ? 0 : Math.max(0, viewport.from - AROUND);
  const to = isShort ? doc.length : Math.min(doc.length, viewport.to + AROUND);
  const text = slice(doc, from, to);
  const tags = new RegExp(TAG);
  for (let tag = tags.exec(text); tag; tag = tags.exec(text)) {
    const [whole] = tag;
    const at = from + tag.index;
    if (whole.length === 0) break;
    if (whole.startsWith('{#')) builder.add(at, at + whole.length, MARKS.comment);
    else markTag(builder, whole, at);
    if (/^\{%-?\s*(raw|verbatim)\b/.test(whole)) {
      RAW_END.lastIndex = tags.lastIndex;
      const end = RAW_END.exec(text);
      if (end) tags.lastIndex = end.index;
    }
  }
  return builder.finish();
}

const slice = (doc: Text, from: number, to: number) => doc.sliceString(from, to, '\n');

function markTag(builder: RangeSetBuilder<Decoration>, tag: string, at: number): void {
  builder.add(at, at + tag.length, MARKS.tag);
  let isFirst = tag.startsWith('{%');
  for (const { 0: token, 1: pipe, 2: word, index } of tag.matchAll(TOKEN)) {
    const from = at + index;
    const to = from + token.length;
    if (word === undefined) {
      builder.add(from, to, /^["']/.test(token) ? MARKS.text : /^\d/.test(token) ? MARKS.number : MARKS.sign);
    } else if (pipe !== undefined) {
      builder.add(from + pipe.length, to, MARKS.filter);
    } else {
      builder.add(from, to, (isFirst || KEYWORDS.has(word)) && tag[index - 1] !== '.' ? MARKS.word : MARKS.name);
      isFirst = false;
    }
  }
}
