// Room: Renders one document from a template, its parameters and stylesheets.
import { badInput } from '../../../common/base/app-error.js';
import type { Rendering, Warning } from '../template-language/result/rendering.js';

/** Maximum number of problems listed in an error. */
const MAX_LISTED = 5;
/** Maximum length of a path quoted in an error. */
const MAX_PATH = 100;

/** Checks a strict rendering. @throws BAD_USER_INPUT with the first missing parameters and warnings */
export function checkComplete({ missingParams, warnings }: Pick<Rendering, 'missingParams' | 'warnings'>, field: string): void {
  if (missingParams.length === 0 && warnings.length === 0) return;
  const problems = [
    ...missingParams.slice(0, MAX_LISTED).map((path) => `${shortened(path)} is missing`),
    ...warnings.map(described),
  ];
  const rest = missingParams.length + warnings.length - MAX_LISTED;
  const listed = problems.slice(0, MAX_LISTED).join('; ');
  throw badInput(field, `the rendering is incomplete, and strict is set: ${listed}${rest > 0 ? `; and ${rest} more` : ''}`);
}

function described({ path, field, line, column, reason }: Warning): string {
  return `${field}, line ${line}, column ${column}${path === null ? '' : `, ${shortened(path)}`}: ${reason}`;
}

function shortened(path: string): string {
  return path.length <= MAX_PATH ? path : `${path.slice(0, MAX_PATH).toWellFormed()}…`;
}
