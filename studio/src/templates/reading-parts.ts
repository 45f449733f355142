import type { Api } from '../api/client';
import { useRead } from '../api/use-read';
import { usePages } from '../ui/use-pages';
import { type ContentType, nameOf, type Saved } from './model/template';

const PAGE = 100;
const LIVE_MS = 15_000;

/** Returns a partial, with missing template fields empty. */
export async function readPartial(api: Api, id: string, signal?: AbortSignal): Promise<Saved | null> {
  const selection = { items: PARTIAL, nextToken: true } as const;
  const { items } = await api.rendering.partials({ filter: { ids: [id] }, limit: 1 }, selection, signal && { signal });
  const [one] = items;
  if (!one) return null;
  return {
    id: one.id,
    kind: 'partial',
    href: `/partials/${one.id}`,
    type: 'document',
    name: one.name ?? '',
    body: one.body ?? '',
    contentType: one.contentType ?? 'plain',
    isInherited: one.inherited ?? false,
    createdAt: one.createdAt ?? '',
    updatedAt: one.updatedAt ?? '',
    author: nameOf(one.author),
    ...NO_TEMPLATE,
  };
}

const PARTIAL = {
  id: true,
  name: true,
  body: true,
  contentType: true,
  inherited: true,
  createdAt: true,
  updatedAt: true,
  author: { name: true, email: true },
} as const;
const NO_TEMPLATE = {
  subject: '',
  css: '',
  parentCssId: '',
  layoutId: '',
  comment: '',
  isActive: true,
  locale: '',
  translations: [],
  version: 1,
  sampleParams: '',
} as const;

type StylesheetRow = Awaited<ReturnType<typeof readStylesheets>>['items'][number];

const STYLESHEET = { id: true, name: true, text: true, inherited: true, createdAt: true, updatedAt: true } as const;

const readStylesheets = (api: Api, variables: Parameters<Api['rendering']['css']>[0], signal?: AbortSignal) =>
  api.rendering.css(variables, { items: STYLESHEET, nextToken: true }, signal && { signal });

const stylesheetOf = ({ id, name, text, inherited, createdAt, updatedAt }: StylesheetRow): Saved => ({
  ...NO_TEMPLATE,
  id,
  kind: 'stylesheet',
  href: `/stylesheets/${id}`,
  type: 'document',
  contentType: 'plain',
  author: undefined,
  isInherited: inherited ?? false,
  name: name ?? '',
  body: text ?? '',
  createdAt: createdAt ?? '',
  updatedAt: updatedAt ?? '',
});

export async function readStylesheet(api: Api, id: string): Promise<Saved | null> {
  const { items } = await readStylesheets(api, { filter: { ids: [id] }, limit: 1 });
  return items[0] ? stylesheetOf(items[0]) : null;
}

/** All shared stylesheets, with their rules. */
export function useStylesheets() {
  return usePages<Saved>({
    queryKey: ['rendering', 'css'],
    right: ['document-rendering', 'query', 'css'],
    read: async (api, nextToken, signal) => {
      const page = await readStylesheets(api, { limit: PAGE, ...(nextToken && { nextToken }) }, signal);
      return { items: page.items.map(stylesheetOf), nextToken: page.nextToken };
    },
  });
}

export interface PartialRow {
  id: string;
  name: string;
  contentType: ContentType;
  isInherited: boolean;
  updatedAt: string;
}

/** All partials, without their texts. */
export function usePartials() {
  return useRead({
    queryKey: ['rendering', 'partials'],
    right: ['document-rendering', 'query', 'partials'],
    staleTime: LIVE_MS,
    read: async (api, signal) => {
      const rows: PartialRow[] = [];
      const selection = { id: true, name: true, contentType: true, inherited: true, updatedAt: true } as const;
      for await (const { id, name, contentType, inherited, updatedAt } of api.rendering.allPartials({}, selection, { signal }))
        rows.push({
          id,
          name: name ?? '',
          contentType: contentType ?? 'plain',
          isInherited: inherited ?? false,
          updatedAt: updatedAt ?? '',
        });
      return rows;
    },
  });
}

/** Templates that use a partial or layout: the first of them, and whether there are more. */
export function useMadeOf(partId: string) {
  return useRead({
    queryKey: ['rendering', 'templates', 'made-of', partId],
    right: ['document-rendering', 'query', 'templates'],
    read: async (api, signal): Promise<Using> => {
      const selection = { items: { id: true, name: true }, nextToken: true } as const;
      const page = await api.rendering.templates({ filter: { partId }, limit: PAGE }, selection, { signal });
      return { items: page.items.map(({ id, name }) => ({ id, name: name ?? '' })), isWhole: page.nextToken === null };
    },
  });
}

/** Templates that use something. */
export interface Using {
  items: readonly { id: string; name: string }[];
  /** Whether these are all. */
  isWhole: boolean;
}
