import { type PartsTarget, type Progress, upload, type UploadOptions } from '@platform-services/client/browser';
import { useCallback, useEffect, useRef, useState } from 'react';

/** State of the newest upload. */
export type UploadState<R> =
  | { name: 'idle' }
  | { name: 'sending'; progress: Progress }
  /** `result` is the ETag, or that of `complete` for parts. */
  | { name: 'done'; result: R }
  | { name: 'failed'; error: unknown };

export interface Upload<R> {
  state: UploadState<R>;
  /** Sends a file, and cancels an upload that is still running. Resolves to undefined if it fails, is cancelled or the component unmounts. */
  start(file: Blob): Promise<R | undefined>;
  /** Cancels the upload and returns to `idle`. */
  cancel(): void;
}

type Address = string | (() => Promise<string>);

/**
 * Uploads a file from a page. `targetOf` asks your server for the target of a file: an `uploadUrl`, a function that returns a new one for
 * each attempt, or a PartsTarget.
 */
export function useUpload(
  targetOf: (file: Blob) => Address | Promise<Address>,
  options?: Omit<UploadOptions, 'onProgress' | 'signal'>,
): Upload<string>;
export function useUpload<R>(
  targetOf: (file: Blob) => PartsTarget<R> | Promise<PartsTarget<R>>,
  options?: Omit<UploadOptions, 'onProgress' | 'signal'>,
): Upload<R>;
export function useUpload(
  targetOf: (file: Blob) => Address | PartsTarget | Promise<Address | PartsTarget>,
  options: Omit<UploadOptions, 'onProgress' | 'signal'> = {},
): Upload<unknown> {
  const [state, setState] = useState<UploadState<unknown>>({ name: 'idle' });
  const running = useRef<AbortController>(undefined);
  const latest = useRef({ targetOf, options });
  useEffect(() => {
    latest.current = { targetOf, options };
  });
  useEffect(() => () => running.current?.abort(), []);

  const start = useCallback(async (file: Blob) => {
    running.current?.abort();
    const control = new AbortController();
    const { signal } = control;
    running.current = control;
    const show = (next: UploadState<unknown>) => !signal.aborted && setState(next);
    show({ name: 'sending', progress: { done: 0, total: file.size } });
    try {
      const target = await latest.current.targetOf(file);
      const onProgress = (progress: Progress) => show({ name: 'sending', progress });
      const result = await upload(file, target as string, { ...latest.current.options, signal, onProgress });
      show({ name: 'done', result });
      return signal.aborted ? undefined : result;
    } catch (error) {
      show({ name: 'failed', error });
      return undefined;
    }
  }, []);
  const cancel = useCallback(() => {
    running.current?.abort();
    setState({ name: 'idle' });
  }, []);
  return { state, start, cancel };
}
