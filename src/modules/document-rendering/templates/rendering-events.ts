import type { EventKinds, NewEvent } from '../../../common/events/outbox/event.js';

const ofTemplates = ['templates'];
const ofStylesheets = ['css'];
const ofPartials = ['partials'];

export const RENDERING_EVENTS = {
  TEMPLATE_CREATED: { description: 'A template was created.', readBy: ofTemplates },
  TEMPLATE_UPDATED: { description: 'A template changed.', readBy: ofTemplates },
  TEMPLATE_DELETED: { description: 'A template was deleted. Contains its last state.', readBy: ofTemplates },
  STYLESHEET_CREATED: { description: 'A stylesheet was created.', readBy: ofStylesheets },
  STYLESHEET_UPDATED: { description: 'A stylesheet changed.', readBy: ofStylesheets },
  STYLESHEET_DELETED: { description: 'A stylesheet was deleted. Contains its last state.', readBy: ofStylesheets },
  PARTIAL_CREATED: { description: 'A partial was created.', readBy: ofPartials },
  PARTIAL_UPDATED: { description: 'A partial changed.', readBy: ofPartials },
  PARTIAL_DELETED: { description: 'A partial was deleted. Contains its last state.', readBy: ofPartials },
} satisfies EventKinds;

/** Returns the event fields that `EventOutbox.change` needs. */
export const renderingChange = (tenantId: string, type: keyof typeof RENDERING_EVENTS) =>
  ({ tenantId, service: 'document-rendering', type }) as const;

/** Returns a template, stylesheet or partial for an event. */
export const shown = (data: { id: string }): Pick<NewEvent, 'subject' | 'data'> => ({ subject: data.id, data });
