import { isJsonObject } from '../../../common/base/json.js';
import { textFault } from '../../../common/base/text.js';
import { RenderingRefused } from '../template-language/result/refusal.js';
import { MAX_PARAMS_DEPTH } from '../models/limits.js';

/** Escapes that may encode NUL or a lone surrogate, or a valid surrogate pair. Unescaped text was already checked by callers. */
const SUSPECT_ESCAPE = /\\u(?:0000|d[89a-f])/i;
/** Maximum length of a path quoted in an error. */
const MAX_PATH = 200;

/**
 * Parses the params of a rendering. `__proto__` is an ordinary name.
 * @throws RenderingRefused unless they are a JSON object of at most 100 levels, without NUL and lone surrogates in names and values
 */
export function parseParams(params: string): object {
  const parsed = parseJson(params);
  if (!isJsonObject(parsed)) refuse('must be a JSON object, such as {"name":"Ada"}');
  if (hasBrackets(MAX_PARAMS_DEPTH, params) && isDeeperThan(MAX_PARAMS_DEPTH, parsed))
    refuse(`may be at most ${MAX_PARAMS_DEPTH} levels deep`);
  if (SUSPECT_ESCAPE.test(params)) checkTexts(parsed, '');
  return parsed;
}

/** Returns the error message for invalid params, or undefined. */
export function faultInParams(params: string): string | undefined {
  try {
    parseParams(params);
    return undefined;
  } catch (error) {
    if (error instanceof RenderingRefused) return error.refusal.message;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    refuse(`is not JSON: ${(error as Error).message}`);
  }
}

/**
 * Returns true if the text has at least `count` opening brackets. With fewer, no value can be nested as deeply. Faster than walking
 * the values.
 */
function hasBrackets(count: number, text: string): boolean {
  let left = count;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1 && left > 0; at = text.indexOf(bracket, at + 1)) left -= 1;
  }
  return left === 0;
}

/** Walks the values level by level, since recursion could overflow the stack. */
function isDeeperThan(depth: number, root: object): boolean {
  let level: object[] = [root];
  for (let reached = 0; reached < depth; reached += 1) {
    level = objectsIn(level);
    if (level.length === 0) return false;
  }
  return true;
}

/** Returns the objects and lists directly inside the nodes. Allocates few lists, since all params are checked here. */
function objectsIn(nodes: object[]): object[] {
  const found: object[] = [];
  for (const node of nodes) {
    for (const name in node) {
      const child: unknown = node[name as never];
      if (typeof child === 'object' && child !== null) found.push(child);
    }
  }
  return found;
}

/** Rejects text that databases cannot store and nothing can display. Recursion depth is limited by `MAX_PARAMS_DEPTH`. */
function checkTexts(value: unknown, path: string): void {
  if (typeof value === 'string') {
    const problem = textFault(value, { max: Number.POSITIVE_INFINITY });
    if (problem) refuse(`${path.slice(0, MAX_PATH).toWellFormed()} ${problem}`);
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => checkTexts(item, `${path}[${index}]`));
  } else if (value !== null && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) {
      checkTexts(name, `the name ${JSON.stringify(name)}${path && ` in ${path}`}`);
      checkTexts(member, path ? `${path}.${name}` : name);
    }
  }
}

function refuse(message: string): never {
  throw new RenderingRefused({ code: 'BAD_USER_INPUT', field: 'params', message });
}
