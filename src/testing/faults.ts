import { badInput } from '../common/base/app-error.js';

/** The parts that a test can make fail. */
const PARTS = ['mail', 'store', 'bus'] as const;
export type Part = (typeof PARTS)[number];

type Method = (...args: unknown[]) => unknown;

/** Makes parts fail and work again, by wrapping the adapters through which the services call them. */
export class Faults {
  private readonly away = new Set<Part>();
  private readonly watchers = new Map<Part, (isAway: boolean) => void>();

  /** Makes the methods of an adapter throw while its part is set to fail. */
  guard<T extends object>(part: Part, adapter: T, methods: readonly (keyof T & string)[], fault: () => Error): void {
    for (const name of methods) {
      const method = (adapter[name] as Method).bind(adapter);
      const guarded: Method = (...args) => {
        if (this.away.has(part)) throw fault();
        return method(...args);
      };
      Object.assign(adapter, { [name]: isAsync(name) ? async (...args: unknown[]) => guarded(...args) : guarded });
    }
  }

  onChange(part: Part, act: (isAway: boolean) => void): void {
    this.watchers.set(part, act);
  }

  /** @throws BAD_USER_INPUT */
  set(changes: unknown): Record<Part, boolean> {
    const wanted = Object.entries(changes ?? {}) as [Part, unknown][];
    for (const [part, isAway] of wanted) {
      if (!PARTS.includes(part)) throw badInput(part, `is not a part; the parts are ${PARTS.join(', ')}`);
      if (typeof isAway !== 'boolean') throw badInput(part, 'must be true (away) or false (there)');
    }
    for (const [part, isAway] of wanted) {
      if (isAway === this.away.has(part)) continue;
      if (isAway) this.away.add(part);
      else this.away.delete(part);
      this.watchers.get(part)?.(isAway as boolean);
    }
    return this.read();
  }

  read(): Record<Part, boolean> {
    return { mail: this.away.has('mail'), store: this.away.has('store'), bus: this.away.has('bus') };
  }
}

/** `list` is the one method of an adapter that does not return a promise. */
const isAsync = (name: string): boolean => name !== 'list';
