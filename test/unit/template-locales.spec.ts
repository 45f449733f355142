import { readerOf } from '../../src/modules/document-rendering/rendering/locales.js';
import { compileTemplate } from '../../src/modules/document-rendering/template-language/template.js';

const compile = (body: string) =>
  compileTemplate({
    type: 'document',
    contentType: 'plain',
    locale: null,
    subject: null,
    body,
    css: [],
    layouts: [],
    partials: [],
  });
const render = (body: string, params: object, given?: { locale?: string; timeZone?: string }) =>
  compile(body).render(params, given && { reader: readerOf(given) });
/** The text with plain spaces, and without marks of direction. */
const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ').replaceAll(/[\u200e\u200f\u061c]/g, '');
const inLocale = (body: string, params: object, locale: string, timeZone = 'UTC') =>
  plain(render(body, params, { locale, timeZone }).body);

const FORMATS = [
  'n | number', 'm | number("#,##0.00")', 'n | currency("EUR")', 'd | date("long")', 'd | date("d MMM yyyy")', 'd | time("short")',
  'l | list', 'd | relative(e)',
]; // prettier-ignore
const PARAMS = {
  n: 1234567.891,
  m: -1234.5,
  d: '2024-07-16T15:30:00Z',
  e: '2024-07-13T15:30:00Z',
  l: ['A', 'B', 'C'],
};

/** Text that depends on the release of ICU: each form, in order, with the first release that writes it. */
type ByIcu = [release: string, text: string][];
const later = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true }) >= 0;
/** Returns the text that the ICU of this Node writes. */
const textOfThisIcu = (text: string | ByIcu): string =>
  typeof text === 'string' ? text : text.filter(([release]) => later(process.versions.icu ?? '0', release)).at(-1)![1];
/** Text with the separator of German in Switzerland, which CLDR 48 changed. */
const swiss = (text: string): ByIcu => [
  ['0', text],
  ['78', text.replaceAll('’', "'")],
];

const KOREAN: ByIcu = [
  ['0', '오후 5:30'],
  ['78.2', 'PM 5:30'],
  ['78.3', '오후 5:30'],
];

/** Nine tenths of these texts are also what Babel 2.10 writes for Python, from an older release of CLDR. */
it.each([
  ['en', '1,234,567.891', '-1,234.50', '€1,234,567.89', 'July 16, 2024', '16 Jul 2024', '5:30 PM', 'A, B, and C', 'in 3 days'],
  ['en-GB', '1,234,567.891', '-1,234.50', '€1,234,567.89', '16 July 2024', '16 Jul 2024', '17:30', 'A, B and C', 'in 3 days'],
  ['en-IN', '12,34,567.891', '-1,234.50', '€12,34,567.89', '16 July 2024', '16 Jul 2024', '5:30 pm', 'A, B and C', 'in 3 days'],
  ['de', '1.234.567,891', '-1.234,50', '1.234.567,89 €', '16. Juli 2024', '16 Juli 2024', '17:30', 'A, B und C', 'in 3 Tagen'],
  [
    'de-CH',
    swiss('1’234’567.891'),
    swiss('-1’234.50'),
    swiss('EUR 1’234’567.89'),
    '16. Juli 2024',
    '16 Juli 2024',
    '17:30',
    'A, B und C',
    'in 3 Tagen',
  ],
  [
    'fr',
    '1 234 567,891',
    '-1 234,50',
    '1 234 567,89 €',
    '16 juillet 2024',
    '16 juil. 2024',
    '17:30',
    'A, B et C',
    'dans 3 jours',
  ],
  [
    'fr-CA',
    '1 234 567,891',
    '-1 234,50',
    '1 234 567,89 €',
    '16 juillet 2024',
    '16 juill. 2024',
    '17 h 30',
    'A, B et C',
    'dans 3 jours',
  ],
  ['it', '1.234.567,891', '-1234,50', '1.234.567,89 €', '16 luglio 2024', '16 lug 2024', '17:30', 'A, B e C', 'tra 3 giorni'],
  [
    'es',
    '1.234.567,891',
    '-1234,50',
    '1.234.567,89 €',
    '16 de julio de 2024',
    '16 jul 2024',
    '17:30',
    'A, B y C',
    'dentro de 3 días',
  ],
  ['pt', '1.234.567,891', '-1.234,50', '€ 1.234.567,89', '16 de julho de 2024', '16 jul. 2024', '17:30', 'A, B e C', 'em 3 dias'],
  [
    'pt-BR',
    '1.234.567,891',
    '-1.234,50',
    '€ 1.234.567,89',
    '16 de julho de 2024',
    '16 jul. 2024',
    '17:30',
    'A, B e C',
    'em 3 dias',
  ],
  ['nl', '1.234.567,891', '-1.234,50', '€ 1.234.567,89', '16 juli 2024', '16 jul 2024', '17:30', 'A, B en C', 'over 3 dagen'],
  ['sv', '1 234 567,891', '−1 234,50', '1 234 567,89 €', '16 juli 2024', '16 juli 2024', '17:30', 'A, B och C', 'om 3 dagar'],
  ['da', '1.234.567,891', '-1.234,50', '1.234.567,89 €', '16. juli 2024', '16 jul. 2024', '17.30', 'A, B og C', 'om 3 dage'],
  ['nb', '1 234 567,891', '−1 234,50', '1 234 567,89 €', '16. juli 2024', '16 juli 2024', '17:30', 'A, B og C', 'om 3 døgn'],
  [
    'fi',
    '1 234 567,891',
    '−1 234,50',
    '1 234 567,89 €',
    '16. heinäkuuta 2024',
    '16 heinä 2024',
    '17.30',
    'A, B ja C',
    '3 päivän päästä',
  ],
  ['pl', '1 234 567,891', '-1234,50', '1 234 567,89 €', '16 lipca 2024', '16 lip 2024', '17:30', 'A, B i C', 'za 3 dni'],
  ['cs', '1 234 567,891', '-1 234,50', '1 234 567,89 €', '16. července 2024', '16 čvc 2024', '17:30', 'A, B a C', 'za 3 dny'],
  ['ru', '1 234 567,891', '-1 234,50', '1 234 567,89 €', '16 июля 2024 г.', '16 июл. 2024', '17:30', 'A, B и C', 'через 3 дня'],
  [
    'uk',
    '1 234 567,891',
    '-1 234,50',
    '1 234 567,89 EUR',
    '16 липня 2024 р.',
    '16 лип. 2024',
    '17:30',
    'A, B і C',
    'через 3 дні',
  ],
  ['tr', '1.234.567,891', '-1.234,50', '€1.234.567,89', '16 Temmuz 2024', '16 Tem 2024', '17:30', 'A, B ve C', '3 gün sonra'],
  ['ar-EG', '١٬٢٣٤٬٥٦٧٫٨٩١', '-١٬٢٣٤٫٥٠', '١٬٢٣٤٬٥٦٧٫٨٩ €', '١٦ يوليو ٢٠٢٤', '١٦ يوليو ٢٠٢٤', '٥:٣٠ م', 'A وB وC', 'خلال ٣ أيام'],
  ['he', '1,234,567.891', '-1,234.50', '1,234,567.89 €', '16 ביולי 2024', '16 יולי 2024', '17:30', 'A, B ו-C', 'בעוד 3 ימים'],
  ['hi', '12,34,567.891', '-1,234.50', '€12,34,567.89', '16 जुलाई 2024', '16 जुल॰ 2024', '5:30 pm', 'A, B, और C', '3 दिन में'],
  ['ja', '1,234,567.891', '-1,234.50', '€1,234,567.89', '2024年7月16日', '16 7月 2024', '17:30', 'A、B、C', '3 日後'],
  ['ko', '1,234,567.891', '-1,234.50', '€1,234,567.89', '2024년 7월 16일', '16 7월 2024', KOREAN, 'A, B 및 C', '3일 후'],
  ['zh', '1,234,567.891', '-1,234.50', '€1,234,567.89', '2024年7月16日', '16 7月 2024', '17:30', 'A、B和C', '3天后'],
  ['th', '1,234,567.891', '-1,234.50', '€1,234,567.89', '16 กรกฎาคม 2567', '16 ก.ค. 2024', '17:30', 'A B และC', 'ในอีก 3 วัน'],
  [
    'hu',
    '1 234 567,891',
    '-1234,50',
    '1 234 567,89 EUR',
    '2024. július 16.',
    '16 júl. 2024',
    '17:30',
    'A, B és C',
    '3 nap múlva',
  ],
  [
    'el',
    '1.234.567,891',
    '-1.234,50',
    '1.234.567,89 €',
    '16 Ιουλίου 2024',
    '16 Ιουλ 2024',
    '5:30 μ.μ.',
    'A, B και C',
    'σε 3 ημέρες',
  ],
  [
    'lt',
    '1 234 567,891',
    '−1 234,50',
    '1 234 567,89 €',
    '2024 m. liepos 16 d.',
    '16 07 2024',
    '17:30',
    'A, B ir C',
    'po 3 dienų',
  ],
])(
  'numbers, amounts, dates, times, lists and distances of time in %s are written as in CLDR',
  (locale, ...texts: (string | ByIcu)[]) => {
    const body = FORMATS.map((format) => `{{ ${format} }}`).join(';');
    expect(inLocale(body, PARAMS, locale, 'Europe/Zurich').split(';')).toEqual(texts.map(textOfThisIcu));
  },
);

it.each([
  ['en', ['0 files', '1 file', '2 files', '5 files', '1.5 files']],
  ['pl', ['0 plików', '1 plik', '2 pliki', '5 plików', '1,5 pliku']],
  ['ru', ['0 файлов', '1 файл', '2 файла', '5 файлов', '1,5 файла']],
  ['ar', ['zero', 'one', 'two', 'few', 'other']],
  ['ja', ['0', '1', '2', '5', '1.5']],
])('a plural in %s has the form of its category', (locale, texts) => {
  const forms: Record<string, string> = {
    en: 'one {# file} other {# files}',
    pl: 'one {# plik} few {# pliki} many {# plików} other {# pliku}',
    ru: 'one {# файл} few {# файла} many {# файлов} other {# файла}',
    ar: 'zero {zero} one {one} two {two} few {few} many {many} other {other}',
    ja: 'other {#}',
  };
  expect([0, 1, 2, 5, 1.5].map((n) => inLocale(`{{ n | plural("${forms[locale]}") }}`, { n }, locale))).toEqual(texts);
});

it('a plural prefers the form of a number to that of its category, groups the number, and falls back to other', () => {
  const body = '{{ n | plural("=0 {nobody} one {one person} other {# people}") }}';
  expect([0, 1, 1234].map((n) => inLocale(body, { n }, 'de'))).toEqual(['nobody', 'one person', '1.234 people']);
});

it('a time zone moves times, not days without a time, over changes of daylight time', () => {
  const body = '{{ d | date("yyyy-MM-dd HH:mm XXX") }} {{ d | date("z | O | ZZZZ | x") }}';
  const at = (d: string, timeZone: string) => render(body, { d }, { timeZone }).body;
  expect(at('2024-03-31T00:59:00Z', 'Europe/Zurich')).toBe('2024-03-31 01:59 +01:00 GMT+1 | GMT+1 | GMT+01:00 | +01');
  expect(at('2024-03-31T01:00:00Z', 'Europe/Zurich')).toBe('2024-03-31 03:00 +02:00 GMT+2 | GMT+2 | GMT+02:00 | +02');
  expect(at('2024-10-27T01:00:00Z', 'Europe/Zurich')).toMatch(/^2024-10-27 02:00 \+01:00/);
  expect(at('2024-07-16T15:30:00Z', 'Asia/Kolkata')).toBe('2024-07-16 21:00 +05:30 GMT+5:30 | GMT+5:30 | GMT+05:30 | +0530');
  expect(at('2024-07-16T02:30:00Z', 'America/New_York')).toMatch(/^2024-07-15 22:30 -04:00 EDT/);
  expect(at('2024-07-16', 'America/New_York')).toMatch(/^2024-07-16 00:00 Z/);
  const long = '{{ d | date("long") }}';
  expect(render(long, { d: '2024-07-16' }, { timeZone: 'America/New_York' }).body).toBe('July 16, 2024');
  expect(render(long, { d: '2024-07-16T02:30:00Z' }, { timeZone: 'America/New_York' }).body).toBe('July 15, 2024');
});

it('names in patterns are in the case that the language has for them', () => {
  const body = '{{ d | date("d MMMM") }}; {{ d | date("LLLL") }}; {{ d | date("EEEE, EEE") }}; {{ d | date("a") }}';
  const d = '2024-05-14T15:30:00Z';
  expect(inLocale(body, { d }, 'pl')).toBe('14 maja; maj; wtorek, wt.; PM');
  expect(inLocale(body, { d }, 'de')).toBe('14 Mai; Mai; Dienstag, Di.; PM');
  expect(inLocale(body, { d }, 'ja')).toBe('14 5月; 5月; 火曜日, 火; 午後');
});

it('patterns without a locale are English, to the byte', () => {
  const body =
    '{{ n | number("#,##0.00") }} {{ n | number }} {{ d | date("d MMMM yyyy, EEEE HH:mm XXX z") }} {{ p | number("0%") }}';
  const params = { n: 1234567.891, p: 0.5, d: '2024-07-16T15:30:00Z' };
  expect(render(body, params).body).toBe('1,234,567.89 1,234,567.891 16 July 2024, Tuesday 15:30 Z UTC 50%');
  expect(render(body, params, {}).body).toBe(render(body, params).body);
});

it('an amount given as text retains all digits', () => {
  const amount = '12345678901234567890.12';
  expect(inLocale('{{ n | currency("USD") }}', { n: amount }, 'en')).toBe('$12,345,678,901,234,567,890.12');
});

it('a currency can come from the parameters, and an unknown one leaves the value as it is', () => {
  const { body, warnings } = render(
    '{{ n | currency(c) }}|{{ n | currency(x) }}',
    { n: 5, c: 'JPY', x: 'Yen' },
    { locale: 'ja' },
  );
  expect(body).toBe('￥5|5');
  expect(warnings).toMatchObject([{ path: 'n', reason: expect.stringContaining('Yen is not a currency') }]);
});

it.each([
  ['{{ n | currency }}', 'the currency is missing'],
  ['{{ n | currency("Euro") }}', 'Euro is not a currency'],
  ['{{ n | time("long long") }}', 'the style long long does not exist'],
  ['{{ n | time(style) }}', 'must be in quotes'],
  ['{{ n | list("nor") }}', 'the kind of list must be'],
  ['{{ n | plural }}', 'the forms are missing'],
  ['{{ n | plural("one {# item}") }}', 'the form other is missing'],
  ['{{ n | plural("single {a} other {b}") }}', 'single is not a category'],
  ['{{ n | plural("other {a} other {b}") }}', 'other occurs twice'],
  ['{{ n | plural("other {a") }}', 'write a form for each category'],
])('a saved template is refused for %s', (body, reason) => {
  expect(() => compile(body)).toThrow(reason);
});

it.each(['x', 'no such language', 'de-', '', 'zz-ZZ', 'a'.repeat(200), '../etc'])(
  'the locale %j is refused with its field',
  (locale) => {
    expect(() => readerOf({ locale })).toThrow(/^input\.locale: .*BCP 47/s);
  },
);

it.each(['Mars/Olympus', '+02:00', '', 'Europe/Zurich\n', 'x'.repeat(200)])(
  'the time zone %j is refused with its field',
  (timeZone) => {
    expect(() => readerOf({ timeZone })).toThrow(/^input\.timeZone: .*IANA/s);
  },
);
