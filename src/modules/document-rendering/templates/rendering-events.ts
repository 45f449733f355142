import { type EventKinds, type NewEvent, SAMPLE_AUTHOR, SAMPLE_ID, SAMPLE_TIME } from '../../../common/events/outbox/event.js';

const ofTemplates = ['templates'];
const ofStylesheets = ['css'];
const ofPartials = ['partials'];

const COMMON = { id: SAMPLE_ID, author: SAMPLE_AUTHOR, createdAt: SAMPLE_TIME, updatedAt: SAMPLE_TIME };
const STYLESHEET = { ...COMMON, name: 'house', text: 'p { color: #333 }' };
const TEMPLATE = {
  ...COMMON,
  name: 'greeting',
  active: true,
  subject: null,
  body: '<p>Dear {{ name }}</p>',
  css: null,
  layoutId: null,
  locale: 'en',
  sampleParams: null,
  version: 1,
  comment: null,
  type: 'document',
  contentType: 'html',
  parentCss: STYLESHEET,
};

const template = { subject: SAMPLE_ID, data: TEMPLATE };
const stylesheet = { subject: SAMPLE_ID, data: STYLESHEET };
const partial = { subject: SAMPLE_ID, data: { ...COMMON, name: 'footer', contentType: 'html', body: '<p>Example Ltd</p>' } };

export const RENDERING_EVENTS = {
  TEMPLATE_CREATED: { description: 'A template was created.', readBy: ofTemplates, sample: template },
  TEMPLATE_UPDATED: { description: 'A template changed.', readBy: ofTemplates, sample: template },
  TEMPLATE_DELETED: { description: 'A template was deleted. Contains its last state.', readBy: ofTemplates, sample: template },
  STYLESHEET_CREATED: { description: 'A stylesheet was created.', readBy: ofStylesheets, sample: stylesheet },
  STYLESHEET_UPDATED: { description: 'A stylesheet changed.', readBy: ofStylesheets, sample: stylesheet },
  STYLESHEET_DELETED: {
    description: 'A stylesheet was deleted. Contains its last state.',
    readBy: ofStylesheets,
    sample: stylesheet,
  },
  PARTIAL_CREATED: { description: 'A partial was created.', readBy: ofPartials, sample: partial },
  PARTIAL_UPDATED: { description: 'A partial changed.', readBy: ofPartials, sample: partial },
  PARTIAL_DELETED: { description: 'A partial was deleted. Contains its last state.', readBy: ofPartials, sample: partial },
} satisfies EventKinds;

/** Returns the event fields that `EventOutbox.change` needs. */
export const renderingChange = (tenantId: string, type: keyof typeof RENDERING_EVENTS) =>
  ({ tenantId, service: 'document-rendering', type }) as const;

/** Returns a template, stylesheet or partial for an event. */
export const shown = (data: { id: string }): Pick<NewEvent, 'subject' | 'data'> => ({ subject: data.id, data });
