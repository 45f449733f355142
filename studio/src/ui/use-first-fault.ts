import { type RefObject, useEffect, useRef, useState } from 'react';

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
