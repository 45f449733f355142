import { textFault } from '../../../common/validation/text.js';
import { RenderingRefused } from './render-job.js';

const MAX_DEPTH = 100;
/** Without escapes a text cannot hold them: the callers checked it. Others are matched too, pairs of surrogates above all. */
const ESCAPED_FAULT = /\\u(?:0000|d[89a-f])/i;
const SHOWN_PATH = 200;

/**
 * The params of a rendering. `__proto__` is a name like any other.
 * @throws RenderingRefused when they are no JSON object, deeper than 100 levels, or hold the NUL character or a lone
 *   surrogate, in a value or in a name
 */
export function parseParams(params: string): object {
  const parsed = parseJson(params);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    refuse('must be a JSON object, such as {"name":"Ada"}');
  if (isDeeperThan(MAX_DEPTH, parsed)) refuse(`may be at most ${MAX_DEPTH} levels deep`);
  if (ESCAPED_FAULT.test(params)) checkTexts(parsed, '');
  return parsed;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    refuse(`is not JSON: ${(error as Error).message}`);
  }
}

/** Level by level: a recursion could be driven out of its stack. */
function isDeeperThan(depth: number, root: object): boolean {
  let level: object[] = [root];
  for (let reached = 0; reached < depth; reached += 1) {
    level = objectsIn(level);
    if (level.length === 0) return false;
  }
  return true;
}

/** All params pass through here, so it makes no list that is not needed. */
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

/** What neither database stores as it is, and no reader can show. Not deeper than `MAX_DEPTH`. */
function checkTexts(value: unknown, path: string): void {
  if (typeof value === 'string') {
    const fault = textFault(value, { max: Number.POSITIVE_INFINITY });
    if (fault) refuse(`${path.slice(0, SHOWN_PATH).toWellFormed()} ${fault}`);
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
