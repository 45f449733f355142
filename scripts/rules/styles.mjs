// Styles: Studio takes sizes, layers and colours from the tokens, so that pages agree and a theme is one file.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const FOLDER = join('studio', 'src');
const TOKENS = 'tokens.css';
/** Forbidden values of declarations, each with its replacement. */
const REFUSED = [
  [/(?<![\w.-])(?!-?[12]px)-?[\d.]+px/, 'takes sizes beyond 2px from tokens.css, or in rem'],
  [/#[\da-f]{3,8}\b|\brgba?\(|\bhsla?\(/i, 'takes colours from tokens.css'],
  [/z-index:\s*-?\d/, 'takes layers from tokens.css'],
];

export function checkStyles(root) {
  const read = (ending) =>
    readdirSync(join(root, FOLDER), { recursive: true })
      .filter((name) => ending.test(name))
      .sort()
      .map((name) => ({ path: join(FOLDER, name), text: readFileSync(join(root, FOLDER, name), 'utf8') }));
  const sheets = read(/\.css$/);
  const found = sheets.filter(({ path }) => basename(path) !== TOKENS).flatMap(({ path, text }) => findStyles(path, text));
  return [
    ...found,
    ...findModules(
      sheets.filter(({ path }) => path.endsWith('.module.css')),
      read(/\.tsx$/),
    ),
  ];
}

/** Finds unused and missing classes of CSS modules, which the compiler does not report. Two modules of one name would share classes. */
export function findModules(modules, scripts) {
  const names = modules.map(({ path }) => basename(path));
  const twins = names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is the name of two modules`);
  const unmatched = modules.flatMap(({ path, text }) => {
    const has = new Set(
      [...text.replaceAll(/:global\([^)]*\)/g, '').matchAll(/\.([a-z][\w-]*)(?=[^;{}]*\{)/gi)].map(([, name]) => camel(name)),
    );
    const users = scripts.filter(({ path: user, text: script }) => importsOf(user, script).includes(path));
    const used = new Set(users.flatMap(({ text: script }) => [...script.matchAll(/\bstyles\.(\w+)/g)].map(([, name]) => name)));
    const unused = [...has].filter((name) => !used.has(name)).map((name) => `${path} has .${name}, which nothing uses`);
    return [...unused, ...[...used].filter((name) => !has.has(name)).map((name) => `${path} lacks .${name}, which is used`)];
  });
  return [...twins, ...unmatched];
}

const camel = (name) => name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
const importsOf = (path, text) =>
  [...text.matchAll(/from '(\.[^']*\.module\.css)'/g)].map(([, module]) => join(dirname(path), module));

/** Skips conditions of @media and @container, which cannot use a token. */
export function findStyles(path, text) {
  return text.split('\n').flatMap((line, at) => {
    if (/^\s*@/.test(line)) return [];
    return REFUSED.filter(([pattern]) => pattern.test(line)).map(([, rule]) => `${path}:${at + 1} ${rule}: ${line.trim()}`);
  });
}
