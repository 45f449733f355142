import { Toast } from '@base-ui/react/toast';
import type { ReactNode } from 'react';
import { Button } from './controls';

/** For what happened out of sight, or can be undone; never for what is visible anyway. */
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
