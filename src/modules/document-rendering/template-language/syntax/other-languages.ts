/** Construct of another template language, with its equivalent. */
interface Translation {
  /** Pattern of the tag with its delimiters. Quoted content was already removed. */
  seen: RegExp;
  /** Name of the construct and its language. */
  is: string;
  /** Equivalent in this language. */
  write: string;
}

const HANDLEBARS = 'Handlebars';
const MUSTACHE = 'Mustache and Handlebars';
const LIQUID = 'Liquid';
const JAVASCRIPT = 'JavaScript';

const translation = (seen: RegExp, what: string, language: string, write: string): Translation => ({
  seen,
  is: `${what} is ${language}`,
  write,
});

/** Ordered by precedence; the first match wins. */
const TRANSLATIONS: Translation[] = [
  translation(
    /^\{\{\{/,
    '{{{…}}}, an unescaped value,',
    MUSTACHE,
    '{{ name }}; values are always escaped; put HTML into the template',
  ),
  translation(/^\{\{~?#\s*(?:each|list)\b/, '{{#each}}', HANDLEBARS, '{% for item in items %}…{% endfor %}'),
  translation(/^\{\{~?#\s*unless\b/, '{{#unless}}', HANDLEBARS, '{% if not name %}…{% endif %}'),
  translation(/^\{\{~?#\s*if\b/, '{{#if}}', HANDLEBARS, '{% if name %}…{% endif %}'),
  translation(/^\{\{~?#\s*with\b/, '{{#with}}', HANDLEBARS, 'dotted names, such as {{ person.name }}'),
  translation(/^\{\{~?#/, 'a section {{#name}}', MUSTACHE, '{% if name %}…{% endif %}, or {% for item in items %}…{% endfor %}'),
  translation(/^\{\{~?\/\s*each\b/, '{{/each}}', HANDLEBARS, '{% endfor %}'),
  translation(/^\{\{~?\/\s*(?:if|unless)\b/, '{{/if}}', HANDLEBARS, '{% endif %}'),
  translation(/^\{\{~?\//, 'the end of a section {{/name}}', MUSTACHE, '{% endif %} or {% endfor %}'),
  translation(/^\{\{~?\s*\^/, 'an inverted section {{^name}}', MUSTACHE, '{% if not name %}…{% endif %}'),
  translation(/^\{\{~?\s*else\b/, '{{else}}', HANDLEBARS, '{% else %}'),
  translation(/^\{\{~?\s*>/, 'a partial {{> name}}', MUSTACHE, '{% include "name" %}, or {% include "name" with item %}'),
  translation(/^\{\{~?\s*!/, 'a comment {{! … }}', MUSTACHE, '{# … #} for a comment, or {{ not name }}'),
  translation(/^\{\{~?\s*&/, '{{&name}}, an unescaped value,', MUSTACHE, '{{ name }}; values are always escaped'),
  translation(/^\{\{~?\s*\.\.\//, '{{../name}}', HANDLEBARS, 'the name itself; loops see all outer names'),
  translation(/^\{\{~?\s*\.\s*~?\}\}/, '{{.}}, the current item,', MUSTACHE, '{% for item in items %}{{ item }}{% endfor %}'),
  translation(
    /^\{\{~?\s*\./,
    'a name that begins with a dot',
    'Go templates',
    'the name without the dot, such as {{ person.name }}',
  ),
  translation(
    /@(?:index|key|first|last|root)\b/,
    'a name with @',
    HANDLEBARS,
    'loop.index0, loop.index, loop.first or loop.last; for keys, {% for key, value in object %}',
  ),
  translation(/^\{\{~?\s*this\s*~?\}\}/, '{{this}}', HANDLEBARS, '{% for item in items %}{{ item }}{% endfor %}'),
  translation(
    /(?<![\w.])this[./]/,
    'this.name',
    HANDLEBARS,
    'in a loop the name of its item, such as {{ item.name }}, else the name alone',
  ),
  translation(/^\{\{~|~\}\}$/, '~ beside the brackets', HANDLEBARS, '{{- and -}} to remove whitespace'),
  translation(/\?\?/, '??', JAVASCRIPT, '{{ name | default("…") }}'),
  translation(/\?\./, '?.', JAVASCRIPT, 'a dot alone; missing values are empty'),
  translation(/\?[^:]*:/, 'the operator ?:', JAVASCRIPT, '{{ "yes" if name else "no" }}'),
  translation(
    /\?/,
    'a name with ?',
    'FreeMarker and TypeScript',
    'the name alone, since missing values are empty, or {{ name | default("…") }}',
  ),
  translation(/\|\|/, '||', JAVASCRIPT, 'or'),
  translation(/&&/, '&&', JAVASCRIPT, 'and'),
  translation(/=>/, 'a function =>', JAVASCRIPT, 'a filter of the list, or pass the value as a parameter'),
  translation(/\$\w+/, 'a name with $', 'PHP, shells and Velocity', 'the name without $'),
  translation(/`/, 'a text in back quotes', JAVASCRIPT, 'the parts next to each other: {{ a }} {{ b }}'),
  translation(/^\{%-?\s*unless\b/, '{% unless %}', LIQUID, '{% if not name %}'),
  translation(/^\{%-?\s*endunless\b/, '{% endunless %}', LIQUID, '{% endif %}'),
  translation(
    /^\{%-?\s*(?:assign|capture|increment|decrement)\b/,
    'setting a name',
    LIQUID,
    'no tag; pass the value as a parameter',
  ),
  translation(
    /^\{%-?\s*(?:case|when|endcase)\b/,
    '{% case %}',
    LIQUID,
    '{% if name == "a" %}…{% elif name == "b" %}…{% endif %}',
  ),
  translation(/^\{%-?\s*(?:comment|endcomment)\b/, '{% comment %}', LIQUID, '{# … #}'),
  translation(
    /^\{%-?\s*(?:render|layout|section)\b/,
    'another template',
    LIQUID,
    '{% include "name" %}, or set the layoutId of the template',
  ),
  translation(/^\{%-?\s*(?:tablerow|cycle)\b/, 'this tag', LIQUID, '{% for item in items %}…{% endfor %}'),
  translation(/^\{%-?\s*(?:break|continue)\b/, 'leaving a loop', LIQUID, 'an {% if %} inside the loop'),
  translation(
    /^\{%-?\s*(?:elsif|else\s+if|elif\s+if)\b/,
    'this spelling of elif',
    'of other template languages',
    '{% elif condition %}',
  ),
  translation(/^\{%-?\s*for\b.*\.\./, 'a range such as 1..3', LIQUID, 'a parameter that is a list: {% for item in items %}'),
  translation(
    /^\{%-?\s*(?:foreach|each|loop)\b/,
    'this spelling of for',
    'of other template languages',
    '{% for item in items %}',
  ),
  translation(/^\{%-?\s*for\s+\w+\s+of\b/, 'for … of', JAVASCRIPT, '{% for item in items %}'),
  translation(/^\{%-?\s*for\s*\(/, 'for (…)', JAVASCRIPT, '{% for item in items %}'),
  translation(
    /^\{%-?\s*(?:end\s+for|end_for|endeach|endforeach|\/\s*for|\/\s*each|next)\b/i,
    'this spelling of endfor',
    'of other template languages',
    '{% endfor %}',
  ),
  translation(
    /^\{%-?\s*(?:end\s+if|end_if|\/\s*if|fi)\b/i,
    'this spelling of endif',
    'of other template languages',
    '{% endif %}',
  ),
  translation(/^\{%-?\s*end\s*-?%\}/, '{% end %}', 'Go templates and Tornado', '{% endif %} or {% endfor %}'),
  translation(
    /^\{%-?\s*(?:autoescape|endautoescape)\b/,
    '{% autoescape %}',
    'Jinja and Nunjucks',
    'no tag; values are always escaped',
  ),
  translation(
    /^\{%-?\s*(?:with|endwith|trans|endtrans|load|url|csrf_token|spaceless)\b/,
    'this tag',
    'Django and Jinja',
    'the text itself, or {% if %} and {% for %}',
  ),
  translation(/^\{%-?\s*(?:if|elif|elseif)\b.*\bcontains\b/, 'contains', LIQUID, '{% if "a" in list %}'),
  translation(/^\{%-?\s*(?:if|elif|elseif)\b.*<>/, '<>', 'SQL and Liquid', '!='),
  translation(/^\{%-?\s*(?:if|elif|elseif)\b[^=]*[^=!<>]=(?!=)/, '=', 'an assignment', '==, as in {% if a == 1 %}'),
  translation(/^\{%-?\s*(?:if|elif|elseif)\b.*(?<![\w=!<>])!(?!=)/, '!', JAVASCRIPT, 'not, as in {% if not name %}'),
];

const QUOTED = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/g;
const MAX_TAG = 2_000;

export function withoutQuotes(tag: string): string {
  return tag.replace(QUOTED, '""');
}

/** Explains a tag of another template language, with its equivalent. Returns undefined for other tags. */
export function explain(tag: string): string | undefined {
  if (tag.length > MAX_TAG) return undefined;
  const bare = withoutQuotes(tag).replace(/^(\{[{%])-?\s*/, '$1');
  const found = TRANSLATIONS.find(({ seen }) => seen.test(bare));
  return found && `${found.is}; write ${found.write}`;
}
