import { PlatformError } from '../../../clients/js/src/errors';
import { type RefObject, useEffect, useRef, useState } from 'react';

/** Returns whether an error concerns an input such as `to`, or a part of it. */
export const isAbout = (error: unknown, field: string): error is PlatformError =>
  error instanceof PlatformError && `${error.field?.replace(/^input\./, '')}.`.startsWith(`${field}.`);

/** Returns the reason of a refusal in one sentence, to stand beside its field. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const field = error instanceof PlatformError ? `${error.field}: ` : '';
  return capital(field && error.message.startsWith(field) ? error.message.slice(field.length) : error.message);
}

/** Capitalizes a text, unless an address comes first. */
export const capital = (text: string): string => (/^\S+@/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));

/** Returns the words of an action within a sentence: “Create domain” is “create the domain”. */
export const wordsOf = (action: string): string =>
  action.replace(/^(\S)(\S*) /, (_, first: string, rest: string) => `${first.toLowerCase()}${rest} the `);

const FAULTS = '[aria-invalid="true"], [data-fault] [contenteditable="true"]';

/** Returns a ref for a form, and a function that focuses its first invalid field once it is shown. */
export function useFirstFault(): [form: RefObject<HTMLFormElement | null>, focus: () => void] {
  const form = useRef<HTMLFormElement>(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (tries > 0) form.current?.querySelector<HTMLElement>(FAULTS)?.focus();
  }, [tries]);
  return [form, () => setTries((now) => now + 1)];
}
