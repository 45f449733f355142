import { quantile, simulate } from '../../bench/simulate.mjs';
import { calibrated, serviceTimes } from '../../bench/support/service-times.mjs';

const DATABASE = { cores: 1 };
const call = { name: 'call', share: 1, node: 0, postgres: 0, delay: 0 };
const settings = { nodes: 1, node: { cores: 1 }, database: DATABASE, connections: 1_000, seconds: 200 };
const mean = (times: number[]) => times.reduce((sum, time) => sum + time, 0) / times.length;
const grouped = { ...call, node: 0.1, postgres: 0.05, group: { atOnce: 4, intervalMs: 5, node: 0.3, postgres: 0.2 } };

describe('the simulation', () => {
  it('has the mean time of theory for random arrivals at one server with constant service times (M/D/1)', () => {
    const { times, perSecond } = simulate({ ...settings, mix: [{ ...call, postgres: 1 }], perSecond: 600 });
    expect(perSecond / 600).toBeCloseTo(1, 1);
    expect(mean(times)).toBeGreaterThan(1.7);
    expect(mean(times)).toBeLessThan(1.8);
    expect(quantile(times, 0.99)).toBeGreaterThan(quantile(times, 0.5));
  });

  it('ends at the throughput of its slowest part', () => {
    const most = (more: object) => simulate({ ...settings, mix: [call], callers: 50, seconds: 10, ...more }).perSecond;
    expect(most({ mix: [{ ...call, node: 1, postgres: 0.5 }] })).toBeCloseTo(1_000, -2);
    expect(most({ mix: [{ ...call, node: 1, postgres: 0.5 }], nodes: 2 })).toBeCloseTo(2_000, -2);
    expect(most({ mix: [{ ...call, node: 0.5, postgres: 1 }], nodes: 3 })).toBeCloseTo(1_000, -2);
    expect(most({ mix: [{ ...call, node: 1 }], node: { cores: 0.25, periodMs: 100 }, seconds: 100 })).toBeCloseTo(250, -1);
  });

  it('gives a tenant half of the connections of a node', () => {
    const { perSecond } = simulate({
      ...settings,
      mix: [{ ...call, postgres: 1 }],
      callers: 50,
      seconds: 10,
      database: { cores: 8 },
      connections: 4,
    });
    expect(perSecond).toBeCloseTo(2_000, -2);
  });

  it('lets concurrent calls of one kind share statements, and turns of the event loop', () => {
    const run = (callers: number) =>
      simulate({ ...settings, node: { cores: 1, turnMs: 0.05 }, mix: [grouped], callers, seconds: 5 });
    const [one, many] = [run(1), run(24)];
    expect(one.groups).toBeCloseTo(1, 1);
    expect(many.groups).toBeLessThan(0.2);
    expect(many.turns).toBeLessThan(one.turns / 4);
    expect(many.used.node).toBeLessThan(one.used.node / 2);
  });

  it('runs the same with the same seed', () => {
    const run = (seed: number) =>
      simulate({ ...settings, mix: [{ ...call, postgres: 1 }], perSecond: 600, seconds: 5, seed }).times;
    expect(run(7)).toEqual(run(7));
    expect(run(7)).not.toEqual(run(8));
  });
});

describe('service times', () => {
  const fixed = { callers: 24, database: DATABASE, connections: 20 };
  const costs = [
    { name: 'read', share: 0.7, delay: 0, alone: { node: 0.4, postgres: 0.1 }, together: { node: 0.3, postgres: 0.1 } },
    {
      name: 'write',
      share: 0.3,
      delay: 0,
      group: { atOnce: 4, intervalMs: 5 },
      alone: { node: 0.5, postgres: 0.2 },
      together: { node: 0.15, postgres: 0.05 },
    },
  ];

  it('make each simulated operation cost what was measured, with one caller and with many', () => {
    const { mix, turnMs } = serviceTimes(costs, fixed);
    for (const [index, operation] of mix.entries()) {
      const cost = (callers: number) =>
        simulate({ ...settings, node: { cores: 1, turnMs }, mix: [operation], callers, seconds: 5 }).used;
      const { alone, together } = costs[index]!;
      for (const [callers, wanted] of [
        [1, alone],
        [24, together],
      ] as const) {
        expect(cost(callers).node / wanted.node).toBeCloseTo(1, 1);
        expect(cost(callers).postgres / wanted.postgres).toBeCloseTo(1, 1);
      }
    }
  });

  it('make the simulated mix cost what was measured on one node', () => {
    const measured = { node: 0.45, postgres: 0.15 };
    const of = { ...fixed, nodes: 1, node: { cores: 0.25, periodMs: 100 }, seconds: 20 };
    const { mix, turnMs, factor } = calibrated(serviceTimes(costs, fixed), measured, of);
    expect(factor.node).toBeGreaterThan(1);
    const { used } = simulate({ ...of, node: { ...of.node, turnMs }, mix });
    expect(used.node / measured.node).toBeCloseTo(1, 1);
    expect(used.postgres / measured.postgres).toBeCloseTo(1, 1);
  });
});
