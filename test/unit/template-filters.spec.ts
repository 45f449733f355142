import { readerOf } from '../../src/modules/document-rendering/rendering/locales.js';
import { compileTemplate } from '../../src/modules/document-rendering/template-language/template.js';

const NOTHING = { locale: null, subject: null, css: [], layouts: [], partials: [] };
const compile = (body: string) => compileTemplate({ type: 'document', contentType: 'plain', body, ...NOTHING });
const render = (body: string, params: object, given?: { locale?: string; timeZone?: string }) =>
  compile(body).render(params, given && { reader: readerOf(given) });

/** The month of a date as the language writes it within one, in the Gregorian calendar. */
function monthWithin(locale: string, date: string): string {
  const fields = { day: 'numeric', month: 'long', year: 'numeric' } as const;
  const format = new Intl.DateTimeFormat(locale, { calendar: 'gregory', timeZone: 'UTC', ...fields });
  return format.formatToParts(new Date(date)).find(({ type }) => type === 'month')!.value;
}

it.each([
  'fa',
  'fa-AF',
  'ps',
  'ckb-IR',
  'uz-Arab',
  'mzn',
  'lrc',
  'th',
  'ar-SA',
  'en-u-ca-persian',
  'he-u-ca-hebrew',
  'de-u-ca-islamic',
])('a date by pattern uses the Gregorian calendar in %s, with its month and its era', (locale) => {
  const { body } = render('{{ d | date("MMMM") }}|{{ d | date("GGGG") }}', { d: '2026-07-16' }, { locale });
  const era = new Intl.DateTimeFormat(locale, { calendar: 'gregory', era: 'long', timeZone: 'UTC' });
  const [month, written] = body.split('|');
  if (!/^\p{N}+$/u.test(monthWithin(locale, '2026-07-16'))) expect(month).toBe(monthWithin(locale, '2026-07-16'));
  expect(written).toBe(era.formatToParts(new Date('2026-07-16')).find(({ type }) => type === 'era')!.value);
});

it('a date by pattern has one calendar in Persian, and a style has that of the language', () => {
  const { body } = render('{{ d | date("d MMMM yyyy") }}|{{ d | date("long") }}', { d: '2026-07-16' }, { locale: 'fa' });
  const style = new Intl.DateTimeFormat('fa', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date('2026-07-16'));
  expect(body).toBe(`۱۶ ${monthWithin('fa', '2026-07-16')} ۲۰۲۶|${style}`);
});

it.each([
  ['percent', ['"a"', '-1', '1.5', '16', 'true', 'none'], 'the number of digits must be a whole number from 0 to 15'],
  ['round', ['"a"', '-16', '1.5', '16', 'true', 'none'], 'the number of digits must be a whole number from -15 to 15'],
  ['round', ['0, "up"', '0, 1'], 'the rounding method must be "common", "ceil" or "floor"'],
  ['truncate', ['"x"', '0', '-1', '1.5', 'true'], 'the number of characters must be a whole number from 1 on'],
  ['replace', ['"a", "b", "x"', '"a", "b", -1', '"a", "b", 1.5'], 'the largest number of replacements must be a whole number'],
  ['replace', [''], 'the text to replace is missing'],
  ['currency', ['', '"x"'], 'currency'],
  ['plural', ['', '1'], 'the forms'],
])('%s(%j) is refused when it is saved', (name, wrong, reason) => {
  for (const args of wrong) expect(() => compile(`{{ n | ${name}(${args}) }}`)).toThrow(new RegExp(`${name}: .*${reason}`));
});

it.each([
  ['percent(x)', '1,250%'],
  ['round(x)', '13'],
  ['round(0, x)', '13'],
  ['truncate(x)', '12.5'],
  ['replace("2", "3", x)', '13.5'],
])('%s with a text from the parameters is written without it, with a warning', (filter, written) => {
  const { body, warnings } = render(`{{ n | ${filter} }}`, { n: 12.5, x: 'a' });
  expect([body, warnings]).toMatchObject([written, [{ path: 'n', reason: expect.stringMatching(/ must be /) }]]);
});

it('numeric arguments can come from the parameters', () => {
  const body =
    '{{ n | percent(d) }} {{ n | round(d) }} {{ n | round(d, m) }} {{ s | truncate(d) }} {{ s | replace("a", "b", d) }}';
  const { body: written, warnings } = render(body, { n: 12.56, d: 1, m: 'floor', s: 'aa' });
  expect([written, warnings]).toEqual(['1,256.0% 12.6 12.5 a... ba', []]);
});

it.each(['list', 'join(", ")', 'join(", ", "o")', 'upper', 'replace("a", "b")', 'truncate(5)', 'nl2br', 'urlencode'])(
  'an object that %s writes causes a warning, as in a text',
  (filter) => {
    const { warnings } = render(`{{ l | ${filter} }}`, { l: [{ o: {} }] });
    expect(warnings).toMatchObject([{ path: 'l', reason: expect.stringContaining('[object Object]') }]);
    expect(render(`{{ l | ${filter} }}`, { l: ['a', 'b'] }).warnings).toEqual([]);
  },
);

const [S, M, H, D] = [1, 60, 3_600, 86_400];

it.each([
  [59 * M + 40 * S, 'in 1 hour'],
  [59 * M + 20 * S, 'in 59 minutes'],
  [59.6 * S, 'in 1 minute'],
  [23 * H + 45 * M, 'tomorrow'],
  [6 * D + 20 * H, 'in 1 week'],
  [30 * D, 'in 4 weeks'],
  [364 * D, 'in 1 year'],
  [-364 * D, '1 year ago'],
  [340 * D, 'in 11 months'],
  [366 * D, 'in 1 year'],
  [-(59 * M + 40 * S), '1 hour ago'],
  [0, 'now'],
])('%d seconds from now are written as %s', (seconds, written) => {
  const from = Date.UTC(2026, 0, 1);
  const { body } = render('{{ d | relative(f) }}', { d: from + seconds * 1_000, f: from }, { locale: 'en' });
  expect(body).toBe(written);
});

it('a distance of days is written in days and more, and a year of days as a year', () => {
  const written = (d: string) => render('{{ d | relative("2026-01-01") }}', { d }, { locale: 'en' }).body;
  expect(['2026-01-01', '2026-01-02', '2026-01-07', '2026-12-31'].map(written)).toEqual([
    'today',
    'tomorrow',
    'in 6 days',
    'in 1 year',
  ]);
});

it('a date without a style uses that of the locale, and ISO 8601 without one', () => {
  const medium = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const written = (given?: object) => render('{{ d | date }}', { d: '2026-07-16' }, given).body;
  expect(written()).toBe('2026-07-16');
  for (const locale of ['de-CH', 'en', 'fa', 'ja'])
    expect(written({ locale })).toBe(medium(locale).format(new Date('2026-07-16')));
});
