import { badInput } from '../../../common/errors/app-error.js';
import type { Rendering, Warning } from './render-job.js';

/** So many are named one by one. */
const SHOWN = 5;
const SHOWN_PATH = 100;

/**
 * For strict renderings.
 * @throws AppError BAD_USER_INPUT that names the first parameters that were missing and the first warnings
 */
export function checkComplete({ missingParams, warnings }: Pick<Rendering, 'missingParams' | 'warnings'>, field: string): void {
  if (missingParams.length === 0 && warnings.length === 0) return;
  const problems = [...missingParams.slice(0, SHOWN).map((path) => `${shortened(path)} is missing`), ...warnings.map(described)];
  const rest = missingParams.length + warnings.length - SHOWN;
  const shown = problems.slice(0, SHOWN).join('; ');
  throw badInput(field, `the rendering is strict and incomplete: ${shown}${rest > 0 ? `; and ${rest} more` : ''}`);
}

function described({ path, field, line, column, reason }: Warning): string {
  return `${field}, line ${line}, column ${column}${path === null ? '' : `, ${shortened(path)}`}: ${reason}`;
}

function shortened(path: string): string {
  return path.length <= SHOWN_PATH ? path : `${path.slice(0, SHOWN_PATH).toWellFormed()}…`;
}
