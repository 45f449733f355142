import { useEffect, useState } from 'react';
import { useDescription } from '../api/api-context';
import type { Api } from '../api/client';
import { missingEntry, type Right } from '../api/scope';
import { useRead } from '../api/use-read';
import { filesNamed, SHORTEST_PART, tenantsNamed } from '../ui/use-search';

/** A search result. */
export interface Found {
  group: string;
  word: string;
  /** Path below /studio. */
  path: string;
}

interface Source {
  right: Right;
  find: (api: Api, text: string, signal: AbortSignal) => Promise<Found[]>;
}

const PAUSE_MS = 200;
const SHORTEST = 2;
const OF_EACH = 5;
/** Number of templates, and partials, searched by a part of their name. */
const LOOKED_THROUGH = 1_000;
const isNamed = (name: string | null, part: string) => name?.toLowerCase().includes(part.toLowerCase()) ?? false;

const SOURCES: readonly Source[] = [
  {
    right: ['file-management', 'query', 'files'],
    find: async ({ files }, text, signal) => {
      const fields = { items: { id: true, name: true } } as const;
      const { items } = await files.files({ filter: filesNamed(text), limit: OF_EACH }, fields, { signal });
      return items.map(({ id, name }) => ({ group: 'Files', word: name ?? '', path: `/files/${id}` }));
    },
  },
  {
    right: ['document-rendering', 'query', 'templates'],
    find: async ({ rendering }, text, signal) => {
      const fields = { items: { id: true, name: true } } as const;
      const { items } = await rendering.templates({ limit: LOOKED_THROUGH }, fields, { signal });
      return items
        .filter(({ name }) => isNamed(name, text))
        .slice(0, OF_EACH)
        .map(({ id, name }) => ({ group: 'Templates', word: name ?? '', path: `/templates/${id}` }));
    },
  },
  {
    right: ['document-rendering', 'query', 'partials'],
    find: async ({ rendering }, text, signal) => {
      const { items } = await rendering.partials({ limit: LOOKED_THROUGH }, { items: { id: true, name: true } }, { signal });
      return items
        .filter(({ name }) => isNamed(name, text))
        .slice(0, OF_EACH)
        .map(({ id, name }) => ({ group: 'Partials', word: name ?? '', path: `/templates/partials/${id}` }));
    },
  },
  {
    right: ['document-log', 'query', 'logs'],
    find: async ({ log }, text, signal) => {
      const fields = { items: { documentType: true, documentId: true } } as const;
      const { items } = await log.logs({ filter: { documentId: text }, limit: OF_EACH }, fields, { signal });
      const types = [...new Set(items.flatMap((item) => (item ? [item.documentType ?? ''] : [])))];
      return types.map((type) => ({
        group: 'Documents',
        word: `${type} ${text}`,
        path: `/log/document?${new URLSearchParams({ type, id: text }).toString()}`,
      }));
    },
  },
  {
    right: ['email', 'query', 'messages'],
    find: async ({ email }, text, signal) => {
      if (text.length < SHORTEST_PART) return [];
      const fields = { items: { id: true, subject: true, to: { address: true } } } as const;
      const { items } = await email.messages({ filter: { contains: text }, limit: OF_EACH }, fields, { signal });
      return items.map(({ id, subject, to }) => ({
        group: 'Emails',
        word: `${subject || '(no subject)'} to ${to?.[0]?.address ?? ''}`,
        path: `/email/${id}`,
      }));
    },
  },
  {
    right: ['websockets-manager', 'query', 'messages'],
    find: async ({ push }, text, signal) => {
      const { items } = await push.messages({ filter: { recipient: text }, limit: 1 }, { items: { id: true } }, { signal });
      return items.map(() => ({ group: 'Recipients', word: text, path: `/push/online/${encodeURIComponent(text)}` }));
    },
  },
  {
    right: ['admin', 'query', 'tenants'],
    find: async ({ admin }, text, signal) => {
      const { items } = await admin.tenants(
        { ...tenantsNamed(text), limit: OF_EACH },
        { items: { id: true, name: true } },
        { signal },
      );
      return items.map(({ id, name }) => ({ group: 'Tenants', word: name ?? '', path: `/tenants/${id}` }));
    },
  },
];

/** Searches the services for a typed text after a moment: by part of a name, or by exact name. */
export function useFound(typed: string): readonly Found[] {
  const { scope } = useDescription();
  const text = usePaused(typed.trim());
  const isEnabled = text.length >= SHORTEST;
  const { data } = useRead({
    queryKey: ['find', text],
    enabled: isEnabled,
    read: async (api, signal) => {
      const sources = SOURCES.filter(({ right }) => missingEntry(scope, right) === undefined);
      const found = await Promise.allSettled(sources.map(({ find }) => find(api, text, signal)));
      signal.throwIfAborted();
      return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    },
  });
  return isEnabled && text === typed.trim() ? (data ?? NONE) : NONE;
}

const NONE: readonly Found[] = [];

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
