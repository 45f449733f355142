import type { Rendering, SourceField } from './result/rendering.js';
import { AddressProgress } from './html/addresses.js';
import { NOBODY, type Reader } from './filters/reader.js';
import { Facts, Scope } from './compiler/scope.js';
import type { Run, Write } from './compiler/run.js';
import { MAX_OUTPUT, outputTooLarge } from './result/output.js';
import { PAGE_START } from './html/places.js';
import { StatementCompiler } from './compiler/statements.js';
import { parse, refused } from './syntax/syntax.js';
import { Warnings } from './result/warnings.js';
import { Work } from './result/work.js';

/** All texts and types that, together with the params, determine a rendering. */
export interface TemplateSource {
  type: 'email' | 'document';
  contentType: 'plain' | 'html';
  subject: string | null;
  body: string;
  /** The stylesheets in order: that of the parent first, then the rules of the template. */
  css: string[];
}

interface RenderOptions {
  units?: number;
  reader?: Reader;
}

/** The longest source that is compiled in the server's own process, and the most code in its tags. */
const MAX_SMALL_SOURCE = 32 * 1024;
const MAX_SMALL_CODE = 4 * 1024;

/**
 * A checked and compiled template. The same params and reader always give the same rendering, but for times relative to now. The compiler follows the HTML as browsers
 * read it, so escaping needs no word from the author; branches have to end in the same place, and an attribute of URLs is
 * judged whole when written.
 */
export class CompiledTemplate {
  constructor(
    private readonly subject: Write | undefined,
    private readonly body: Write,
    private readonly facts: Facts,
  ) {}

  /** The dotted names that the template reads, sorted, each once. */
  get params(): string[] {
    return [...this.facts.params].sort();
  }

  /**
   * Renders the template.
   * @throws RenderingRefused if the output is too large; TooMuchWork if rendering takes more than `units`
   */
  render(params: object, { units = Number.POSITIVE_INFINITY, reader = NOBODY }: RenderOptions = {}): Rendering {
    const found = { reader, missing: new Set<string>(), warnings: new Warnings(), work: new Work(units) };
    const subject = this.subject && written(this.subject, params, found).replace(/\r\n|[\r\n\v\f\u0085\u2028\u2029]/g, ' ');
    const body = written(this.body, params, found);
    const missingParams = [...found.missing].sort();
    return { subject: subject ?? null, body, missingParams, warnings: found.warnings.list };
  }
}

/** Compiles a template. @throws RenderingRefused with line, column, the refused construct and an alternative */
export function compileTemplate({ contentType, subject, body }: TemplateSource): CompiledTemplate {
  const facts = new Facts();
  const compiledSubject = subject === null ? undefined : compileText(subject, 'subject', facts);
  return new CompiledTemplate(compiledSubject, compileText(body, 'body', facts, contentType === 'html'), facts);
}

/**
 * Whether compiling certainly takes little work. Raw blocks are excluded: parsing time grows with the square of the text after
 * them.
 */
export function isSmallToCompile({ subject, body }: TemplateSource): boolean {
  const text = `${subject ?? ''}\n${body}`;
  return text.length <= MAX_SMALL_SOURCE && !/raw|verbatim/.test(text) && lengthOfCode(text) <= MAX_SMALL_CODE;
}

/** Returns an upper bound of the length of all tags. A tag may contain the end of a tag as quoted text. */
function lengthOfCode(text: string): number {
  const [, ...tags] = text.split(/\{[{%]/);
  return tags.reduce((length, tag) => {
    const end = Math.max(tag.lastIndexOf('}}'), tag.lastIndexOf('%}'));
    return length + '{{}}'.length + (end < 0 ? tag.length : end);
  }, 0);
}

function compileText(text: string, field: SourceField, facts: Facts, isHtml = false): Write {
  const root = parse(text, field, isHtml);
  try {
    const compiler = new StatementCompiler(isHtml ? PAGE_START : undefined);
    const write = compiler.compile(root, new Scope(field, facts));
    const end = compiler.end(field);
    return (run) => {
      write(run);
      end(run);
    };
  } catch (error) {
    if (error instanceof RangeError) throw refused(field, undefined, 'blocks or members are nested too deeply');
    throw error;
  }
}

function written(write: Write, params: object, found: Pick<Run, 'reader' | 'missing' | 'warnings' | 'work'>): string {
  const address = { values: [], progress: new AddressProgress() };
  const run: Run = { params, locals: [], ...found, path: null, out: '', before: '', urlValues: new Map(), address };
  write(run);
  if (run.out.length > MAX_OUTPUT) throw outputTooLarge();
  return (run.before + run.out).toWellFormed();
}
