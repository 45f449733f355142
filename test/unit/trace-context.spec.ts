import { carried, readCarried, traceContextOf, traceIdOf } from '../../src/common/tracing/trace-context.js';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('the trace context of a caller', () => {
  it.each([
    ['is read from traceparent', `00-${ID}-00f067aa0ba902b7-01`],
    ['is read from later versions, whatever they add', `01-${ID}-00f067aa0ba902b7-01-what comes later`],
  ])('%s', (_, traceparent) => {
    expect(traceIdOf({ headers: { traceparent } })).toBe(ID);
  });

  it.each([
    ['no header', undefined],
    ['more than version 00 has', `00-${ID}-00f067aa0ba902b7-01-more`],
    ['the forbidden version', `ff-${ID}-00f067aa0ba902b7-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['a parent of zeros', `00-${ID}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${ID.toUpperCase()}-00f067aa0ba902b7-01`],
    ['a line break', `00-${ID}-00f067aa0ba902b7-01\n`],
    ['two headers', `00-${ID}-00f067aa0ba902b7-01, 00-${ID}-00f067aa0ba902b7-01`],
  ])('is ignored from %s', (_, traceparent) => {
    expect(traceIdOf({ headers: { traceparent } })).toBeUndefined();
  });

  it.each([undefined, 'shop=17,mail=a b'])('is restored unchanged from a row or a message, with the state %s', (tracestate) => {
    const context = traceContextOf({ traceparent: `00-${ID}-00f067aa0ba902b7-01`, tracestate })!;
    expect(context).toMatchObject({ traceId: ID, spanId: '00f067aa0ba902b7', traceFlags: 1, isRemote: true });
    expect(context.traceState?.serialize()).toBe(tracestate);
    expect(readCarried(carried(context))).toEqual(context);
    expect(readCarried('not a trace context')).toBeUndefined();
  });
});
