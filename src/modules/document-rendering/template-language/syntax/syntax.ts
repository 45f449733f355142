import lexer from 'nunjucks/src/lexer.js';
import nunjucks from 'nunjucks/src/parser.js';
import { RenderingRefused } from '../result/refusal.js';
import type { SourcePosition, SourceText } from '../result/rendering.js';
import { findTags, WrongTag } from './tags.js';

/** Nunjucks' parser with `{% include "name" with item %}`. */
class Parser extends nunjucks.Parser {
  parseInclude(): unknown {
    const { lineno, colno, value } = this.peekToken();
    this.skipSymbol('include');
    const template = this.parseExpression();
    const item = this.skipSymbol('with') ? this.parseExpression() : undefined;
    this.advanceAfterBlockEnd(value);
    return { typename: 'Include', lineno, colno, template, item };
  }
}

/** Returns the syntax tree of a text. @throws the errors of Nunjucks' parser */
function parseText(text: string): unknown {
  return new Parser(lexer.lex(text)).parseAsRoot();
}

/** A node of the Nunjucks syntax tree, with the members that this code reads. */
export interface Node {
  typename: string;
  /** Line and column begin with 0. */
  lineno: number;
  colno: number;
  children?: Node[];
  value?: unknown;
  [member: string]: unknown;
}

/** Returns the position where an expression begins. For most expressions the parser gives only the position of the operator. */
export function positionOf(source: SourceText, node: Node): SourcePosition {
  const first = firstIn(node);
  return first ? positionOf(source, first) : { ...source, line: node.lineno + 1, column: node.colno + 1 };
}

function firstIn(node: Node): Node | undefined {
  switch (node.typename) {
    case 'Filter':
      return (node.args as Node).children![0];
    case 'LookupVal':
      return node.target as Node;
    case 'InlineIf':
      return node.body as Node;
    case 'And':
    case 'Or':
    case 'In':
      return node.left as Node;
    case 'Compare':
      return node.expr as Node;
    default:
      return undefined;
  }
}

/** Parses a text. @throws RenderingRefused with line and column if the text is not a valid template */
export function parse(text: string, source: SourceText, isHtml: boolean): Node {
  const hidden = hiddenIn(text, source, isHtml);
  try {
    const root = parseText(hidden?.text ?? text) as Node;
    if (hidden) hidden.restore(root);
    return root;
  } catch (error) {
    if (error instanceof RangeError) throw refused(source, undefined, 'blocks or brackets are nested too deeply');
    // The parser throws a TypeError at the end of the text if a tag is not closed.
    if (error instanceof TypeError) throw refused(source, endOf(text), 'the text ends inside of a tag; close it with }} or %}');
    const { message, lineno, colno } = error as Error & { lineno?: number; colno?: number };
    const where = lineno === undefined ? endOf(text) : { lineno: lineno - 1, colno: (colno ?? 1) - 1 };
    throw refused(source, where, message.replace(/^(\(.*?\)\s*)?(\[Line.*?\]\s*)?(Template render error:\s*)?/, '').trim());
  }
}

/**
 * Replaces braces and delimiters that the parser would mistake for tags by unused characters. Returns undefined if there are
 * none.
 */
function hiddenIn(text: string, source: SourceText, isHtml: boolean): { text: string; restore(root: Node): void } | undefined {
  const places = located(text, source, isHtml);
  if (places.length === 0) return undefined;
  const [open, close] = unusedIn(text);
  if (close === undefined) throw refused(source, undefined, 'it holds characters that Unicode reserves for internal use');
  const pieces = places.map(
    (at, index) => text.slice(index === 0 ? 0 : places[index - 1]! + 1, at) + (text[at] === '{' ? open : close),
  );
  const restored = (value: string) => value.replaceAll(open!, '{').replaceAll(close, '}');
  return { text: pieces.join('') + text.slice(places.at(-1)! + 1), restore: (root) => restore(root, restored) };
}

function located(text: string, source: SourceText, isHtml: boolean): number[] {
  try {
    return findTags(text, isHtml);
  } catch (error) {
    if (error instanceof WrongTag) throw refused(source, endOf(text.slice(0, error.at)), error.message);
    throw error;
  }
}

/** Returns two noncharacters of Unicode that the text does not contain; no text should contain any. */
function unusedIn(text: string): string[] {
  const reserved = Array.from({ length: 32 }, (_, index) => String.fromCharCode(0xfdd0 + index));
  return reserved.filter((character) => !text.includes(character)).slice(0, 2);
}

function restore(node: Node, restored: (value: string) => string): void {
  if (node.typename === 'TemplateData') node.value = restored(node.value as string);
  for (const child of node.children ?? []) restore(child, restored);
  for (const inner of [node.body, node.else_]) if (inner) restore(inner as Node, restored);
}

function endOf(text: string): Pick<Node, 'lineno' | 'colno'> {
  const lines = text.split('\n');
  return { lineno: lines.length - 1, colno: lines.at(-1)!.length };
}

export function refused(source: SourceText, node: Pick<Node, 'lineno' | 'colno'> | undefined, why: string): RenderingRefused {
  const where = node ? `line ${node.lineno + 1}, column ${node.colno + 1}: ` : '';
  return new RenderingRefused({ code: 'BAD_USER_INPUT', ...source, message: `${where}${why}` });
}

const CONSTRUCTS: Record<string, string> = {
  FunCall: 'a call is not possible; use a filter of the list, or compute the value and pass it as a parameter',
  Sub: 'a subtraction is not possible; if this is the name of a parameter, write it with _ in place of -',
  Concat: '~ is not possible; write the two parts next to each other',
  Set: '{% set %} is not possible; pass the value as a parameter',
  Is: '"is" is not possible; write {% if name %} or use the default filter',
  Dict: 'an object is not possible; pass it as a parameter',
  Array: 'a list can only stand after "in"; pass it as a parameter',
  Import: '{% import %} is not possible; write {% include "name" %} for a partial',
  FromImport: '{% from %} is not possible; write {% include "name" %} for a partial',
  Extends: '{% extends %} is not possible; set the layoutId of the template',
  Super: 'super() is not possible; a block replaces that of the layout',
  Macro: '{% macro %} is not possible; make a partial, and write {% include "name" %}',
  Caller: '{% call %} is not possible; make a partial, and write {% include "name" %}',
  Capture: '{% filter %} and {% set %} blocks are not possible; use filters on names',
  Switch: '{% switch %} is not possible; use {% if %} and {% elif %}',
  CallExtension: 'extensions are not possible',
  KeywordArgs: 'an argument by name is not possible; give the arguments in their order',
};
const ARITHMETIC = new Set(['Add', 'Mul', 'Div', 'FloorDiv', 'Mod', 'Pow', 'Neg', 'Pos']);
const ASYNC = new Set(['IfAsync', 'AsyncEach', 'AsyncAll', 'FilterAsync', 'CallExtensionAsync']);

/** Returns an error for a construct that is not in the language, which says what to use instead. */
export function notInLanguage(source: SourceText, node: Node): RenderingRefused {
  const { typename } = node;
  if (ARITHMETIC.has(typename)) {
    return refused(source, node, 'arithmetic is not possible; compute the value and pass it as a parameter');
  }
  if (ASYNC.has(typename)) return refused(source, node, 'this block is not possible; use {% if %} and {% for %}');
  return refused(source, node, CONSTRUCTS[typename] ?? `${typename} is not possible here`);
}
