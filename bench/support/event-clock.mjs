// Time of a simulation, and its random numbers.

/** Linear congruential generator modulo 2^32: the same seed gives the same run. */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/** Events by time in a binary heap; equal times run in the order in which they were added. */
export class Clock {
  now = 0;
  #heap = [];
  #added = 0;

  after(ms, run) {
    const heap = this.#heap;
    const event = { at: this.now + ms, order: this.#added++, run };
    let index = heap.length;
    for (let parent = (index - 1) >> 1; index > 0 && isBefore(event, heap[parent]); parent = (index - 1) >> 1) {
      heap[index] = heap[parent];
      index = parent;
    }
    heap[index] = event;
  }

  run(until) {
    for (let event = this.#next(); event && event.at <= until; event = this.#next()) {
      this.now = event.at;
      event.run();
    }
  }

  #next() {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0) return first;
    let index = 0;
    for (let child = 1; child < heap.length; child = 2 * index + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], last)) break;
      heap[index] = heap[child];
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(one, other) {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
