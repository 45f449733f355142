/** Entry point of juice that uses neither network nor files. */
declare module 'juice/client' {
  export { default } from 'juice';
}

/** Types of the Nunjucks parser. Its file loader and runtime are not used. */
declare module 'nunjucks/src/parser.js' {
  interface Token {
    lineno: number;
    colno: number;
    value: string;
  }
  class Parser {
    constructor(tokens: unknown);
    peekToken(): Token;
    skipSymbol(name: string): boolean;
    parseExpression(): unknown;
    advanceAfterBlockEnd(name: string): void;
    parseAsRoot(): unknown;
  }
  const parser: { Parser: typeof Parser };
  export default parser;
}

declare module 'nunjucks/src/lexer.js' {
  const lexer: { lex(text: string): unknown };
  export default lexer;
}
