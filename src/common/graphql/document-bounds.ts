import { GraphQLError, Lexer, Source, TokenKind } from 'graphql';
import type { FastifyRequest } from 'fastify';
import { documentOf } from './documents/operation-by-get.js';
import { MAX_TOKENS } from './documents/query-limits.js';
import { statusOfRefusedDocument } from './operation-plugin.js';

/** Maximum length in UTF-16 units. A template and a stylesheet of 1 MiB fit even when written into the document. */
const MAX_LENGTH = 2 * 1024 * 1024 + 64 * 1024;
const LONG = 2_000;
/** Maximum number of lines. Also limits comments: each ends with its line, and the parser stores but does not count it. */
const MAX_LINES = 10_000;
/** Maximum nesting of brackets. Fields may be 16 deep; the rest is for arguments. */
const MAX_NESTING = 100;
/** Maximum number of operations and fragments. Nested fragments are followed recursively, and each operation is measured. */
const MAX_DEFINITIONS = 200;

const OPENS = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSES = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Refuses documents that would overflow the stack of the engine, which parses and validates recursively. Runs before the engine on
 * every operation, so a plainly small document costs nothing.
 * @throws GRAPHQL_PARSE_FAILED
 */
export function checkDocumentBounds(request: FastifyRequest): void {
  const document = documentOf(request);
  const { accept } = request.headers;
  if (typeof document !== 'string') return;
  // Documents are cached by a hash that reads a lone surrogate as U+FFFD: a cached document with U+FFFD there would be
  // executed.
  if (!document.isWellFormed()) refuse('has a lone surrogate; it must be well-formed Unicode', accept);
  if (document.length <= MAX_NESTING) return;
  if (document.length > MAX_LENGTH) refuse(`is longer than ${MAX_LENGTH} characters; put long values into variables`, accept);
  if (hasManyLines(document)) refuse(`has more than ${MAX_LINES} lines; put long values into variables`, accept);
  if (!hasManyBrackets(document)) return;
  const lexer = new Lexer(new Source(document));
  let depth = 0;
  let definitions = 0;
  for (let tokens = 0; tokens <= MAX_TOKENS; tokens++) {
    const token = next(lexer);
    if (!token || token.kind === TokenKind.EOF) return;
    if (depth === 0 && token.kind === TokenKind.BRACE_L) definitions++;
    if (OPENS.has(token.kind)) depth++;
    else if (CLOSES.has(token.kind)) depth--;
    if (depth > MAX_NESTING) refuse(`nests brackets more than ${MAX_NESTING} deep`, accept);
    if (definitions > MAX_DEFINITIONS) refuse(`has more than ${MAX_DEFINITIONS} operations and fragments`, accept);
  }
}

/** Returns whether a document takes milliseconds to parse and validate (20 with a hundred aliases of all fields), a slice of the event loop. */
export function isLongDocument(request: FastifyRequest): boolean {
  const document = documentOf(request);
  return typeof document === 'string' && document.length > LONG;
}

/** Counts lines, which end with CR, LF or both. */
function hasManyLines(document: string): boolean {
  if (document.length <= MAX_LINES) return false;
  let lines = 1;
  for (const end of ['\n', '\r']) {
    for (let at = document.indexOf(end); at !== -1 && lines <= MAX_LINES; at = document.indexOf(end, at + 1)) lines++;
  }
  return lines > MAX_LINES;
}

/** Returns whether the text has enough opening brackets to exceed a limit. Each definition has one too. */
function hasManyBrackets(document: string): boolean {
  let found = 0;
  for (let at = 0; at < document.length && found <= MAX_NESTING; at++) {
    const code = document.charCodeAt(at);
    if (code === 0x7b || code === 0x5b || code === 0x28) found++;
  }
  return found > MAX_NESTING;
}

/** Returns undefined if the text is not a document; the parser then reports a better error. */
function next(lexer: Lexer) {
  try {
    return lexer.advance();
  } catch {
    return undefined;
  }
}

function refuse(why: string, accept: string | undefined): never {
  const extensions = { code: 'GRAPHQL_PARSE_FAILED', http: { status: statusOfRefusedDocument(accept) } };
  throw new GraphQLError(`Syntax Error: the document ${why}`, { extensions });
}
