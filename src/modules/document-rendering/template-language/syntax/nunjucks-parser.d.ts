/** Only the parser of Nunjucks is used: no loader of files, no runtime. */
declare module 'nunjucks/src/parser.js' {
  const parser: { parse(source: string): unknown };
  export default parser;
}
