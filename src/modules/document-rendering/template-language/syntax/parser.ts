import lexer from 'nunjucks/src/lexer.js';
import nunjucks from 'nunjucks/src/parser.js';

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
export function parseText(text: string): unknown {
  return new Parser(lexer.lex(text)).parseAsRoot();
}
