import type { Rendering, TemplateSource } from '../rendering/render-job.js';
import { AddressProgress } from './addresses.js';
import { Facts, type Run, Scope } from './expressions.js';
import { MAX_OUTPUT, outputTooLarge } from './output.js';
import { PAGE_START } from './places.js';
import { StatementCompiler, type Write } from './statements.js';
import { parse, type Part, refused } from './syntax.js';
import { Warnings } from './warnings.js';

/** What may be rendered in the server's own process: values read × the longest parameter, in UTF-16 units. */
const SMALL = 256 * 1024;
const MAX_PARSED_INLINE = 32 * 1024;

/** A template that was checked and compiled. Rendering it twice with the same params gives the same. */
export class CompiledTemplate {
  constructor(
    private readonly subject: Write | undefined,
    private readonly body: Write,
    private readonly facts: Facts,
  ) {}

  /** The dotted names that it reads, sorted, each once. */
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

/** @throws RenderingRefused with line, column, the construct and what to use instead */
export function compileTemplate({ contentType, subject, body }: TemplateSource): CompiledTemplate {
  const facts = new Facts();
  const compiledSubject = subject === null ? undefined : compileText(subject, 'subject', facts);
  return new CompiledTemplate(compiledSubject, compileText(body, 'body', facts, contentType === 'html'), facts);
}

/** Whether compiling is provably little work: the parser reads text after a raw block again and again. */
export function isSmallToCompile({ subject, body }: TemplateSource): boolean {
  return body.length + (subject?.length ?? 0) <= MAX_PARSED_INLINE && !/raw|verbatim/.test(body + (subject ?? ''));
}

function compileText(text: string, part: Part, facts: Facts, isHtml = false): Write {
  const root = parse(text, part, isHtml);
  try {
    const compiler = new StatementCompiler(isHtml ? PAGE_START : undefined);
    const write = compiler.compile(root, new Scope(part, facts));
    const end = compiler.end(part);
    return (run) => {
      write(run);
      end(run);
    };
  } catch (error) {
    if (error instanceof RangeError) throw refused(part, undefined, 'blocks or members are nested too deeply');
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

/** At least as long as any text that can be read from it. */
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
