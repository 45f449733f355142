import { useMemo, useSyncExternalStore } from 'react';
import type { CreateFileInput } from '../../../../clients/js/src/generated/files';
import type { Api } from '../../api/client';
import { session } from '../../api/session';
import { isInParts, type Job, run, undo } from './upload-run';

export type UploadState = 'waiting' | 'sending' | 'paused' | 'failed' | 'done';

/** An upload of this tab. */
export interface Upload {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** Id of the draft that attaches the file; without it the tray shows the upload. */
  readonly group?: string | undefined;
  readonly sent: number;
  readonly state: UploadState;
  readonly isInParts: boolean;
  readonly isReplacement: boolean;
  /** File on the server, once it exists. */
  readonly fileId?: string | undefined;
  readonly error?: unknown;
}

/** A requested upload. */
export interface Wanted {
  source: File;
  input: CreateFileInput & { name: string };
  replaces?: Job['replaces'];
}

const AT_ONCE = 3;
const TELL_MS = 100;

/** All uploads of this tab. They continue while other pages of Studio are shown. */
class Uploads {
  private uploads: readonly Upload[] = [];
  private readonly jobs = new Map<number, Job & { abort?: AbortController }>();
  private readonly listeners = new Set<() => void>();
  private fileIds: readonly string[] = [];
  private count = 0;
  private doneCount = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    session.subscribe(() => this.forget());
  }

  readonly read = (): readonly Upload[] => this.uploads;

  readonly readFileIds = (): readonly string[] => this.fileIds;

  readonly readDoneCount = (): number => this.doneCount;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  add(wanted: readonly Wanted[], api: Api['files'], group?: string): void {
    const added = wanted.map(({ source, input, replaces }): Upload => {
      const id = this.count++;
      const job: Job = { api, source, input, replaces };
      this.jobs.set(id, job);
      const { type, size } = source;
      return {
        id,
        name: input.name,
        type,
        size,
        group,
        sent: 0,
        state: 'waiting',
        isInParts: isInParts(job),
        isReplacement: Boolean(replaces),
      };
    });
    this.become([...this.uploads, ...added]);
    this.pump();
  }

  pause(id: number): void {
    this.change(id, { state: 'paused' });
    this.jobs.get(id)?.abort?.abort();
    this.pump();
  }

  /** Continues after a pause or a failure. */
  resume(id: number): void {
    this.change(id, { state: 'waiting', error: undefined });
    this.pump();
  }

  /** Cancels an upload and deletes its leftovers; a finished one is only removed from the list. */
  cancel(id: number): void {
    const isDone = this.uploads.some((upload) => upload.id === id && upload.state === 'done');
    const job = isDone ? undefined : this.jobs.get(id);
    this.jobs.delete(id);
    this.become(this.uploads.filter((upload) => upload.id !== id));
    if (job?.abort) job.abort.abort();
    else if (job) void undo(job);
    this.pump();
  }

  clearDone(): void {
    for (const { id, state, group } of this.uploads) if (state === 'done' && !group) this.cancel(id);
  }

  cancelGroup(group: string): void {
    for (const upload of this.uploads) if (upload.group === group) this.cancel(upload.id);
  }

  private forget(): void {
    for (const { abort } of this.jobs.values()) abort?.abort();
    this.jobs.clear();
    this.become([]);
  }

  private pump(): void {
    const sending = [...this.jobs.values()].filter(({ abort }) => abort).length;
    const next = this.uploads.filter(({ id, state }) => state === 'waiting' && !this.jobs.get(id)?.abort);
    for (const { id } of next.slice(0, Math.max(0, AT_ONCE - sending))) void this.send(id);
  }

  private async send(id: number): Promise<void> {
    const job = this.jobs.get(id)!;
    const abort = new AbortController();
    job.abort = abort;
    this.change(id, { state: 'sending', sent: 0 });
    try {
      await run(job, (sent) => abort.signal.aborted || this.change(id, { sent, fileId: job.fileId }), abort.signal);
      this.doneCount += 1;
      this.change(id, { state: 'done', sent: job.source.size, fileId: job.fileId });
    } catch (error) {
      if (!abort.signal.aborted) this.change(id, { state: 'failed', error, fileId: job.fileId });
    } finally {
      delete job.abort;
      if (!this.jobs.has(id) && this.isOpen(job)) void undo(job);
      this.pump();
    }
  }

  /** Whether a job was cancelled, not removed with its key. */
  private isOpen(job: Job): boolean {
    return job.fileId !== undefined && session.read() !== '';
  }

  private change(id: number, changes: Partial<Upload>): void {
    const isStep = changes.state === undefined;
    const { fileId } = changes;
    if (fileId && !this.fileIds.includes(fileId)) this.fileIds = [...this.fileIds, fileId];
    this.become(
      this.uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)),
      isStep,
    );
  }

  /** Reports progress at most ten times a second, everything else at once. */
  private become(uploads: readonly Upload[], isStep = false): void {
    this.uploads = uploads;
    if (isStep && this.timer) return;
    clearTimeout(this.timer);
    this.timer = isStep ? setTimeout(() => this.tell(), TELL_MS) : undefined;
    if (!isStep) this.tell();
  }

  private tell(): void {
    this.timer = undefined;
    const isUnfinished = this.uploads.some(({ state }) => state !== 'done');
    if (isUnfinished) addEventListener('beforeunload', warn);
    else removeEventListener('beforeunload', warn);
    for (const listener of this.listeners) listener();
  }
}

const warn = (event: BeforeUnloadEvent) => event.preventDefault();

export const uploads = new Uploads();
/** Returns the uploads of a draft, or those of the tray. */
export function useUploads(group?: string): readonly Upload[] {
  const all = useSyncExternalStore(uploads.subscribe, uploads.read);
  return useMemo(() => all.filter((upload) => upload.group === group), [all, group]);
}
/** Files created by this tab, which are not news here. */
export const useUploadedIds = (): readonly string[] => useSyncExternalStore(uploads.subscribe, uploads.readFileIds);
/** Number of finished uploads, including removed ones. */
export const useDoneCount = (): number => useSyncExternalStore(uploads.subscribe, uploads.readDoneCount);
