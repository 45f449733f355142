/** Limits that a check and its description share. */
import { MIB } from '../../../common/validation/amounts.js';

export const MAX_SUBJECT = 4_096;
/** In UTF-16 units. */
export const MAX_PARAMS = 5 * MIB;
export const MAX_PARAMS_DEPTH = 100;
/** Processor time of a rendering. */
export const WORK_LIMIT_MS = 2_000;
/** Time of a rendering on a machine that is too busy to give it that. */
export const CLOCK_LIMIT_MS = 10_000;
export const MAX_WAITING_OF_TENANT = 50;
