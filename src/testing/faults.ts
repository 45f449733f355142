import { badInput } from '../common/base/app-error.js';

/** Dependencies that a test can make fail. */
const DEPENDENCIES = ['mail', 'store', 'bus'] as const;
export type Dependency = (typeof DEPENDENCIES)[number];

type Method = (...args: unknown[]) => unknown;

/** Simulates outages of dependencies, by wrapping the adapters through which the services call them. */
export class Faults {
  private readonly down = new Set<Dependency>();
  private readonly watchers = new Map<Dependency, (isDown: boolean) => void>();

  /** Wraps an adapter, so that its methods throw while its dependency is set to fail. */
  guard<T extends object>(dependency: Dependency, adapter: T, methods: readonly (keyof T & string)[], fault: () => Error): void {
    for (const name of methods) {
      const method = (adapter[name] as Method).bind(adapter);
      const guarded: Method = (...args) => {
        if (this.down.has(dependency)) throw fault();
        return method(...args);
      };
      Object.assign(adapter, { [name]: isAsync(name) ? async (...args: unknown[]) => guarded(...args) : guarded });
    }
  }

  onChange(dependency: Dependency, act: (isDown: boolean) => void): void {
    this.watchers.set(dependency, act);
  }

  /** Sets which dependencies fail. @throws BAD_USER_INPUT */
  set(changes: unknown): Record<Dependency, boolean> {
    const wanted = Object.entries(changes ?? {}) as [Dependency, unknown][];
    for (const [dependency, isDown] of wanted) {
      if (!DEPENDENCIES.includes(dependency)) throw badInput(dependency, `is unknown; must be one of ${DEPENDENCIES.join(', ')}`);
      if (typeof isDown !== 'boolean') throw badInput(dependency, 'must be true (down) or false (up)');
    }
    for (const [dependency, isDown] of wanted) {
      if (isDown === this.down.has(dependency)) continue;
      if (isDown) this.down.add(dependency);
      else this.down.delete(dependency);
      this.watchers.get(dependency)?.(isDown as boolean);
    }
    return this.read();
  }

  read(): Record<Dependency, boolean> {
    return { mail: this.down.has('mail'), store: this.down.has('store'), bus: this.down.has('bus') };
  }
}

/** Returns whether a method returns a promise: all but `list` do. */
const isAsync = (name: string): boolean => name !== 'list';
