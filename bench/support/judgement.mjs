// Comparison of two builds by rounds: ratios of new to old, their spread, and whether the loss is too large.
import { median } from './report.mjs';

const AGREEING = 0.75;

/**
 * Compares `old` and `new` by the requests per second and the processor seconds per request of each round. A ratio is the median of the
 * ratios within a round. `seemsLost` is true if less than the share `allow` of throughput, or of work per processor second, is left;
 * `isLost` if the new build was also worse in three of four rounds. Otherwise the machine was too busy for a result.
 */
export function judge(rounds, allow) {
  const throughput = rounds.map((round) => round.new.perSecond / round.old.perSecond);
  const processor = rounds.map((round) => round.new.cpuSeconds / round.old.cpuSeconds);
  const kept = [throughput, processor.map((ratio) => 1 / ratio)];
  const lost = kept.filter((ratios) => median(ratios) < allow);
  const agree = (ratios) => ratios.filter((ratio) => ratio < 1).length >= AGREEING * ratios.length;
  return {
    throughput: summary(rounds, 'perSecond', throughput),
    processor: summary(rounds, 'cpuSeconds', processor),
    seemsLost: lost.length > 0,
    isLost: lost.some(agree),
  };
}

function summary(rounds, figure, ratios) {
  const middle = (build) => median(rounds.map((round) => round[build][figure]));
  return {
    old: middle('old'),
    new: middle('new'),
    median: median(ratios),
    least: Math.min(...ratios),
    most: Math.max(...ratios),
  };
}

const HEADER = ['what', 'old/s', 'new/s', 'throughput', 'spread', 'old µs', 'new µs', 'processor', 'spread', 'outcome'];

const MAX_FAILURE = 120;

/** Formats the table of comparisons; an entry with a `failure` was not measured. */
export function comparisonTable(entries) {
  const fixed = (value, digits) => (Number.isNaN(value) ? '' : value.toFixed(digits)); // where processor time is not measured
  const ratio = ({ median, least, most }) => [fixed(median, 2), `${fixed(least, 2)}–${fixed(most, 2)}`];
  const lines = entries.map(({ what, failure, throughput, processor, seemsLost, isLost }) => {
    if (failure) return [what, ...HEADER.slice(2).map(() => ''), failure.slice(0, MAX_FAILURE)];
    const rates = [throughput.old, throughput.new].map((rate) => fixed(rate, 0));
    const micros = [processor.old, processor.new].map((seconds) => fixed(seconds * 1e6, 0));
    return [what, ...rates, ...ratio(throughput), ...micros, ...ratio(processor), isLost ? 'LOST' : seemsLost ? 'unclear' : 'ok'];
  });
  return { header: HEADER, lines, left: new Set(['what', 'outcome']) };
}
