interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

interface Options<Item, Result> {
  /** Writes what several callers want stored, at once or not at all, and answers for each. */
  write: (items: Item[]) => Promise<Result[]>;
  /** How much of a group an item is; a group takes no more once it is over `maxLength`. */
  lengthOf: (item: Item) => number;
  maxLength: number;
  /** Groups that are written at the same time. */
  maxRunning: number;
  /** Whether every item fails with it, so that none needs to be tried alone. */
  failsAll: (error: unknown) => boolean;
}

/**
 * Joins the writes of callers who come in one turn of the event loop, or while others are written: a commit waits for the
 * disk, so they share the next one. Each is answered after the commit that holds what it wrote.
 */
export class GroupedWrites<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private running = 0;
  private scheduled = false;

  constructor(private readonly options: Options<Item, Result>) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.scheduled || this.running >= this.options.maxRunning || this.waiting.length === 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.running++;
      void this.write(this.takeGroup()).finally(() => {
        this.running--;
        this.schedule();
      });
      this.schedule();
    });
  }

  private takeGroup(): Waiting<Item, Result>[] {
    const { lengthOf, maxLength } = this.options;
    let total = 0;
    const end = this.waiting.findIndex(({ item }, index) => (total += lengthOf(item)) > maxLength && index > 0);
    return this.waiting.splice(0, end === -1 ? this.waiting.length : end);
  }

  /** What one item fails with is not the others' fault, so each then is written alone. */
  private async write(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.write(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      const alone = group.length === 1 || this.options.failsAll(error);
      for (const one of group) await (alone ? one.reject(error) : this.write([one]));
    }
  }
}
