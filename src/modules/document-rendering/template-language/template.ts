// Room: Checks, compiles and escapes templates.
import type { Rendering, SourceText } from './result/rendering.js';
import { AddressProgress } from './html/addresses.js';
import { NOBODY, type Reader } from './filters/reader.js';
import { type Composed, Composition } from './compiler/composition.js';
import { Facts, Scope } from './compiler/scope.js';
import type { Run, Write } from './compiler/run.js';
import { MAX_OUTPUT, outputTooLarge } from './result/refusal.js';
import { PAGE_START } from './html/places.js';
import { StatementCompiler } from './compiler/statements.js';
import { type Node, parse, refused } from './syntax/syntax.js';
import { Warnings } from './result/warnings.js';
import { TooMuchWork, WorkUnits } from './result/work-units.js';

/** Everything except params that determines a rendering. */
export interface TemplateSource extends Composed {
  type: 'email' | 'document';
  /** Language of subject and body; null if unknown. */
  locale: string | null;
  subject: string | null;
  /** Stylesheets in order: those of the layouts from outermost to innermost, then the parent's, then the template's own. */
  css: string[];
}

export interface TemplateNames {
  /** Dotted parameter names, sorted and unique. */
  params: string[];
  /** Partials included by the template's own text. */
  includes: string[];
}

interface RenderOptions {
  units?: number;
  reader?: Reader;
}

/** Maximum length of a source compiled in the server process, and of the code in its tags. */
const MAX_SMALL_SOURCE = 32 * 1024;
const MAX_SMALL_CODE = 4 * 1024;

/**
 * Compiled template. The same params, locale and zone always give the same output, except for relative times. The compiler parses the
 * HTML like browsers, so escaping is automatic. Branches must end in the same HTML context, and URL attributes are checked as a whole
 * when written.
 */
export class CompiledTemplate {
  constructor(
    private readonly subject: Write | undefined,
    private readonly body: Write,
    private readonly facts: Facts,
  ) {}

  /** Returns the names needed for saving and describing a template. */
  get names(): TemplateNames {
    return { params: [...this.facts.params].sort(), includes: [...this.facts.includes] };
  }

  /** Renders the template. @throws RenderingRefused if the output is too large; TooMuchWork beyond `units` */
  render(params: object, { units = Number.POSITIVE_INFINITY, reader = NOBODY }: RenderOptions = {}): Rendering {
    const found = { reader, missing: new Set<string>(), warnings: new Warnings(), work: new WorkUnits(units) };
    const subject = this.subject && written(this.subject, params, found).replace(/\r\n|[\r\n\v\f\u0085\u2028\u2029]/g, ' ');
    const body = written(this.body, params, found);
    const missingParams = [...found.missing].sort();
    return { subject: subject ?? null, body, missingParams, warnings: found.warnings.list };
  }
}

/** Compiles a template. @throws RenderingRefused with line, column, the unsupported construct and an alternative */
export function compileTemplate(source: TemplateSource): CompiledTemplate {
  return compiled(source, new Composition(source));
}

/**
 * Compiles a template if that certainly takes little work; otherwise returns undefined. Raw blocks never do: their parsing time is
 * quadratic in the text that follows.
 */
export function compileSmallTemplate(source: TemplateSource): CompiledTemplate | undefined {
  const { subject, body, layouts, partials } = source;
  const text = [subject ?? '', body, ...[...layouts, ...partials].map((part) => part.body)].join('\n');
  if (text.length > MAX_SMALL_SOURCE || /raw|verbatim/.test(text) || lengthOfCode(text) > MAX_SMALL_CODE) return undefined;
  try {
    return compiled(source, new Composition(source, MAX_SMALL_SOURCE));
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}

/** Returns an upper bound of the length of all tags. A tag may contain its own end marker in quotes. */
function lengthOfCode(text: string): number {
  const [, ...tags] = text.split(/\{[{%]/);
  return tags.reduce((length, tag) => {
    const end = Math.max(tag.lastIndexOf('}}'), tag.lastIndexOf('%}'));
    return length + '{{}}'.length + (end < 0 ? tag.length : end);
  }, 0);
}

function compiled({ contentType, subject, partial }: TemplateSource, composition: Composition): CompiledTemplate {
  const facts = new Facts();
  const ofSubject: SourceText = { field: 'subject', part: null };
  const begin = (): Start => ({ root: parse(subject!, ofSubject, false), scope: Scope.of(ofSubject, facts) });
  const compiledSubject = subject === null ? undefined : compileText(begin(), new StatementCompiler(undefined, composition));
  const isPage = contentType === 'html' && partial === undefined;
  const compiler = new StatementCompiler(isPage ? PAGE_START : undefined, composition);
  return new CompiledTemplate(compiledSubject, compileText(composition.start(facts), compiler), facts);
}

interface Start {
  root: Node;
  scope: Scope;
}

function compileText({ root, scope }: Start, compiler: StatementCompiler): Write {
  try {
    const write = compiler.compile(root, scope);
    const end = compiler.end(scope.text);
    return (run) => {
      write(run);
      end(run);
    };
  } catch (error) {
    if (error instanceof RangeError) throw refused(scope.text, undefined, 'blocks or members are nested too deeply');
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
