import { z } from 'zod';
import { MAX_NAME, text } from './text.js';

/** Rules for an author as the application states it, the same in every service that stores one. */
export const authorRules = z.strictObject({
  id: text({ max: MAX_NAME }).nullish(),
  name: text({ max: MAX_NAME }).nullish(),
  email: text({ max: MAX_NAME }).nullish(),
  profile: text({ max: MAX_NAME }).nullish(),
});
