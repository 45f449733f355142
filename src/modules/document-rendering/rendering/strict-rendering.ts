// Room: Renders one document from a template, its parameters and stylesheets.
import { badInput } from '../../../common/base/app-error.js';
import type { Rendering, Warning } from '../template-language/result/rendering.js';

/** How many problems an error lists one by one. */
const MAX_LISTED = 5;
/** How many characters of a path an error quotes. */
const MAX_PATH = 100;

/**
 * Checks a strict rendering.
 * @throws BAD_USER_INPUT that names the first missing parameters and the first warnings
 */
export function checkComplete({ missingParams, warnings }: Pick<Rendering, 'missingParams' | 'warnings'>, field: string): void {
  if (missingParams.length === 0 && warnings.length === 0) return;
  const problems = [
    ...missingParams.slice(0, MAX_LISTED).map((path) => `${shortened(path)} is missing`),
    ...warnings.map(described),
  ];
  const rest = missingParams.length + warnings.length - MAX_LISTED;
  const listed = problems.slice(0, MAX_LISTED).join('; ');
  throw badInput(field, `the rendering is strict and incomplete: ${listed}${rest > 0 ? `; and ${rest} more` : ''}`);
}

function described({ path, field, line, column, reason }: Warning): string {
  return `${field}, line ${line}, column ${column}${path === null ? '' : `, ${shortened(path)}`}: ${reason}`;
}

function shortened(path: string): string {
  return path.length <= MAX_PATH ? path : `${path.slice(0, MAX_PATH).toWellFormed()}…`;
}
