import type { DragEvent } from 'react';

/** Files by their ids, or a folder, that are dragged to another folder. */
export type Dragged = { ids: readonly string[] } | { folder: string };

const TYPE = 'application/x-studio-files';
/** Items dragged from this tab. Browsers hide their data until the drop. */
let current: Dragged | undefined;

export function startDrag(event: DragEvent, dragged: Dragged): void {
  current = dragged;
  event.dataTransfer.setData(TYPE, JSON.stringify(dragged));
  event.dataTransfer.effectAllowed = 'move';
}

/** Returns whether what is dragged can be moved into a folder: not into itself, nor where it is. */
export function mayDropOn(event: DragEvent, prefix: string): boolean {
  if (!event.dataTransfer.types.includes(TYPE) || !current) return false;
  if ('ids' in current) return true;
  return !prefix.startsWith(current.folder) && prefix !== parentOf(current.folder);
}

/** Returns what was dropped, if it was dragged from this tab. */
export function draggedIn(event: DragEvent): Dragged | undefined {
  const dragged = event.dataTransfer.types.includes(TYPE) ? current : undefined;
  current = undefined;
  return dragged;
}

/** Prefix of the folder that contains a folder. */
export const parentOf = (folder: string): string => folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
