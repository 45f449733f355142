import type { EventKinds, NewEvent } from '../../../common/events/outbox/event.js';

const ofTemplates = ['templates'];
const ofStylesheets = ['css'];
const ofPartials = ['partials'];

/** The events of templates, stylesheets and partials. */
export const RENDERING_EVENTS = {
  TEMPLATE_CREATED: { description: 'A template was created.', readBy: ofTemplates },
  TEMPLATE_UPDATED: { description: 'A template changed.', readBy: ofTemplates },
  TEMPLATE_DELETED: { description: 'A template was deleted. The template is shown as it was.', readBy: ofTemplates },
  STYLESHEET_CREATED: { description: 'A stylesheet was created.', readBy: ofStylesheets },
  STYLESHEET_UPDATED: { description: 'A stylesheet changed.', readBy: ofStylesheets },
  STYLESHEET_DELETED: { description: 'A stylesheet was deleted. The stylesheet is shown as it was.', readBy: ofStylesheets },
  PARTIAL_CREATED: { description: 'A partial was created.', readBy: ofPartials },
  PARTIAL_UPDATED: { description: 'A partial changed.', readBy: ofPartials },
  PARTIAL_DELETED: { description: 'A partial was deleted. The partial is shown as it was.', readBy: ofPartials },
} satisfies EventKinds;

/** The kind of an event of a template, stylesheet or partial, for `EventOutbox.change`. */
export const renderingChange = (tenantId: string, type: keyof typeof RENDERING_EVENTS) =>
  ({ tenantId, service: 'document-rendering', type }) as const;

/** Shows a template, stylesheet or partial in an event. */
export const shown = (data: { id: string }): Pick<NewEvent, 'subject' | 'data'> => ({ subject: data.id, data });
