// Simulation by discrete events of nodes behind one database, from processor time measured elsewhere, in ms. A call runs on the event loop
// of its node, waits for a turn at the database, runs there, and runs on its node again. As in the product, a tenant has half of the
// node's connections, and calls of one kind share statements: some at once, and their starts are apart unless one ends. A node runs on
// one core, or on a share of it: so much time in each period, as the kernel grants it.
import { Clock, randomOf } from './support/event-clock.mjs';

const WARM_UP = 0.1;
const SMALLEST = 1e-9;

/**
 * Returns the throughput per second, the times of calls in ms, sorted, and per call the processor time, turns of event loops and groups. Leaves the
 * first tenth out of throughput and times. `mix` are operations with `share`, `node`, `postgres` and `delay`, and maybe a `group` with
 * `atOnce`, `intervalMs`, `node` and `postgres`. Calls arrive at random with the rate `perSecond`, or each of some `callers` waits for
 * its answer and sends the next.
 * @param {{ nodes: number, node: { cores: number, periodMs?: number, turnMs?: number }, database: { cores: number },
 *   connections: number, mix: any[], perSecond?: number, callers?: number, seconds: number, seed?: number }} settings
 */
export function simulate({ nodes, node, database, connections, mix, perSecond, callers, seconds, seed = 1 }) {
  const world = { clock: new Clock(), random: randomOf(seed) };
  world.database = new Processor(world.clock, database);
  world.nodes = Array.from({ length: nodes }, () => new Node(world, { ...node, connections }));
  const until = seconds * 1_000;
  const times = [];
  let calls = 0;
  const call = (done) => {
    const startedAt = world.clock.now;
    calls++;
    world.nodes[Math.floor(world.random() * nodes)].answer(chosen(mix, world.random()), () => {
      if (startedAt >= until * WARM_UP && world.clock.now <= until) times.push(world.clock.now - startedAt);
      done?.();
    });
  };
  const again = () => world.clock.now < until && call(again);
  const arrive = () => {
    call();
    const pause = (-Math.log(1 - world.random()) * 1_000) / perSecond;
    if (world.clock.now + pause < until) world.clock.after(pause, arrive);
  };
  if (callers) for (let caller = 0; caller < callers; caller++) again();
  else arrive();
  world.clock.run(until);
  const sum = (of) => world.nodes.reduce((all, one) => all + of(one), 0) / calls;
  return {
    perSecond: times.length / (seconds * (1 - WARM_UP)),
    times: times.sort((a, b) => a - b),
    used: { node: sum(({ loop }) => loop.used), postgres: world.database.used / calls },
    turns: sum(({ loop }) => loop.turns),
    groups: sum(({ groups }) => [...groups.values()].reduce((all, { count }) => all + count, 0)),
  };
}

/** Returns the value below which a share of the sorted values lies. */
export const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

function chosen(mix, random) {
  let left = random * mix.reduce((sum, { share }) => sum + share, 0);
  return mix.find(({ share }) => (left -= share) < 0) ?? mix.at(-1);
}

/** Work in order of arrival on several cores. */
class Processor {
  used = 0;
  #waiting = [];
  #free;

  constructor(clock, { cores }) {
    this.clock = clock;
    this.#free = cores;
  }

  run(work, done) {
    this.#waiting.push({ work, done });
    this.#begin();
  }

  #begin() {
    while (this.#free > 0 && this.#waiting.length > 0) {
      const { work, done } = this.#waiting.shift();
      this.#free--;
      this.used += work;
      this.clock.after(work, () => {
        this.#free++;
        done();
        this.#begin();
      });
    }
  }
}

/** One core: a turn takes all waiting tasks, and time of its own. Tasks that arrive meanwhile form the next turn. */
class EventLoop {
  turns = 0;
  used = 0;
  #tasks = [];
  #last = [];
  #isRunning = false;
  #period = -1;
  #usedOfPeriod = 0;

  constructor({ clock, random }, { cores, periodMs = 1, turnMs = 0 }) {
    this.clock = clock;
    this.turnMs = turnMs;
    this.quotaMs = cores < 1 ? cores * periodMs : undefined;
    this.periodMs = periodMs;
    this.phase = random() * periodMs;
  }

  run(work, done) {
    this.#tasks.push({ work, done });
    this.#wake();
  }

  /** Runs a task at the end of the current turn. */
  runLast(work, done) {
    this.#last.push({ work, done });
    this.#wake();
  }

  #wake() {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.clock.after(0, () => this.#turn());
  }

  #turn() {
    this.turns++;
    this.#each(this.#tasks.splice(0), this.turnMs, () =>
      this.#each(this.#last.splice(0), 0, () => {
        this.#isRunning = false;
        if (this.#tasks.length + this.#last.length > 0) this.#wake();
      }),
    );
  }

  #each([first, ...others], before, done) {
    if (!first) return before > 0 ? this.clock.after(this.#lasting(before), done) : done();
    this.clock.after(this.#lasting(before + first.work), () => {
      first.done();
      this.#each(others, 0, done);
    });
  }

  /** Returns how long work takes from now on, with the pauses of a limited core. */
  #lasting(work) {
    this.used += work;
    if (this.quotaMs === undefined) return work;
    const startedAt = this.clock.now + this.phase;
    let at = startedAt;
    for (let left = work; left > SMALLEST;) {
      const period = Math.floor(at / this.periodMs + SMALLEST);
      if (period !== this.#period) [this.#period, this.#usedOfPeriod] = [period, 0];
      const end = (period + 1) * this.periodMs;
      const slice = Math.min(left, this.quotaMs - this.#usedOfPeriod, end - at);
      left -= slice;
      this.#usedOfPeriod += slice;
      at = left > SMALLEST && this.#usedOfPeriod >= this.quotaMs - SMALLEST ? end : at + slice;
    }
    return at - startedAt;
  }
}

class Node {
  groups = new Map();

  constructor(world, { connections, ...limits }) {
    this.world = world;
    this.loop = new EventLoop(world, limits);
    this.turns = new Turns(Math.ceil(connections / 2));
  }

  answer(operation, done) {
    const half = operation.node / 2;
    const end = () => this.loop.run(half, () => this.world.clock.after(operation.delay, done));
    this.loop.run(half, () => {
      if (operation.group) this.#groupsOf(operation).add(operation.postgres, end);
      else this.query(operation.postgres, end);
    });
  }

  query(work, done) {
    this.turns.take((release) => {
      this.world.database.run(work, () => {
        release();
        done();
      });
    });
  }

  #groupsOf({ name, group }) {
    if (!this.groups.has(name)) this.groups.set(name, new Groups(this, group));
    return this.groups.get(name);
  }
}

/** Connections of a tenant to the database, in order of arrival. */
class Turns {
  #waiting = [];

  constructor(free) {
    this.free = free;
  }

  take(run) {
    this.#waiting.push(run);
    this.#next();
  }

  #next() {
    if (this.free === 0 || this.#waiting.length === 0) return;
    this.free--;
    this.#waiting.shift()(() => {
      this.free++;
      this.#next();
    });
  }
}

/** Calls of one kind that share a statement. */
class Groups {
  count = 0;
  #items = [];
  #running = 0;
  #pace;
  #isScheduled = false;

  constructor(node, { atOnce, intervalMs, node: nodeMs, postgres: postgresMs }) {
    Object.assign(this, { node, atOnce, intervalMs, nodeMs, postgresMs });
  }

  add(work, done) {
    this.#items.push({ work, done });
    this.#schedule();
  }

  #schedule() {
    if (this.#isScheduled || this.#pace || this.#running >= this.atOnce || this.#items.length === 0) return;
    this.#isScheduled = true;
    this.node.loop.runLast(this.nodeMs, () => this.#begin());
  }

  #begin() {
    const items = this.#items.splice(0);
    const pace = {};
    this.count++;
    this.#isScheduled = false;
    this.#running++;
    if (this.intervalMs > 0) {
      this.#pace = pace;
      this.node.world.clock.after(this.intervalMs, () => this.#resume(pace));
    }
    const work = items.reduce((sum, item) => sum + item.work, this.postgresMs);
    this.node.query(work, () => {
      this.#running--;
      for (const { done } of items) done();
      this.#resume(pace);
    });
    this.#schedule();
  }

  #resume(pace) {
    if (this.#pace === pace) this.#pace = undefined;
    this.#schedule();
  }
}
