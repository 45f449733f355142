import { isUnchanged } from '../../src/modules/file-management/content-rules/conditions.js';
import { wantedRange } from '../../src/modules/file-management/content-rules/range.js';

const version = { etag: '"abc"', storedAt: new Date('2026-01-02T03:04:05.678Z') };

describe('a range request', () => {
  it.each([
    [undefined, 'whole'],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=2-', { start: 2, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-99', { start: 0, end: 9 }],
    ['bytes=8-99', { start: 8, end: 9 }],
    ['BYTES= 1 - 2 ', { start: 1, end: 2 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-4', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=0-1,3-4', 'whole'],
    ['lines=0-1', 'whole'],
    ['bytes=a-b', 'whole'],
  ])('of %j in 10 bytes means %j', (range, meaning) => {
    expect(wantedRange({ range }, version, 10)).toEqual(meaning);
  });

  it('of empty content is never satisfied', () => {
    expect(wantedRange({ range: 'bytes=0-0' }, version, 0)).toBe('unsatisfiable');
    expect(wantedRange({ range: 'bytes=-5' }, version, 0)).toBe('unsatisfiable');
  });

  it.each([
    ['"abc"', { start: 0, end: 1 }],
    ['Fri, 02 Jan 2026 03:04:05 GMT', { start: 0, end: 1 }],
    ['"other"', 'whole'],
    ['W/"abc"', 'whole'],
    ['Fri, 02 Jan 2026 03:04:06 GMT', 'whole'],
    ['nonsense', 'whole'],
    ['2026-01-02T03:04:05Z', 'whole'],
  ])('with If-Range %s means %j', (ifRange, meaning) => {
    expect(wantedRange({ range: 'bytes=0-1', ifRange }, version, 10)).toEqual(meaning);
  });
});

describe('a conditional request', () => {
  it.each([
    [{}, false],
    [{ ifNoneMatch: '"abc"' }, true],
    [{ ifNoneMatch: 'W/"abc"' }, true],
    [{ ifNoneMatch: '"x", "abc"' }, true],
    [{ ifNoneMatch: '*' }, true],
    [{ ifNoneMatch: '"x"' }, false],
    [{ ifNoneMatch: '"x,"abc"' }, false],
    [{ ifNoneMatch: '"a,b",,W/"abc"' }, true],
    [{ ifNoneMatch: 'abc' }, false],
    [{ ifModifiedSince: 'Fri, 02 Jan 2026 03:04:05 GMT' }, true],
    [{ ifModifiedSince: 'Fri, 02 Jan 2026 03:04:04 GMT' }, false],
    [{ ifModifiedSince: 'nonsense' }, false],
    [{ ifModifiedSince: 'nonsense 2030' }, false],
    [{ ifModifiedSince: '2030-01-01' }, false],
    [{ ifModifiedSince: 'Mon, 31 Feb 2030 03:04:05 GMT' }, false],
    [{ ifModifiedSince: 'Friday, 02-Jan-26 03:04:05 GMT' }, true],
    [{ ifModifiedSince: 'Friday, 02-Jan-26 03:04:04 GMT' }, false],
    [{ ifModifiedSince: 'Fri Jan  2 03:04:05 2026' }, true],
    [{ ifModifiedSince: 'Fri Jan  2 03:04:04 2026' }, false],
    [{ ifNoneMatch: '"x"', ifModifiedSince: 'Fri, 02 Jan 2026 03:04:05 GMT' }, false],
  ])('with %j is answered by 304: %s', (conditions, unchanged) => {
    expect(isUnchanged(conditions, version)).toBe(unchanged);
  });
});
