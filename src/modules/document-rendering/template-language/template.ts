import type { Rendering, SourceField } from './result/rendering.js';
import { AddressProgress } from './html/addresses.js';
import { Facts, Scope } from './compiler/scope.js';
import type { Run, Write } from './compiler/run.js';
import { MAX_OUTPUT, outputTooLarge } from './result/output.js';
import { PAGE_START } from './html/places.js';
import { StatementCompiler } from './compiler/statements.js';
import { parse, refused } from './syntax/syntax.js';
import { Warnings } from './result/warnings.js';

/** Everything that decides, with the params, what is rendered. */
export interface TemplateSource {
  type: 'email' | 'document';
  contentType: 'plain' | 'html';
  subject: string | null;
  body: string;
  /** The parent's stylesheet first, the local rules after it. */
  css: string[];
}

/** Most work that is rendered in the server's own process: values read × the longest parameter, in UTF-16 units. */
const SMALL = 256 * 1024;
const MAX_PARSED_INLINE = 32 * 1024;

/** A checked and compiled template. The same params always give the same rendering. */
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

  /** Whether rendering with these params is provably little work. */
  isSmallWith(params: object): boolean {
    const { hasLoop, isExpanding, steps } = this.facts;
    if (hasLoop || isExpanding) return false;
    for (const name in params) if (sizeOf(params[name as never]) * steps > SMALL) return false;
    return true;
  }

  /** @throws RenderingRefused when the output is too large */
  render(params: object): Rendering {
    const found = { missing: new Set<string>(), warnings: new Warnings() };
    const subject = this.subject && written(this.subject, params, found).replace(/\r\n|[\r\n\v\f\u0085\u2028\u2029]/g, ' ');
    const body = written(this.body, params, found);
    const missingParams = [...found.missing].sort();
    return { subject: subject ?? null, body, missingParams, warnings: found.warnings.list };
  }
}

/** @throws RenderingRefused with line, column, the refused construct and an alternative */
export function compileTemplate({ contentType, subject, body }: TemplateSource): CompiledTemplate {
  const facts = new Facts();
  const compiledSubject = subject === null ? undefined : compileText(subject, 'subject', facts);
  return new CompiledTemplate(compiledSubject, compileText(body, 'body', facts, contentType === 'html'), facts);
}

/** Whether compiling is provably little work: the parser's time grows with the square of the text after a raw block. */
export function isSmallToCompile({ subject, body }: TemplateSource): boolean {
  return body.length + (subject?.length ?? 0) <= MAX_PARSED_INLINE && !/raw|verbatim/.test(body + (subject ?? ''));
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

function written(write: Write, params: object, { missing, warnings }: Pick<Run, 'missing' | 'warnings'>): string {
  const address = { values: [], progress: new AddressProgress() };
  const run: Run = { params, locals: [], missing, warnings, path: null, out: '', before: '', urlValues: new Map(), address };
  write(run);
  if (run.out.length > MAX_OUTPUT) throw outputTooLarge();
  return (run.before + run.out).toWellFormed();
}

/** An upper bound of the length of any text that can be read from a value. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return 32;
  const left: unknown[] = [value];
  let size = 0;
  while (left.length > 0 && size <= SMALL) {
    const next = left.pop();
    if (typeof next === 'string') size += next.length;
    else if (next === null || typeof next !== 'object') size += 32;
    else for (const inner of Object.values(next)) left.push(inner);
    size += 1;
  }
  return size;
}
