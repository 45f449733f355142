import { useEffect, useState } from 'react';
import type { Api } from '../api/client';
import { type ActionOptions, useAction } from '../api/use-action';
import { isAbout, reasonOf } from './faults';

interface FormOptions<V, R> extends Omit<ActionOptions<R, V>, 'onDone' | 'onRead'> {
  /** Initial values. Each has a field. */
  first: V | (() => V);
  /** Names of values in the API, where they differ. */
  paths?: Partial<Record<keyof V, string>>;
  send: (values: V, api: Api) => R | Promise<R>;
  onDone?: (result: R, values: V) => unknown;
}

/** Properties of a field. */
export interface FieldOf<T> {
  value: T;
  onChange: (value: T) => void;
  fault: string | undefined;
}

/** The values of a form, the error of each, and how they are sent. */
export function useForm<V extends object, R>({ first, paths, send, onDone, ...options }: FormOptions<V, R>) {
  const [start, setStart] = useState(first);
  const [values, setValues] = useState(start);
  const { mutate, error, isPending, data } = useAction((api, sent: V) => send(sent, api), {
    ...options,
    onRead: (result, sent) => {
      setStart(sent);
      return onDone?.(result, sent);
    },
  });
  const set = (changes: Partial<V>) => setValues((known) => ({ ...known, ...changes }));
  const faultOf = (name: keyof V) => (isAbout(error, paths?.[name] ?? String(name)) ? reasonOf(error) : undefined);
  const isDirty = JSON.stringify(values) !== JSON.stringify(start);
  return {
    values,
    set,
    field: <K extends keyof V>(name: K): FieldOf<V[K]> => ({
      value: values[name],
      onChange: (value) => set({ [name]: value } as unknown as Partial<V>),
      fault: faultOf(name),
    }),
    /** Sends the values, or others in their place. */
    submit: (changes?: Partial<V>) => mutate({ ...values, ...changes }),
    isBusy: isPending,
    /** Whether a value differs from the initial one, or from the one sent last. */
    isDirty,
    /** Error that no field shows. */
    error: (Object.keys(values) as (keyof V)[]).some(faultOf) ? null : error,
    /** Response to the values. */
    result: data,
  };
}

/** State that the frame of a form needs. */
export type FormState = Pick<ReturnType<typeof useForm>, 'submit' | 'isBusy' | 'isDirty' | 'error'>;

/** Has the browser confirm that a page with unsaved changes is closed. */
export function useCloseQuestion(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isDirty]);
}
