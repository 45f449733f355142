import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { findProgram } from '../nodes/programs.mjs';

/** A requirement of tests on the machine: a program, a privilege, a kernel feature, a server. */
export interface Need {
  /** Name in the line `skipped: without …`, with the variable to set, if any. */
  name: string;
  isMet: boolean;
}

interface Tests {
  it: jest.It;
  describe: jest.Describe;
}

const { env, platform } = process;

/** Requires a program, wherever it is installed. */
export const program = (name: string): Need => ({ name, isMet: findProgram(name) !== undefined });

/** Requires a service that a variable names. */
const service = (name: string, variable: string): Need => ({ name: `${name} (set ${variable})`, isMet: Boolean(env[variable]) });

export const SERVICE = {
  redis: service('Redis', 'TEST_REDIS_URL'),
  s3: service('S3', 'TEST_S3_ENDPOINT'),
  chromium: service('Chromium', 'TEST_CHROMIUM'),
};
/** Process information of Linux under /proc. */
export const LINUX: Need = { name: 'Linux', isMet: platform === 'linux' };

/**
 * Returns `it` and `describe` for tests with these needs. Where one is missing, they skip. `npm test` names each missing need once, with the
 * specs that skip for it; with REQUIRE_SERVICES=1 it fails.
 */
export function needing(...needs: Need[]): Tests {
  return areMet(...needs) ? { it, describe } : { it: it.skip as jest.It, describe: describe.skip as jest.Describe };
}

/** Returns whether all needs are met. Notes the missing ones for `npm test`, like `needing`. */
export function areMet(...needs: Need[]): boolean {
  const missing = needs.filter(({ isMet }) => !isMet);
  const spec = basename(expect.getState().testPath ?? '').replace(/\.(e2e-)?spec\.ts$/, '');
  if (env.TEST_SKIPPED) for (const { name } of missing) appendFileSync(env.TEST_SKIPPED, `${JSON.stringify({ name, spec })}\n`);
  return missing.length === 0;
}
