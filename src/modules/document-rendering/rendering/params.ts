import { RenderingRefused } from './render-job.js';

const MAX_DEPTH = 100;

/**
 * The params of a rendering. `__proto__` is a name like any other.
 * @throws RenderingRefused when they are no JSON object, or deeper than 100 levels
 */
export function parseParams(params: string): object {
  const parsed = parseJson(params);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    refuse('must be a JSON object, such as {"name":"Ada"}');
  if (isDeeperThan(MAX_DEPTH, parsed)) refuse(`may be at most ${MAX_DEPTH} levels deep`);
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

function refuse(message: string): never {
  throw new RenderingRefused({ code: 'BAD_USER_INPUT', field: 'params', message });
}
