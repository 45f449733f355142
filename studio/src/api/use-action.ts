import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from './api-context';
import type { Api } from './client';

export interface ActionOptions<R, T> {
  /** Announced after success. */
  done?: string | undefined;
  /** Queries that are read again, also after a failure. */
  again?: QueryKey | undefined;
  /** Runs after success, before the queries are read again: the detail of a deleted object closes first. */
  onDone?: ((result: R, input: T) => unknown) | undefined;
  /** Runs after success, once the queries were read again: a list has the created object. */
  onRead?: ((result: R, input: T) => unknown) | undefined;
}

/** A change by the API. Its success is announced, and what it changed is read again. */
export function useAction<R, T = void>(
  run: (api: Api, input: T) => R | Promise<R>,
  { done, again, onDone, onRead }: ActionOptions<R, T> = {},
) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    meta: { done },
    mutationFn: async (input: T) => run(api, input),
    onSuccess: (result, input) => onDone?.(result, input),
    onSettled: async (result, error, input) => {
      if (again) await queries.invalidateQueries({ queryKey: again });
      if (!error) await onRead?.(result as R, input);
    },
  });
}
