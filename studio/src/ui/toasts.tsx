import { Toast } from '@base-ui/react/toast';
import type { ReactNode } from 'react';
import { Button } from './controls';

declare module '@tanstack/react-query' {
  interface Register {
    /** Text after a successful mutation, such as `Webhook deleted`. One whose result opens has none. */
    mutationMeta: { done?: string | undefined };
  }
}

/** Toasts for invisible or undoable results, never for visible ones. Mutations set their text by `meta`. */
export const toasts = Toast.createToastManager();

export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={toasts}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts: shown } = Toast.useToastManager();
  return shown.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Title className="grow" />
      {toast.actionProps && <Toast.Action render={<Button size="small" />} />}
      <Toast.Close render={<Button size="small" look="plain" />}>Close</Toast.Close>
    </Toast.Root>
  ));
}
