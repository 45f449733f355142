import { useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/client';
import { useRead } from '../api/use-read';
import type { TemplatesOrder } from '../../../clients/js/src/generated/rendering';
import { usePages } from '../ui/use-pages';
import { nameOf, type Saved, type TemplateRow, type TemplateType } from './model/template';
import { readPartial } from './reading-parts';

const PAGE = 100;
const LIVE_MS = 15_000;
/** Maximum number of templates searched for the users of a stylesheet, or suggested as a layout. */
const MOST_USERS = 20_000;

const ROW = {
  id: true,
  name: true,
  type: true,
  contentType: true,
  subject: true,
  active: true,
  inherited: true,
  updatedAt: true,
  parentCss: { id: true, name: true },
  layoutId: true,
  locale: true,
} as const;
const WHOLE = {
  ...ROW,
  body: true,
  css: true,
  version: true,
  sampleParams: true,
  comment: true,
  createdAt: true,
  author: { name: true, email: true },
  translations: {
    locale: true,
    subject: true,
    body: true,
    unusedParams: true,
    updatedAt: true,
    author: { name: true, email: true },
  },
} as const;

type RowOf = Awaited<ReturnType<typeof readRows>>['items'][number];

const readRows = (api: Api, variables: Parameters<Api['rendering']['templates']>[0], signal: AbortSignal) =>
  api.rendering.templates(variables, { items: ROW, nextToken: true }, { signal });

const rowOf = (row: RowOf): TemplateRow => ({
  id: row.id,
  name: row.name ?? '',
  type: row.type as TemplateType,
  contentType: row.contentType ?? 'plain',
  subject: row.subject ?? '',
  isActive: row.active ?? true,
  isInherited: row.inherited ?? false,
  updatedAt: row.updatedAt ?? '',
  layoutId: row.layoutId ?? undefined,
  locale: row.locale ?? undefined,
  stylesheet: row.parentCss ? { id: row.parentCss.id, name: row.parentCss.name ?? '' } : undefined,
});

/** All templates, page by page. */
export function useTemplates(active: boolean | undefined, order: TemplatesOrder = 'OLDEST') {
  return usePages<TemplateRow>({
    queryKey: ['rendering', 'templates', { active, order }],
    right: ['document-rendering', 'query', 'templates'],
    read: async (api, nextToken, signal) => {
      const filter = active === undefined ? null : { active };
      const page = { filter, limit: PAGE, order, ...(nextToken && { nextToken }) };
      const { items, nextToken: next } = await readRows(api, page, signal);
      return { items: items.map(rowOf), nextToken: next };
    },
  });
}

/** Reads the template with exactly this name, which may be on a page not loaded yet. */
export function useTemplateNamed(name: string, isEnabled: boolean) {
  return useRead({
    queryKey: ['rendering', 'templates', 'named', name],
    read: async (api, signal) => (await readRows(api, { filter: { name }, limit: 1 }, signal)).items.map(rowOf),
    enabled: isEnabled && name !== '',
  });
}

export async function readTemplate(api: Api, id: string, signal?: AbortSignal): Promise<Saved | null> {
  const options = signal && { signal };
  const { items } = await api.rendering.templates(
    { filter: { ids: [id] }, limit: 1 },
    { items: WHOLE, nextToken: true },
    options,
  );
  const [one] = items;
  if (!one) return null;
  const { isActive, isInherited, name, type, contentType, subject, updatedAt, stylesheet } = rowOf(one);
  return {
    id: one.id,
    kind: 'template',
    href: `/${one.id}`,
    locale: one.locale ?? '',
    translations: (one.translations ?? []).map((translation) => ({
      locale: translation.locale ?? '',
      subject: translation.subject ?? '',
      body: translation.body ?? '',
      unusedParams: translation.unusedParams ?? [],
      updatedAt: translation.updatedAt ?? '',
      author: nameOf(translation.author),
    })),
    name,
    type,
    contentType,
    subject,
    isActive,
    isInherited,
    updatedAt,
    body: one.body ?? '',
    css: one.css ?? '',
    comment: one.comment ?? '',
    version: one.version ?? 1,
    sampleParams: one.sampleParams ?? '',
    parentCssId: stylesheet?.id ?? '',
    layoutId: one.layoutId ?? '',
    createdAt: one.createdAt ?? '',
    author: nameOf(one.author),
  };
}

export const templateKey = (id: string) => ['rendering', 'template', id] as const;

/** Reads the value that changes with each save of a template or partial. */
async function readStamp(api: Api, id: string, kind: 'template' | 'partial', signal: AbortSignal): Promise<unknown> {
  const one = { filter: { ids: [id] }, limit: 1 };
  const { items } =
    kind === 'partial'
      ? await api.rendering.partials(one, { items: { updatedAt: true } }, { signal })
      : await api.rendering.templates(one, { items: { version: true } }, { signal });
  return Object.values(items[0] ?? {})[0];
}

/** Reads a template or a partial. Its stamp is polled, and the whole read again after another save. */
export function useTemplate(id: string, kind: 'template' | 'partial') {
  const queries = useQueryClient();
  return useRead({
    queryKey: templateKey(id),
    read: async (api, signal) => {
      const known = queries.getQueryData<Saved | null>(templateKey(id));
      const stamp = known?.[kind === 'partial' ? 'updatedAt' : 'version'];
      if (known && (await readStamp(api, id, kind, signal)) === stamp) return known;
      return (kind === 'partial' ? readPartial : readTemplate)(api, id, signal);
    },
    right: ['document-rendering', 'query', `${kind}s`],
    live: 'document-rendering',
  });
}

/** Names of all templates, for a choice among them. */
export function useTemplateNames() {
  return useRead({
    queryKey: ['rendering', 'templates', 'names'],
    right: ['document-rendering', 'query', 'templates'],
    staleTime: LIVE_MS,
    read: async (api, signal) => {
      const names: Pick<TemplateRow, 'id' | 'name' | 'type' | 'contentType'>[] = [];
      const selection = { id: true, name: true, type: true, contentType: true } as const;
      for await (const { id, name, type, contentType } of api.rendering.allTemplates({ limit: 1_000 }, selection, { signal })) {
        names.push({ id, name: name ?? '', type: type as TemplateType, contentType: contentType ?? 'plain' });
        if (names.length === MOST_USERS) break;
      }
      return names;
    },
  });
}

export interface Users {
  byStylesheet: ReadonlyMap<string, readonly { id: string; name: string }[]>;
  /** False if there are more templates than were searched. */
  isWhole: boolean;
}

/** Users of each stylesheet. */
export function useUsers() {
  return useRead({
    queryKey: ['rendering', 'templates', 'users'],
    right: ['document-rendering', 'query', 'templates'],
    staleTime: LIVE_MS,
    read: async (api, signal): Promise<Users> => {
      const byStylesheet = new Map<string, { id: string; name: string }[]>();
      let seen = 0;
      const all = api.rendering.allTemplates({ limit: 1_000 }, { id: true, name: true, parentCss: { id: true } }, { signal });
      for await (const { id, name, parentCss } of all) {
        if (parentCss) byStylesheet.set(parentCss.id, [...(byStylesheet.get(parentCss.id) ?? []), { id, name: name ?? '' }]);
        if (++seen === MOST_USERS) return { byStylesheet, isWhole: false };
      }
      return { byStylesheet, isWhole: true };
    },
  });
}
