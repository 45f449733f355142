import type { NewEvent } from '../../../common/events/outbox/event.js';
import type { RENDERING_EVENTS } from '../models/events.js';

/** The kind of an event of a template, stylesheet or partial, for `EventOutbox.change`. */
export const renderingChange = (tenantId: string, type: keyof typeof RENDERING_EVENTS) =>
  ({ tenantId, service: 'document-rendering', type }) as const;

/** Shows a template, stylesheet or partial in an event. */
export const shown = (data: { id: string }): Pick<NewEvent, 'subject' | 'data'> => ({ subject: data.id, data });
