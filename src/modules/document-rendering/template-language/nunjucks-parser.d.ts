/** The part of Nunjucks that reads a text: no loader of files, no runtime. */
declare module 'nunjucks/src/parser.js' {
  const parser: { parse(source: string): unknown };
  export default parser;
}
