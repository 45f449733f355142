import type { SourceField } from '../result/rendering.js';

/** A name that a loop defines, with its slot and its path in the params. The name of a key has no path. */
interface Local {
  slot: number;
  path: string | undefined;
}

/** The names that are defined at a place in the template, and the facts collected from the whole template so far. */
export class Scope {
  constructor(
    readonly field: SourceField,
    readonly facts: Facts,
    private readonly locals: ReadonlyMap<string, Local> = new Map(),
    private readonly loopSlot?: number,
  ) {}

  /** Returns the scope inside a loop. */
  within(names: [string, string | undefined][], firstSlot: number): Scope {
    const locals = new Map(this.locals);
    names.forEach(([name, path], index) => locals.set(name, { slot: firstSlot + 1 + index, path }));
    locals.delete('loop');
    return new Scope(this.field, this.facts, locals, firstSlot);
  }

  local(name: string): Local | undefined {
    return this.locals.get(name);
  }

  get loop(): number | undefined {
    return this.loopSlot;
  }
}

/** Facts about a template, for templateParams and for computing the work of a loop. */
export class Facts {
  readonly params = new Set<string>();
  /** Work that does not depend on values: one step for each part of an expression, and steps for the text in between. */
  steps = 0;
  slots = 0;
}
