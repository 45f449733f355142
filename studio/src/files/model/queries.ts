import { useMemo } from 'react';
import { useRead } from '../../api/use-read';
import { usePages } from '../../ui/use-pages';
import { ADDRESS_SECONDS, FILE_FIELDS, type FileRow, LISTED_FIELDS } from './file-record';
import type { View } from './view';
import type { Right } from '../../api/scope';

const FOLDERS_AT_ONCE = 1_000;
const FILES_AT_ONCE = 100;
const NEWEST = 50;
const HALF = 500;

/** Key of every query of files but their URLs, which stay, so that a preview does not restart. */
export const FILES = ['files'] as const;

export function useFileList({ filter, order }: View, isEnabled: boolean) {
  return usePages({
    queryKey: ['files', 'list', filter, order],
    read: (api, nextToken, signal) =>
      api.files.files(
        { filter, order, limit: FILES_AT_ONCE, nextToken: nextToken ?? null },
        { items: LISTED_FIELDS, nextToken: true },
        { signal },
      ),
    isEnabled,
  });
}

export const useFolders = ({ folder, hasFolders }: View) => useFoldersIn(folder, hasFolders);

/** The folders directly below a prefix. */
export function useFoldersIn(prefix: string, isEnabled: boolean) {
  return usePages({
    queryKey: ['files', 'folders', prefix],
    read: (api, nextToken, signal) =>
      api.files.fileFolders({ prefix, limit: FOLDERS_AT_ONCE, nextToken: nextToken ?? null }, undefined, { signal }),
    isEnabled,
  });
}

/** Totals of a folder with everything below it. */
export interface FolderTotals {
  files: number;
  bytes: number;
  /** Whether it has more files than are counted. */
  isMore: boolean;
  updatedAt: string | undefined;
}

/** Maximum number of files counted in a folder. */
const MOST_COUNTED = 200;
const TOTALS_MS = 60_000;

/** Counts the files of a folder, from the last changed one on. */
export function useFolderTotals(prefix: string): FolderTotals | undefined {
  const { data } = useRead({
    queryKey: ['files', 'totals', prefix],
    read: async (api, signal): Promise<FolderTotals> => {
      const { items, nextToken } = await api.files.files(
        { filter: { namePrefix: prefix }, order: 'RECENTLY_UPDATED', limit: MOST_COUNTED },
        { items: { contentLength: true, updatedAt: true }, nextToken: true },
        { signal },
      );
      return {
        files: items.length,
        bytes: items.reduce((sum, { contentLength }) => sum + (contentLength ?? 0), 0),
        isMore: nextToken !== null,
        updatedAt: items[0]?.updatedAt ?? undefined,
      };
    },
    staleTime: TOTALS_MS,
    refetchOnWindowFocus: false,
  });
  return data;
}

/** Counts files of others that arrived since the list was read. */
export function useNewCount({ filter }: View, items: readonly FileRow[], own: readonly string[], isEnabled: boolean): number {
  const { data } = useRead({
    queryKey: ['files', 'newest', filter],
    read: (api, signal) => api.files.files({ filter, limit: NEWEST }, { items: { id: true, createdAt: true } }, { signal }),
    enabled: isEnabled,
    live: 'file-management',
  });
  return useMemo(() => {
    const known = new Set<string | null>([...own, ...items.map(({ id }) => id)]);
    const since = items[0]?.createdAt ?? '';
    return data?.items.filter(({ id, createdAt }) => !known.has(id) && (createdAt ?? '') >= since).length ?? 0;
  }, [data, items, own]);
}

export function useFile(id: string, isEnabled: boolean) {
  return useRead({
    queryKey: ['files', 'file', id],
    read: (api, signal) => api.files.file({ ID: id }, FILE_FIELDS, { signal }),
    enabled: isEnabled,
    live: 'file-management',
    isOnItsWay: (file: { status: string | null } | null) => file?.status === 'uploading',
  });
}

interface Content {
  id: string;
  etag: string | null;
  isPublic: boolean | null;
}

/** Returns a content URL, reused for half of its lifetime. */
export function useContentAddress({ id, etag, isPublic }: Content, expiresIn = ADDRESS_SECONDS) {
  return useRead({
    queryKey: ['content of files', id, etag, isPublic, expiresIn],
    read: async (api, signal) => {
      const file = await api.files.file({ ID: id }, { downloadUrl: { expiresIn } }, { signal });
      return webAddress(file?.downloadUrl);
    },
    enabled: etag !== null,
    staleTime: expiresIn * HALF,
    refetchOnWindowFocus: false,
  });
}

/** Returns a URL that a page may load; null for any other. */
export const webAddress = (text: string | null | undefined): string | null =>
  text && /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : null;

/** Returns a URL that no cache has stored. The server ignores the addition. */
export function ofVersion(address: string, etag: string | null): string {
  const url = new URL(address);
  url.searchParams.set('version', etag ?? '');
  return url.href;
}

export function useStorageUsed(isEnabled: boolean) {
  return useRead({
    queryKey: ['files', 'storage'],
    read: (api, signal) => api.files.storageUsed({}, undefined, { signal }),
    enabled: isEnabled,
    live: 'file-management',
  });
}

export function useStorageHistory(days: number, isEnabled: boolean) {
  return useRead({
    queryKey: ['files', 'storage-history', days],
    read: (api, signal) => api.files.storageHistory({ days }, undefined, { signal }),
    enabled: isEnabled,
  });
}

export const mayQuery = (operation: string): Right => ['file-management', 'query', operation];
export const mayChange = (operation: string): Right => ['file-management', 'mutation', operation];
