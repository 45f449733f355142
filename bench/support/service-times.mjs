// Service times of a simulation from two measurements of each operation, with one caller and with many. Many callers share turns of the
// event loop and statements, so a call costs less. What is shared follows from the turns and groups of the simulation itself, in steps.
import { simulate } from '../simulate.mjs';

const STEPS = 6;
const SECONDS = 5;
const ONE_CORE = { cores: 1 };

/**
 * Adds the service times to operations with the costs in ms `alone` and `together`, each `{ node, postgres }`. The first operation shares
 * no statement; the time of a turn follows from it.
 */
export function serviceTimes(operations, settings) {
  let turnMs = 0;
  const mix = operations.map((operation, index) => {
    const found = fitted(operation, { ...settings, turnMs: index === 0 ? undefined : turnMs });
    if (index === 0) turnMs = found.turnMs;
    return found.operation;
  });
  return { turnMs, mix };
}

/** Multiplies all service times, so that the simulated mix on one node takes the processor time per call that was measured there. */
export function calibrated({ turnMs, mix }, measured, settings) {
  const { used } = simulate({ ...settings, node: { ...settings.node, turnMs }, mix });
  const factor = { node: measured.node / used.node, postgres: measured.postgres / used.postgres };
  const scaled = (times) => ({ node: times.node * factor.node, postgres: times.postgres * factor.postgres });
  const operations = mix.map((one) => ({
    ...one,
    ...scaled(one),
    ...(one.group && { group: { ...one.group, ...scaled(one.group) } }),
  }));
  return { factor, turnMs: turnMs * factor.node, mix: operations };
}

function fitted({ alone, together, ...operation }, { turnMs: given, callers, database, connections }) {
  let turnMs = given ?? 0;
  const now = { ...operation, share: 1, node: together.node, postgres: together.postgres };
  if (operation.group) now.group = { ...operation.group, node: 0, postgres: 0 };
  const run = (count) => {
    const node = { ...ONE_CORE, turnMs };
    return simulate({ nodes: 1, node, database, connections, mix: [now], callers: count, seconds: SECONDS });
  };
  for (let step = 0; step < STEPS; step++) {
    const [one, many] = [run(1), run(callers)];
    const [turns, groups] = [one.turns - many.turns, one.groups - many.groups];
    const saved = alone.node - together.node;
    if (given === undefined) turnMs = Math.max(0, saved / turns);
    if (now.group) {
      now.group.node = Math.max(0, (saved - turnMs * turns) / groups);
      now.group.postgres = Math.max(0, (alone.postgres - together.postgres) / groups);
      now.postgres = Math.max(0, together.postgres - now.group.postgres * many.groups);
    }
    now.node = Math.max(0, together.node - turnMs * many.turns - (now.group?.node ?? 0) * many.groups);
  }
  return { turnMs, operation: { ...now, share: operation.share } };
}
