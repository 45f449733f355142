import { useEffect, useSyncExternalStore } from 'react';

/** A command of the palette. */
export interface Command {
  id: string;
  group: string;
  word: string;
  run: () => void;
  /** Keyboard shortcut of the command. */
  keys?: string;
}

/** Commands of the current page. Pages add theirs, and remove them when they close. */
class Commands {
  private sets: readonly (readonly Command[])[] = [];
  private all: readonly Command[] = [];
  private readonly listeners = new Set<() => void>();

  readonly read = (): readonly Command[] => this.all;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  add(set: readonly Command[]): () => void {
    this.become([...this.sets, set]);
    return () => this.become(this.sets.filter((one) => one !== set));
  }

  private become(sets: readonly (readonly Command[])[]): void {
    this.sets = sets;
    this.all = sets.flat();
    for (const listener of this.listeners) listener();
  }
}

const commands = new Commands();
export const useAllCommands = (): readonly Command[] => useSyncExternalStore(commands.subscribe, commands.read);

/** Adds commands to the palette while the calling component is shown. Pass a memoised list. */
export function useCommands(set: readonly Command[]): void {
  useEffect(() => commands.add(set), [set]);
}
