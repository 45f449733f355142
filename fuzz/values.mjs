// Values that callers send by mistake or on purpose, by the type of the argument.
import fc from 'fast-check';

const TEXTS = [
  '', ' ', '0', '-1', 'null', 'undefined', 'NaN', 'true', '\u0000', 'a\u0000b', '\ud800', 'a\udfff', '\ufeff', '\u202e', '\u200b',
  '\r\n', 'a\r\nBcc: x@example.com', '\t', '\u0085\u2028\u2029', "'", '"', '`', '\\', '%', '_', '%00', '%s%n', '$1', '?', ';', '--',
  "' OR 1=1 --", "'; DROP TABLE \"File\"; --", '../../etc/passwd', 'C:\\con', '.', '..', '/', 'a/b', '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>', 'javascript:alert(1)', '=1+1', '@SUM(A1)', '👋', '👩‍👩‍👧‍👦', 'e\u0301', 'ﷺ', 'ß', 'İ', '田中さん', 'مرحبا',
  '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'text/html', 'a@b', 'ann@example.com', 'Ann <ann@example.com>',
  'x'.repeat(1_024), 'x'.repeat(1_025), '👋'.repeat(512), 'x'.repeat(4_097), 'é'.repeat(65_537), '{}', '[]', '{"a":1}', '{"a":{"b":[1,null]}}',
  '{"__proto__":{"a":1}}', '{"a":"\\u0000"}', '{"a":"\\ud800"}', '"x"', '2024-02-30', '2024-07-16', '0000-01-01', '10000-01-01',
]; // prettier-ignore

/** Pieces of templates, whole and broken, to join into half-right sources. */
const TEMPLATE_PIECES = [
  '{{', '}}', '{%', '%}', '{#', '#}', '{{ a }}', '{{ a.b.c }}', '{{ a.', '{{ a | upper }}', '{{ a | number("#,##0.00") }}',
  '{{ a | date("yyyy-MM-dd") }}', '{{ a | truncate(3) }}', '{{ a | replace("", "xx") }}', '{{ a | join(a) }}', '{{ 1 / 0 }}', '{{ "', '{{ \'a',
  '{% for x in items %}', '{% endfor %}', '{% for k, v in a %}', '{% if a %}', '{% elif b %}', '{% else %}', '{% endif %}', '{% raw %}',
  '{% endraw %}', '{% set a = 1 %}', '{% include "x" %}', '{%- if a == 1 -%}', '{{ loop.index }}', '{{ a if b else c }}', '{{ a or b and not c }}',
  '{{ range(3) }}', '{{ a["constructor"] }}', '{{ a.__proto__ }}', '{{{ a }}}', '{{#each a}}', '<p>', '</p>', '<a href="{{ a }}">', '<img src=',
  '<script>', '</script>', '<style>', '</style>', '<!--', '-->', '<b style="color:{{ a }}">', '<div ', "onclick='{{ a }}'", '>', '<svg><title>',
  '<table><tr><td>', '&amp;', 'text', '\n', '\ud83d', '((((((((((', '))))', '[[[[[[', '||', '|',
]; // prettier-ignore

const PARAMS = [
  '{}', '{"a":"x","b":1,"c":null,"items":[1,2,3]}', '{"a":{"b":{"c":"d"}}}', '{"a":"javascript:alert(1)"}', '{"a":"2024-07-16"}',
  '{"a":1e308,"items":{"x":1}}', '{"a":[[[[1]]]],"items":[{"price":1}]}', '{"items":' + JSON.stringify('x'.repeat(5_000)) + '}',
  '[]', 'null', '{', '{"a":}', '"', '{"a":"\\ud83d"}', '{"a":"\\u0000"}', '['.repeat(5_000),
]; // prettier-ignore

const DATES = [
  '2024-07-16', '2023-07-18T15:00:00', '2023-07-18T15:00:00.000Z', '2023-07-18T17:00:00+02:00', '2024-02-30', '2024-13-01', '0000-01-01',
  '0001-01-01', '0001-01-01T00:00:00+23:59', '0099-12-31', '1582-10-10', '1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59.999-23:59', '9999-12-31', '10000-01-01', '+275760-09-13', '-000001-01-01', '', 'now', '2024-07-16T24:00:00Z', '2024-07-16T00:00:60Z',
]; // prettier-ignore

const INTEGERS = [
  0,
  1,
  -1,
  2,
  99,
  100,
  1_000,
  1_001,
  10_000,
  10_001,
  604_800,
  604_801,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 31,
  1.5,
  1e21,
];
const FLOATS = [0, -0, 1.5, 180, -180, 180.0000001, 90, 1e308, -1e308, 5e-324, 2 ** 53, Number.MAX_SAFE_INTEGER];

const oneOf = (values) => fc.constantFrom(...values);
/** Objects created earlier, by kind; the number selects one when the request is sent. */
const known = fc.nat({ max: 50 }).map((number) => `«known:${number}»`);

const anyText = fc.oneof(
  { weight: 6, arbitrary: oneOf(TEXTS) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 300_000 }).map((length) => 'ab '.repeat(length / 3)) },
);
const template = fc.array(oneOf(TEMPLATE_PIECES), { maxLength: 25 }).map((pieces) => pieces.join(''));
const nestedTemplate = fc.tuple(oneOf(TEMPLATE_PIECES), fc.nat({ max: 3_000 })).map(([piece, times]) => piece.repeat(times));

/** Values by the name of the argument or field, where the name says more than the type. */
const BY_NAME = [
  [/^(body|subject|html|text)$/, fc.oneof(template, template, nestedTemplate, anyText)],
  [/^css$/, fc.oneof(anyText, oneOf(['a{b:c}', 'a{', '}', '</style', '@media x{a{b:c}}', 'a{b:url(x)}', '{#', '{%']))],
  [/^params$/, fc.oneof(oneOf(PARAMS), fc.json(), anyText)],
  [/^(id|ID|fileId|uploadId|parentCssId|documentId|attributeId|globalMessageId)$/, fc.oneof(known, known, anyText)],
  [/^(name|templateName|recipient|topic|externalReference|namePrefix|contains|documentType|idempotencyKey)$/, fc.oneof(
    oneOf(['n0', 'n1', 'n2', 'n3']), anyText)],
  [/^(address|from|replyTo)$/, fc.oneof(oneOf(['ann@example.com', 'b@example.org', 'Ann <a@b.cd>', 'a@[127.0.0.1]']), anyText)],
  [/^(nextToken|checkpoint|checksumSha256|ETag)$/, fc.oneof(known, anyText, fc.base64String())],
]; // prettier-ignore

const texts = (name) => BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? anyText;

/** Draws a value of a scalar type: valid, at its bounds, or just beside them. */
export function scalar(type, name) {
  switch (type) {
    case 'Int':
      return fc.oneof(oneOf(INTEGERS), fc.integer());
    case 'Float':
      return fc.oneof(oneOf(FLOATS), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'Boolean':
      return fc.boolean();
    case 'DateTime':
      return fc.oneof({ weight: 4, arbitrary: oneOf(DATES) }, { weight: 1, arbitrary: anyText });
    case 'Name':
      return fc.oneof(anyText, fc.dictionary(anyText, anyText, { maxKeys: 4 }), fc.jsonValue());
    default:
      return texts(name);
  }
}

/** Values of another type than the expected one. */
export const wrongType = fc.oneof(
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3 }),
  anyText,
  fc.constant([[[[]]]]),
  fc.constant({ a: { b: 1 } }),
);

export { anyText, oneOf };
