/** A construct of another template language, and how it is written in this one. */
interface Translation {
  /** Matches the tag with its delimiters. The content of quotes was removed before. */
  seen: RegExp;
  /** The name of the construct and its language. */
  is: string;
  /** How the construct is written in this language. */
  write: string;
}

const HANDLEBARS = 'Handlebars';
const MUSTACHE = 'Mustache and Handlebars';
const LIQUID = 'Liquid';
const JAVASCRIPT = 'JavaScript';

const lesson = (seen: RegExp, what: string, language: string, write: string): Translation => ({
  seen,
  is: `${what} is ${language}`,
  write,
});

/** Ordered: the first match is used. */
const TRANSLATIONS: Translation[] = [
  lesson(
    /^\{\{\{/,
    '{{{…}}}, a value that is not escaped,',
    MUSTACHE,
    '{{ name }}; values are always escaped, and HTML stands in the template',
  ),
  lesson(/^\{\{~?#\s*(?:each|list)\b/, '{{#each}}', HANDLEBARS, '{% for item in items %}…{% endfor %}'),
  lesson(/^\{\{~?#\s*unless\b/, '{{#unless}}', HANDLEBARS, '{% if not name %}…{% endif %}'),
  lesson(/^\{\{~?#\s*if\b/, '{{#if}}', HANDLEBARS, '{% if name %}…{% endif %}'),
  lesson(/^\{\{~?#\s*with\b/, '{{#with}}', HANDLEBARS, 'dotted names, such as {{ person.name }}'),
  lesson(/^\{\{~?#/, 'a section {{#name}}', MUSTACHE, '{% if name %}…{% endif %}, or {% for item in items %}…{% endfor %}'),
  lesson(/^\{\{~?\/\s*each\b/, '{{/each}}', HANDLEBARS, '{% endfor %}'),
  lesson(/^\{\{~?\/\s*(?:if|unless)\b/, '{{/if}}', HANDLEBARS, '{% endif %}'),
  lesson(/^\{\{~?\//, 'the end of a section {{/name}}', MUSTACHE, '{% endif %} or {% endfor %}'),
  lesson(/^\{\{~?\s*\^/, 'an inverted section {{^name}}', MUSTACHE, '{% if not name %}…{% endif %}'),
  lesson(/^\{\{~?\s*else\b/, '{{else}}', HANDLEBARS, '{% else %}'),
  lesson(/^\{\{~?\s*>/, 'a partial {{> name}}', MUSTACHE, '{% include "name" %}, or {% include "name" with item %}'),
  lesson(/^\{\{~?\s*!/, 'a comment {{! … }}', MUSTACHE, '{# … #} for a comment, or {{ not name }}'),
  lesson(/^\{\{~?\s*&/, '{{&name}}, a value that is not escaped,', MUSTACHE, '{{ name }}; values are always escaped'),
  lesson(/^\{\{~?\s*\.\.\//, '{{../name}}', HANDLEBARS, 'the name itself; a loop sees all that is around it'),
  lesson(/^\{\{~?\s*\.\s*~?\}\}/, '{{.}}, the current item,', MUSTACHE, '{% for item in items %}{{ item }}{% endfor %}'),
  lesson(/^\{\{~?\s*\./, 'a name that begins with a dot', 'Go templates', 'the name without the dot, such as {{ person.name }}'),
  lesson(
    /@(?:index|key|first|last|root)\b/,
    'a name with @',
    HANDLEBARS,
    'loop.index0, loop.index, loop.first or loop.last; for keys, {% for key, value in object %}',
  ),
  lesson(/^\{\{~?\s*this\s*~?\}\}/, '{{this}}', HANDLEBARS, '{% for item in items %}{{ item }}{% endfor %}'),
  lesson(
    /(?<![\w.])this[./]/,
    'this.name',
    HANDLEBARS,
    'in a loop the name of its item, such as {{ item.name }}, else the name alone',
  ),
  lesson(/^\{\{~|~\}\}$/, '~ beside the brackets', HANDLEBARS, '{{- and -}} to take the spaces away'),
  lesson(/\?\?/, '??', JAVASCRIPT, '{{ name | default("…") }}'),
  lesson(/\?\./, '?.', JAVASCRIPT, 'a dot alone; what is missing is empty'),
  lesson(/\?[^:]*:/, 'the operator ?:', JAVASCRIPT, '{{ "yes" if name else "no" }}'),
  lesson(
    /\?/,
    'a name with ?',
    'FreeMarker and TypeScript',
    'the name alone; what is missing is empty, or {{ name | default("…") }}',
  ),
  lesson(/\|\|/, '||', JAVASCRIPT, 'or'),
  lesson(/&&/, '&&', JAVASCRIPT, 'and'),
  lesson(/=>/, 'a function =>', JAVASCRIPT, 'a filter of the list, or pass the value as a parameter'),
  lesson(/\$\w+/, 'a name with $', 'PHP, shells and Velocity', 'the name without $'),
  lesson(/`/, 'a text in back quotes', JAVASCRIPT, 'the parts next to each other: {{ a }} {{ b }}'),
  lesson(/^\{%-?\s*unless\b/, '{% unless %}', LIQUID, '{% if not name %}'),
  lesson(/^\{%-?\s*endunless\b/, '{% endunless %}', LIQUID, '{% endif %}'),
  lesson(/^\{%-?\s*(?:assign|capture|increment|decrement)\b/, 'setting a name', LIQUID, 'nothing; pass the value as a parameter'),
  lesson(/^\{%-?\s*(?:case|when|endcase)\b/, '{% case %}', LIQUID, '{% if name == "a" %}…{% elif name == "b" %}…{% endif %}'),
  lesson(/^\{%-?\s*(?:comment|endcomment)\b/, '{% comment %}', LIQUID, '{# … #}'),
  lesson(
    /^\{%-?\s*(?:render|layout|section)\b/,
    'another template',
    LIQUID,
    '{% include "name" %}, or set the layoutId of the template',
  ),
  lesson(/^\{%-?\s*(?:tablerow|cycle)\b/, 'this tag', LIQUID, '{% for item in items %}…{% endfor %}'),
  lesson(/^\{%-?\s*(?:break|continue)\b/, 'leaving a loop', LIQUID, 'an {% if %} inside the loop'),
  lesson(
    /^\{%-?\s*(?:elsif|else\s+if|elif\s+if)\b/,
    'this spelling of elif',
    'of other template languages',
    '{% elif condition %}',
  ),
  lesson(/^\{%-?\s*for\b.*\.\./, 'a range such as 1..3', LIQUID, 'a parameter that is a list: {% for item in items %}'),
  lesson(/^\{%-?\s*(?:foreach|each|loop)\b/, 'this spelling of for', 'of other template languages', '{% for item in items %}'),
  lesson(/^\{%-?\s*for\s+\w+\s+of\b/, 'for … of', JAVASCRIPT, '{% for item in items %}'),
  lesson(/^\{%-?\s*for\s*\(/, 'for (…)', JAVASCRIPT, '{% for item in items %}'),
  lesson(
    /^\{%-?\s*(?:end\s+for|end_for|endeach|endforeach|\/\s*for|\/\s*each|next)\b/i,
    'this spelling of endfor',
    'of other template languages',
    '{% endfor %}',
  ),
  lesson(/^\{%-?\s*(?:end\s+if|end_if|\/\s*if|fi)\b/i, 'this spelling of endif', 'of other template languages', '{% endif %}'),
  lesson(/^\{%-?\s*end\s*-?%\}/, '{% end %}', 'Go templates and Tornado', '{% endif %} or {% endfor %}'),
  lesson(
    /^\{%-?\s*(?:autoescape|endautoescape)\b/,
    '{% autoescape %}',
    'Jinja and Nunjucks',
    'nothing; values are always escaped',
  ),
  lesson(
    /^\{%-?\s*(?:with|endwith|trans|endtrans|load|url|csrf_token|spaceless)\b/,
    'this tag',
    'Django and Jinja',
    'the text itself, or {% if %} and {% for %}',
  ),
  lesson(/^\{%-?\s*(?:if|elif|elseif)\b.*\bcontains\b/, 'contains', LIQUID, '{% if "a" in list %}'),
  lesson(/^\{%-?\s*(?:if|elif|elseif)\b.*<>/, '<>', 'SQL and Liquid', '!='),
  lesson(/^\{%-?\s*(?:if|elif|elseif)\b[^=]*[^=!<>]=(?!=)/, '=', 'an assignment', '==, as in {% if a == 1 %}'),
  lesson(/^\{%-?\s*(?:if|elif|elseif)\b.*(?<![\w=!<>])!(?!=)/, '!', JAVASCRIPT, 'not, as in {% if not name %}'),
];

const QUOTED = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/g;
const MAX_TAG = 2_000;

export function withoutQuotes(tag: string): string {
  return tag.replace(QUOTED, '""');
}

/** Explains a tag of another template language and what to write instead. Returns undefined for any other tag. */
export function teach(tag: string): string | undefined {
  if (tag.length > MAX_TAG) return undefined;
  const bare = withoutQuotes(tag).replace(/^(\{[{%])-?\s*/, '$1');
  const found = TRANSLATIONS.find(({ seen }) => seen.test(bare));
  return found && `${found.is}; write ${found.write}`;
}
