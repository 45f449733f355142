import { GraphQLError, Lexer, Source, TokenKind } from 'graphql';
import type { FastifyRequest } from 'fastify';
import { documentOf } from './operation-by-get.js';
import { statusOfRefusedDocument } from './operation-plugin.js';
import { MAX_TOKENS } from './query-limits.js';

/** Brackets within brackets. Fields may be 16 deep, so what is left is for arguments. */
const MAX_NESTING = 100;
/** Fragments that use each other are followed one within the other. */
const MAX_FRAGMENTS = 200;

const OPENS = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSES = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Refuses documents that would drive the engine, which parses and validates by recursion, out of its stack. Called before it
 * sees them, for every operation, so what is plainly small costs nothing.
 * @throws GRAPHQL_PARSE_FAILED
 */
export function checkDocumentBounds(request: FastifyRequest): void {
  const document = documentOf(request);
  const { accept } = request.headers;
  if (typeof document !== 'string' || document.length <= MAX_NESTING || !hasManyBrackets(document)) return;
  const lexer = new Lexer(new Source(document));
  let depth = 0;
  let fragments = 0;
  for (let tokens = 0; tokens <= MAX_TOKENS; tokens++) {
    const token = next(lexer);
    if (!token || token.kind === TokenKind.EOF) return;
    if (OPENS.has(token.kind)) depth++;
    else if (CLOSES.has(token.kind)) depth--;
    else if (depth === 0 && token.value === 'fragment') fragments++;
    if (depth > MAX_NESTING) refuse(`nests more than ${MAX_NESTING} brackets within each other`, accept);
    if (fragments > MAX_FRAGMENTS) refuse(`has more than ${MAX_FRAGMENTS} fragments`, accept);
  }
}

/** Whether there are enough of them, wherever they stand, for any bound to be passed. Each fragment has one too. */
function hasManyBrackets(document: string): boolean {
  let found = 0;
  for (let at = 0; at < document.length && found <= MAX_NESTING; at++) {
    const code = document.charCodeAt(at);
    if (code === 0x7b || code === 0x5b || code === 0x28) found++;
  }
  return found > MAX_NESTING;
}

/** Nothing where the text is no document, which the parser says better. */
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
