// Names: a file is named after its class, and its suffix after the role of that class.
import ts from 'typescript';
import { finding } from './source.mjs';

/** Roles: the last word of a class name and the suffix of its file. */
const ROLES = ['Service', 'Job', 'Resolver', 'Controller', 'Gateway', 'Module', 'Guard', 'Filter', 'Scalar'];
/** Role names of Nest. */
const DECORATORS = { Resolver: 'Resolver', Controller: 'Controller', Module: 'Module', Catch: 'Filter', Scalar: 'Scalar' };
const PROVIDERS = ['Injectable', 'WebSocketGateway', ...Object.keys(DECORATORS)];
/** Programs: their module is the whole program. */
const PROGRAMS = ['src/cli.ts'];

export function checkNames(sources) {
  return sources.filter(({ path }) => !PROGRAMS.includes(path)).flatMap((source) => [...classNames(source), ...queries(source)]);
}

function classNames(source) {
  const [stem, suffix] = source.path.split('/').at(-1).split('.');
  return classesOf(source).flatMap((node) => {
    const decorators = decoratorsOf(node);
    if (!decorators.some((name) => PROVIDERS.includes(name))) return [];
    const name = node.name.text;
    const role = decorators.map((one) => DECORATORS[one]).find(Boolean) ?? ROLES.find((one) => name.endsWith(one));
    const [bare, roleSuffix] = role ? [name.replace(new RegExp(`${role}$`), ''), kebab(role)] : [name, suffix];
    const isRight = suffix === 'ts' ? roleSuffix === 'ts' : suffix === roleSuffix && ROLES.some((one) => kebab(one) === suffix);
    if (isRight && [kebab(bare), kebab(name)].includes(stem)) return [];
    const wanted = role ? `${kebab(bare)}.${roleSuffix}.ts` : `${kebab(name)}.ts`;
    return [finding(source, node, `${name} belongs in a file named ${wanted}`)];
  });
}

/** `.queries.ts` has SQL in functions: a class there would hide a service. */
function queries(source) {
  if (!source.path.endsWith('.queries.ts')) return [];
  const classes = classesOf(source).map((node) => finding(source, node, 'a .queries.ts file holds functions, not classes'));
  const imports = source.tree.statements.filter(
    (node) => ts.isImportDeclaration(node) && node.moduleSpecifier.text.startsWith('@nestjs/'),
  );
  return [...classes, ...imports.map((node) => finding(source, node, 'a .queries.ts file does not use Nest'))];
}

const classesOf = ({ tree }) => tree.statements.filter((node) => ts.isClassDeclaration(node) && node.name);

function decoratorsOf(node) {
  return (ts.getDecorators(node) ?? []).map(({ expression }) =>
    (ts.isCallExpression(expression) ? expression.expression : expression).getText(),
  );
}

const kebab = (name) => name.replaceAll(/(?<=[a-z0-9])([A-Z])/g, '-$1').toLowerCase();
