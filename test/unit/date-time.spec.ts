import { execFileSync } from 'node:child_process';
import { parseDateTime } from '../../src/common/graphql/types/date-time.scalar.js';

describe('DateTime', () => {
  it.each([
    ['2024-07-16', '2024-07-16T00:00:00.000Z'],
    ['2023-07-18T15:00:00', '2023-07-18T15:00:00.000Z'],
    ['2023-07-18T15:00:00Z', '2023-07-18T15:00:00.000Z'],
    ['2023-07-18t15:00:00.1234z', '2023-07-18T15:00:00.123Z'],
    ['2023-07-18T17:30:00+02:30', '2023-07-18T15:00:00.000Z'],
    ['2023-07-18T00:30:00-01:00', '2023-07-18T01:30:00.000Z'],
    ['0099-12-31', '0099-12-31T00:00:00.000Z'],
    ['2024-02-29T23:59:59.999', '2024-02-29T23:59:59.999Z'],
  ])('reads %s as %s', (text, instant) => {
    expect(parseDateTime(text)?.toISOString()).toBe(instant);
  });

  it.each([
    '', 'now', '2023', '2023-07', '2023-7-18', '18.07.2023', '2023-02-29', '2023-13-01', '2023-00-10', '2023-04-31',
    '2023-07-18T24:00:00', '2023-07-18T15:60:00', '2023-07-18T15:00:60', '2023-07-18T15:00', '2023-07-18 15:00:00',
    '2023-07-18T15:00:00+25:00', '2023-07-18T15:00:00+0200', '2023-07-18T15:00:00 Z', '2023-07-18Z', ' 2023-07-18',
    '2023-07-18T15:00:00.', '+012023-07-18', '1689692400', '2023-07-18\n',
  ])('refuses %j', (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  }); // prettier-ignore

  it('means GMT without a zone, in any time zone of the server', () => {
    const program = `import { parseDateTime } from './dist/common/graphql/types/date-time.scalar.js';
      console.log(parseDateTime('2023-07-18T15:00:00').toISOString(), new Date().getTimezoneOffset());`;
    const run = (TZ: string) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', program], { env: { ...process.env, TZ }, encoding: 'utf8' });
    expect(run('America/New_York')).toMatch(/^2023-07-18T15:00:00.000Z (240|300)/);
    expect(run('Pacific/Auckland')).toMatch(/^2023-07-18T15:00:00.000Z -(720|780)/);
  });
});
