import lexer from 'nunjucks/src/lexer.js';
import nunjucks from 'nunjucks/src/parser.js';
import { RenderingRefused } from '../result/refusal.js';
import type { SourcePosition, SourceText } from '../result/rendering.js';
import { findTags, WrongTag } from './tags.js';

/** Nunjucks parser with `{% include "name" with item %}`. */
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

/** Node of the Nunjucks syntax tree, with the members used here. */
export interface Node {
  typename: string;
  /** Line and column, from 0. */
  lineno: number;
  colno: number;
  children?: Node[];
  value?: unknown;
  [member: string]: unknown;
}

/** Returns the start position of an expression. The parser gives only the operator's position for most. */
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

/** Parses a text. @throws RenderingRefused with line and column for an invalid template */
export function parse(text: string, source: SourceText, isHtml: boolean): Node {
  const hidden = hiddenIn(text, source, isHtml);
  try {
    const root = parseText(hidden?.text ?? text) as Node;
    if (hidden) hidden.restore(root);
    return root;
  } catch (error) {
    if (error instanceof RangeError) throw refused(source, undefined, 'blocks or brackets are nested too deeply');
    // The parser throws a TypeError at the end of the text for an unclosed tag.
    if (error instanceof TypeError) throw refused(source, endOf(text), 'the text ends inside a tag; close it with }} or %}');
    const { message, lineno, colno } = error as Error & { lineno?: number; colno?: number };
    const where = lineno === undefined ? endOf(text) : { lineno: lineno - 1, colno: (colno ?? 1) - 1 };
    throw refused(source, where, message.replace(/^(\(.*?\)\s*)?(\[Line.*?\]\s*)?(Template render error:\s*)?/, '').trim());
  }
}

/** Replaces literal braces that the parser would mistake for tags by unused characters. Returns undefined if there are none. */
function hiddenIn(text: string, source: SourceText, isHtml: boolean): { text: string; restore(root: Node): void } | undefined {
  const places = located(text, source, isHtml);
  if (places.length === 0) return undefined;
  const [open, close] = unusedIn(text);
  if (close === undefined) throw refused(source, undefined, 'the text contains noncharacters of Unicode; remove them');
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

/** Returns two Unicode noncharacters that the text does not contain. */
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
  FunCall: 'calls are not supported; use a filter of the list, or compute the value and pass it as a parameter',
  Sub: 'subtraction is not supported; in the name of a parameter, write _ instead of -',
  Concat: '~ is not supported; write the two parts next to each other',
  Set: '{% set %} is not supported; pass the value as a parameter',
  Is: '"is" is not supported; write {% if name %} or use the default filter',
  Dict: 'objects are not supported; pass the object as a parameter',
  Array: 'a list is allowed only after "in"; pass it as a parameter',
  Import: '{% import %} is not supported; write {% include "name" %} for a partial',
  FromImport: '{% from %} is not supported; write {% include "name" %} for a partial',
  Extends: '{% extends %} is not supported; set the layoutId of the template',
  Super: 'super() is not supported; a block replaces that of the layout',
  Macro: '{% macro %} is not supported; create a partial, and write {% include "name" %}',
  Caller: '{% call %} is not supported; create a partial, and write {% include "name" %}',
  Capture: '{% filter %} and {% set %} blocks are not supported; use filters on names',
  Switch: '{% switch %} is not supported; use {% if %} and {% elif %}',
  CallExtension: 'extensions are not supported',
  KeywordArgs: 'named arguments are not supported; write the arguments in order',
};
const ARITHMETIC = new Set(['Add', 'Mul', 'Div', 'FloorDiv', 'Mod', 'Pow', 'Neg', 'Pos']);
const ASYNC = new Set(['IfAsync', 'AsyncEach', 'AsyncAll', 'FilterAsync', 'CallExtensionAsync']);

/** Returns the error for an unsupported construct, with its alternative. */
export function notInLanguage(source: SourceText, node: Node): RenderingRefused {
  const { typename } = node;
  if (ARITHMETIC.has(typename)) {
    return refused(source, node, 'arithmetic is not supported; compute the value and pass it as a parameter');
  }
  if (ASYNC.has(typename)) return refused(source, node, 'this block is not supported; use {% if %} and {% for %}');
  return refused(source, node, CONSTRUCTS[typename] ?? `${typename} is not supported`);
}
