import { settlementOf } from '../../src/modules/email/outbox/settlement.js';

const NOW = Date.parse('2026-11-21T00:00:00Z');
const HOUR = 3_600_000;
const email = (attempts: number, giveUpAtMs = NOW + 24 * HOUR) => ({ id: 'e', attempts, giveUpAtMs }) as never;
const recipient = (address: string, status = 'QUEUED') => ({ position: 0, address, status, lastError: null }) as never;
const refusal = { address: 'a', isPermanent: false, message: 'later' };

describe('the outcome of an attempt', () => {
  it('is a retry after pauses that grow from 10 s to 30 min, each with a jitter of up to a fifth', () => {
    const rightMs = [10, 30, 60, 120, 240, 480, 960, 1_800, 1_800, 1_800].map((seconds) => seconds * 1_000);
    rightMs.forEach((right, index) => {
      const { nextAt } = settlementOf(email(index + 1), [recipient('a')], [refusal], NOW);
      const pauseMs = nextAt!.getTime() - NOW;
      expect(pauseMs).toBeGreaterThanOrEqual(right * 0.8);
      expect(pauseMs).toBeLessThanOrEqual(right * 1.2);
    });
    expect(settlementOf(email(200), [recipient('a')], [refusal], NOW).nextAt!.getTime() - NOW).toBeLessThanOrEqual(36 * 60_000);
  });

  it('is a last retry at the deadline, and then FAILED', () => {
    const soon = NOW + 1_000;
    expect(settlementOf(email(9, soon), [recipient('a')], [refusal], NOW).nextAt).toEqual(new Date(soon));
    expect(settlementOf(email(9, soon), [recipient('a')], [refusal], soon)).toMatchObject({ status: 'FAILED', nextAt: null });
  });

  it('is decided for each recipient: finished ones stay so, and one that received the message makes it SENT', () => {
    const before = [recipient('got', 'SENT'), recipient('never', 'FAILED'), recipient('a')];
    const waiting = settlementOf(email(2), before, [refusal], NOW);
    expect(waiting).toMatchObject({ status: 'QUEUED', lastError: 'later' });
    expect(waiting.recipients.map(({ status }) => status)).toEqual(['SENT', 'FAILED', 'QUEUED']);
    const done = settlementOf(email(3), before, [], NOW);
    expect(done).toMatchObject({ status: 'SENT', nextAt: null });
    expect(settlementOf(email(3), [recipient('a')], [{ ...refusal, isPermanent: true }], NOW)).toMatchObject({
      status: 'FAILED',
    });
  });
});
