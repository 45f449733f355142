import { RenderingRefused } from '../../src/modules/document-rendering/template-language/result/refusal.js';
import { compileTemplate } from '../../src/modules/document-rendering/template-language/template.js';

const compile = (body: string) =>
  compileTemplate({
    type: 'document',
    contentType: 'html',
    locale: null,
    subject: null,
    css: [],
    layouts: [],
    partials: [],
    body,
  });
const render = (body: string, params: object = {}) => compile(body).render(params).body;
const refusal = (body: string) => {
  try {
    compile(body);
  } catch (error) {
    if (error instanceof RenderingRefused) return error.message;
    throw error;
  }
  throw new Error(`not refused: ${body}`);
};

describe('a construct of another template language', () => {
  it.each([
    ['{{{x}}}', 'Mustache', '{{ name }}'],
    ['{{&x}}', 'Mustache', '{{ name }}'],
    ['{{#each items}}a{{/each}}', 'Handlebars', '{% for item in items %}'],
    ['{{- #if x }}', 'Handlebars', '{% if name %}'],
    ['{{#x}}', 'Mustache', '{% if name %}'],
    ['{{/if}}', 'Handlebars', '{% endif %}'],
    ['{{^x}}', 'Mustache', '{% if not name %}'],
    ['{{> x}}', 'Mustache', '{% include "name" %}'],
    ['{{! x }}', 'Mustache', '{# … #}'],
    ['{{.}}', 'Mustache', '{{ item }}'],
    ['{{.Name}}', 'Go', 'without the dot'],
    ['{{@index}}', 'Handlebars', 'loop.index0'],
    ['{{this}}', 'Handlebars', '{{ item }}'],
    ['{{this.x}}', 'Handlebars', '{{ item.name }}'],
    ['{{../x}}', 'Handlebars', 'the name itself'],
    ['{{else}}', 'Handlebars', '{% else %}'],
    ['{{$x}}', 'PHP', 'without $'],
    ['{{ x? }}', 'FreeMarker', 'default'],
    ['{{ x?.y }}', 'JavaScript', 'a dot alone'],
    ['{{ x || y }}', 'JavaScript', 'write or'],
    ['{{ x && y }}', 'JavaScript', 'write and'],
    ['{{ x ? y : z }}', 'JavaScript', '{{ "yes" if name else "no" }}'],
    ['{% if !x %}{% endif %}', 'JavaScript', 'not'],
    ['{% if x = 1 %}{% endif %}', 'assignment', '=='],
    ['{% if x contains "y" %}{% endif %}', 'Liquid', 'in list'],
    ['{% unless x %}{% endunless %}', 'Liquid', '{% if not name %}'],
    ['{% for x in 1..3 %}{% endfor %}', 'Liquid', 'a list'],
    ['{% assign x = 1 %}', 'Liquid', 'parameter'],
    ['{% else if x %}', 'other template languages', '{% elif condition %}'],
    ['{% for x in y %}{% end for %}', 'other template languages', '{% endfor %}'],
    ['{% if x %}{% fi %}', 'other template languages', '{% endif %}'],
    ['{% if x %}{% end %}', 'Go', '{% endif %}'],
  ])('%s is refused with its language, %s, and with what to write here: %s', (body, language, write) => {
    const message = refusal(body);
    expect(message).toMatch(/^line 1, column \d+: /);
    expect(message).toContain(language);
    expect(message).toContain(write);
  });

  it.each(['<%= x %>', '${x}', '{ x }', '[[x]]', 'a || b && c ? d : e', '#}', '}}', '%}'])('without tags is text: %s', (text) => {
    expect(render(text)).toBe(text);
  });

  it('is not seen in quotes', () => {
    expect(render('{{ "a || b ? c : d = {{ $e }}" }}{% if x == "1..3 !" %}{% endif %}')).toBe('a || b ? c : d = {{ $e }}');
  });
});

describe('an unclosed tag', () => {
  it.each([
    ['a\n {# b', 2, 2, '{# is never closed'],
    ['a\n {# b\n{# c #}', 2, 2, '{# is not closed by #} before the next'],
    ['a\n {{ b }\n{{ c }}', 2, 2, '{{ is never closed'],
    ['a\n {{ b', 2, 2, '{{ is never closed'],
    ["a\n {{ it's }}", 2, 2, 'a quote'],
    ['a\n {% if b\n{% endif %}', 2, 2, '{% is never closed'],
    ['a\n {% if b %}\n{% for c in d %}{% endfor %}', 2, 2, '{% if %} is never closed'],
    ['a{% if b %}\n {% for c in d %}\n{% endif %}', 2, 2, '{% for %} is closed by {% endif %}'],
    ['a\n {% endfor %}', 2, 2, 'closes nothing'],
    ['a\n {% raw %}\n{{ b }}', 2, 2, '{% raw %} is never closed'],
    ['<style>\n {# a</style> #}', 2, 2, 'before the end of this <style>'],
  ])('is refused where it was opened: %j', (body, line, column, reason) => {
    expect(refusal(body)).toMatch(new RegExp(`^line ${line}, column ${column}: `));
    expect(refusal(body)).toContain(reason);
  });
});

describe('a style element', () => {
  it.each([
    '<style>@media print{#a{color:red}}</style>{# c #}',
    '<style>@media print{#a{color:red}#b{c:d}}</style>',
    '<style>@media x{#a{b:c}}{#b{c:d}#}</style>#}',
    '<style>{%a{b:c}</style>',
    '<STYLE media=print>@media x{#a{b:c}}</STYLE\n>{{ x }}',
  ])('treats the signs of a tag as text in minified CSS: %s', (body) => {
    expect(render(body, { x: 'X' })).toBe(body.replace('{# c #}', '').replace('{{ x }}', 'X'));
  });

  it('allows tags and comments as elsewhere', () => {
    expect(render('<style>{# .old { a: b } #}{#c#}{% if x %}p{a:{{ x }}}{% endif %}</style>', { x: 1 })).toBe(
      '<style>p{a:1}</style>',
    );
  });
});
