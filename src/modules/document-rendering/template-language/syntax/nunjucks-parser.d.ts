/** Only the parser of Nunjucks is used, not its file loader or its runtime. */
declare module 'nunjucks/src/parser.js' {
  const parser: { parse(source: string): unknown };
  export default parser;
}
