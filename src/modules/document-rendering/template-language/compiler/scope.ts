import type { SourceText } from '../result/rendering.js';

/** Name defined by a loop or a partial's `with`, with its slot and its path in the params. Names of keys have no path. */
interface Local {
  slot: number;
  path: string | undefined;
}

/** Names visible to the compiled text. */
interface Seen {
  locals: ReadonlyMap<string, Local>;
  /** Slot of the innermost loop counter. */
  loop: number | undefined;
  /** Item of a partial included `with` one; its members are the names. */
  item: Local | undefined;
  /** Names of the enclosing partials, outermost first. */
  partials: readonly string[];
  /** Number of layouts between the text and the template; undefined where blocks are not allowed. */
  level: number | undefined;
}

const NOTHING: Seen = { locals: new Map(), loop: undefined, item: undefined, partials: [], level: undefined };

/** Names defined at a position in the template, and the facts collected so far. */
export class Scope {
  private constructor(
    readonly text: SourceText,
    readonly facts: Facts,
    private readonly seen: Seen,
  ) {}

  /** Returns the scope of a text that sees only the params. */
  static of(text: SourceText, facts: Facts, seen: Partial<Pick<Seen, 'level' | 'partials'>> = {}): Scope {
    return new Scope(text, facts, { ...NOTHING, ...seen });
  }

  within(names: [string, string | undefined][], firstSlot: number): Scope {
    const locals = new Map(this.seen.locals);
    names.forEach(([name, path], index) => locals.set(name, { slot: firstSlot + 1 + index, path }));
    locals.delete('loop');
    return new Scope(this.text, this.facts, { ...this.seen, locals, loop: firstSlot });
  }

  /** Returns the scope of a partial included here. It sees the current names, or only the members of an item. */
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

/** Facts about a template, for templateParams and for the work of loops. */
export class Facts {
  readonly params = new Set<string>();
  /** Partials included by the template's own text. */
  readonly includes = new Set<string>();
  /** Work independent of values: one step per part of an expression, plus steps for literal text. */
  steps = 0;
  slots = 0;
}
