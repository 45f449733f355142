import type { Api } from '../../api/client';
import type { Right } from '../../api/scope';
import { readTemplate } from '../reading';
import { readPartial, readStylesheet } from '../reading-parts';
import { type Draft, type Saved, sourceOf, translationOf } from './template';

/** Differences of the editor between templates, translations, partials and stylesheets. */
interface Kind {
  word: string;
  /** List that contains it, and its name. */
  home: string;
  list: string;
  read: (api: Api, saved: Saved) => Promise<Saved | null>;
  /** Saves a draft. CONFLICT if somebody else saved after `changedAfter`. */
  save: (api: Api, base: Saved, draft: Draft, changedAfter: string) => Promise<unknown>;
  remove: (api: Api, saved: Saved) => Promise<unknown>;
  /** Consequence of a deletion. */
  loss: string;
  saveRight: Right;
  deleteRight: Right;
}

export const KINDS: Readonly<Record<Saved['kind'], Kind>> = {
  template: {
    word: 'template',
    home: '/',
    list: 'Templates',
    read: (api, { id }) => readTemplate(api, id),
    save: (api, { id, type: kind, locale }, draft, changedAfter) => {
      const { type: _, ...source } = sourceOf(draft, kind);
      const { comment, name, isActive: active } = draft;
      const language = draft.locale === locale ? {} : { locale: draft.locale || null };
      const input = { ...source, ...language, name, comment: comment || null, active, changedAfter };
      return api.rendering.updateTemplate({ id, input }, ID);
    },
    remove: (api, { id }) => api.rendering.deleteTemplate({ id }, ID),
    loss: 'Requests that render this template fail. This can’t be undone.',
    saveRight: ['document-rendering', 'mutation', 'updateTemplate'],
    deleteRight: ['document-rendering', 'mutation', 'deleteTemplate'],
  },
  translation: {
    word: 'translation',
    home: '/',
    list: 'Templates',
    read: async (api, { id, locale }) => {
      const template = await readTemplate(api, id);
      return (template && translationOf(template, locale)) ?? null;
    },
    save: (api, { id: templateId, locale }, { subject, body }, changedAfter) => {
      const input = { subject: subject || null, body, changedAfter };
      return api.rendering.putTemplateTranslation({ templateId, locale, input }, LOCALE);
    },
    remove: (api, { id: templateId, locale }) => api.rendering.deleteTemplateTranslation({ templateId, locale }, LOCALE),
    loss: 'Readers of this language get the texts of the template. This can’t be undone.',
    saveRight: ['document-rendering', 'mutation', 'putTemplateTranslation'],
    deleteRight: ['document-rendering', 'mutation', 'deleteTemplateTranslation'],
  },
  partial: {
    word: 'partial',
    home: '/partials',
    list: 'Partials',
    read: (api, { id }) => readPartial(api, id),
    save: (api, { id }, { body }, changedAfter) => api.rendering.updatePartial({ id, input: { body, changedAfter } }, ID),
    remove: (api, { id }) => api.rendering.deletePartial({ id }, ID),
    loss: 'This can’t be undone.',
    saveRight: ['document-rendering', 'mutation', 'updatePartial'],
    deleteRight: ['document-rendering', 'mutation', 'deletePartial'],
  },
  stylesheet: {
    word: 'stylesheet',
    home: '/stylesheets',
    list: 'Stylesheets',
    read: (api, { id }) => readStylesheet(api, id),
    save: (api, { id }, { body: text }, changedAfter) => api.rendering.updateCss({ id, input: { text, changedAfter } }, ID),
    remove: (api, { id }) => api.rendering.deleteCss({ id }, ID),
    loss: 'This can’t be undone.',
    saveRight: ['document-rendering', 'mutation', 'updateCss'],
    deleteRight: ['document-rendering', 'mutation', 'deleteCss'],
  },
};

const ID = { id: true } as const;
const LOCALE = { locale: true } as const;
