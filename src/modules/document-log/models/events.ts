import type { EventKinds } from '../../../common/events/outbox/event.js';

const readBy = ['logs'];

/** The events of log records. */
export const LOG_EVENTS = {
  LOG_CREATED: { description: 'A record was stored.', readBy },
  LOG_EDITED: { description: 'comment, custom1 or custom2 of a record changed.', readBy },
  LOGS_REMOVED: { description: 'Records were removed at the end of their period: how many, and how old they were.', readBy },
} satisfies EventKinds;
