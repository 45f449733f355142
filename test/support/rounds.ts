import { Choices } from './random-operations.js';

const COUNT = Number(process.env.TEST_ROUNDS ?? 10);
const FIRST_SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);

/** Timeouts of the code under test are 6, 10, 12, 15 and 20 s: most faults are shorter, the others just longer than one of them. */
const BEYOND_MS = [6_000, 7_000, 10_000, 12_000, 15_000, 20_000];

/** Returns a duration below 6 s, or, in one of three cases, up to 1.5 s beyond a timeout. */
function lengthOf(choices: Choices): number {
  if (choices.happens(1 / 3)) return choices.of(BEYOND_MS) + choices.below(1_500);
  return choices.below(choices.of([300, 2_000, 6_000]));
}

/** A fault with its duration. */
interface Fault<Kind extends string> {
  kind: Kind;
  ms: number;
}

/** Consecutive faults, and the time of kill -9 after the start of the last. */
export interface Round<Kind extends string> {
  faults: Fault<Kind>[];
  killAfterMs: number;
}

/**
 * Tests rounds of faults that seeds choose, five beside one another; a title names the faults and the seed. TEST_ROUNDS=100 tests so many
 * rounds, and TEST_SEED=7 TEST_ROUNDS=1 chooses the faults of the round of that seed again.
 */
export function itInRounds<Kind extends string>(
  title: string,
  kinds: readonly Kind[],
  run: (round: Round<Kind>) => Promise<void>,
) {
  const rounds = Array.from({ length: COUNT }, (_, index) => {
    const seed = FIRST_SEED + index;
    const round = roundOf(new Choices(seed), kinds);
    const faults = round.faults.map(({ kind, ms }) => `${kind} for ${ms} ms`).join(', ');
    return { seed, round, title: `${faults}; kill -9 ${round.killAfterMs} ms later` };
  });
  it.concurrent.each(rounds)(`${title}: $title (TEST_SEED=$seed)`, ({ round }) => run(round));
}

function roundOf<Kind extends string>(choices: Choices, kinds: readonly Kind[]): Round<Kind> {
  const faults = Array.from({ length: 1 + choices.below(3) }, () => ({ kind: choices.of(kinds), ms: lengthOf(choices) }));
  // A fault still shows for a while after its end, in callers that gave up and in what they left.
  return { faults, killAfterMs: choices.below(faults.at(-1)!.ms + 2_000) };
}
