import type { SourceText } from '../result/rendering.js';

/** A name that a loop defines, or the item of a partial, with its slot and its path in the params. The name of a key has no path. */
interface Local {
  slot: number;
  path: string | undefined;
}

/** The text that is compiled, and the names that it sees. */
interface Seen {
  locals: ReadonlyMap<string, Local>;
  /** The slot of the innermost loop's count. */
  loop: number | undefined;
  /** The item whose members are the names, in a partial that was included with one. */
  item: Local | undefined;
  /** The names of the partials that the text is in, from the outermost inwards. */
  partials: readonly string[];
  /** How many layouts the text is away from the template itself; undefined where no block can stand. */
  level: number | undefined;
}

const NOTHING: Seen = { locals: new Map(), loop: undefined, item: undefined, partials: [], level: undefined };

/** The names that are defined at a place in the template, and the facts collected from the whole template so far. */
export class Scope {
  private constructor(
    readonly text: SourceText,
    readonly facts: Facts,
    private readonly seen: Seen,
  ) {}

  /** Returns the scope of a text that sees the params alone. */
  static of(text: SourceText, facts: Facts, seen: Partial<Pick<Seen, 'level' | 'partials'>> = {}): Scope {
    return new Scope(text, facts, { ...NOTHING, ...seen });
  }

  /** Returns the scope inside a loop. */
  within(names: [string, string | undefined][], firstSlot: number): Scope {
    const locals = new Map(this.seen.locals);
    names.forEach(([name, path], index) => locals.set(name, { slot: firstSlot + 1 + index, path }));
    locals.delete('loop');
    return new Scope(this.text, this.facts, { ...this.seen, locals, loop: firstSlot });
  }

  /** Returns the scope of a partial that is included here. It sees the names around it, or only the members of an item. */
  ofPartial(name: string, item?: Local): Scope {
    const { seen } = this;
    const partials = [...seen.partials, name];
    const own = item ? { ...NOTHING, item } : seen;
    return new Scope({ field: 'body', part: { kind: 'partial', name } }, this.facts, { ...own, partials, level: undefined });
  }

  local(name: string): Local | undefined {
    return this.seen.locals.get(name);
  }

  get loop(): number | undefined {
    return this.seen.loop;
  }

  get item(): Local | undefined {
    return this.seen.item;
  }

  get partials(): readonly string[] {
    return this.seen.partials;
  }

  get level(): number | undefined {
    return this.seen.level;
  }
}

/** Facts about a template, for templateParams and for computing the work of a loop. */
export class Facts {
  readonly params = new Set<string>();
  /** The partials that the template's own text includes. */
  readonly includes = new Set<string>();
  /** Work that does not depend on values: one step for each part of an expression, and steps for the text in between. */
  steps = 0;
  slots = 0;
}
