import { useSyncExternalStore } from 'react';
import { useDescription } from '../../../api/api-context';
import { DRAFTS, keep, readKept } from '../../../ui/kept';
import type { Draft } from './draft';

/** A draft of a mail, stored in the browser for its key. */
export interface StoredDraft {
  id: string;
  draft: Draft;
  /** Search part of the URL at which it started, such as that of an earlier mail. */
  search: string;
  /** Time of the last change. */
  at: string;
}

const MOST = 20;
/** The draft that this tab shows. */
const CURRENT = `${DRAFTS}email`;
const listeners = new Set<() => void>();

const nameOf = (keyId: string) => `${DRAFTS}emails:${keyId}`;
const textOf = (keyId: string) => localStorage.getItem(nameOf(keyId)) ?? '';

function readDrafts(keyId: string): StoredDraft[] {
  const known = readKept<StoredDraft[]>(nameOf(keyId), localStorage);
  return Array.isArray(known) ? known.filter((one) => typeof one?.draft === 'object') : [];
}

/** Stores a draft as the newest, of which 20 remain; `undefined` removes it. */
export function storeDraft(keyId: string, id: string, value: Omit<StoredDraft, 'id' | 'at'> | undefined): void {
  const all = readDrafts(keyId);
  const known = all.find((one) => one.id === id);
  if (value ? JSON.stringify(known?.draft) === JSON.stringify(value.draft) : !known) return;
  const others = all.filter((one) => one !== known);
  const next = value ? [{ id, ...value, at: new Date().toISOString() }, ...others].slice(0, MOST) : others;
  keep(nameOf(keyId), next.length > 0 ? next : undefined, localStorage);
  for (const listener of listeners) listener();
}

export const findDraft = (keyId: string, id: string | undefined): StoredDraft | undefined =>
  readDrafts(keyId).find((one) => one.id === id);

export const readCurrent = (): string | undefined => readKept<string>(CURRENT);
export const keepCurrent = (id: string | undefined): void => keep(CURRENT, id);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
};

/** The drafts of the key, newest first, in all tabs. */
export function useDrafts(): StoredDraft[] {
  const { id } = useDescription();
  useSyncExternalStore(subscribe, () => textOf(id));
  return readDrafts(id);
}
