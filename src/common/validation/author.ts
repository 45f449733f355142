import { z } from 'zod';
import { MAX_NAME, text } from './text.js';

/** Who made something, as an application tells it; the same in every service that keeps it. */
export const authorRules = z.strictObject({
  id: text({ max: MAX_NAME }).nullish(),
  name: text({ max: MAX_NAME }).nullish(),
  email: text({ max: MAX_NAME }).nullish(),
  profile: text({ max: MAX_NAME }).nullish(),
});
