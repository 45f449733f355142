/** Limits that a check and its description share. */
import { MIB } from '../../../common/validation/amounts.js';

export const MAX_SUBJECT = 4_096;
/** The longest params, in UTF-16 units. */
export const MAX_PARAMS = 5 * MIB;
export const MAX_PARAMS_DEPTH = 100;
/** The most processor time of a rendering. */
export const WORK_LIMIT_MS = 2_000;
/** The most time of a rendering that does not get this processor time, since the machine is too busy. */
export const CLOCK_LIMIT_MS = 10_000;
export const MAX_WAITING_OF_TENANT = 50;
