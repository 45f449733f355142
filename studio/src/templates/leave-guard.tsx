import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Button, Modal } from '../ui/controls';
import { toasts } from '../ui/toasts';
import { useCloseQuestion } from '../ui/use-form';

interface GuardProps {
  /** Name of the object with unsaved changes. */
  name: string;
  isDirty: boolean;
  /** Path below /studio, to return to. */
  href: string;
  onDiscard: () => void;
  /** Whether unsaved changes are still there on return. */
  isKept: boolean;
}

/**
 * Confirms leaving unsaved changes: by the browser when the page is closed, and by a dialog when a link is followed. Leaving by the
 * history or the palette offers a link back instead.
 */
export function LeaveGuard({ name, isDirty, href, onDiscard, isKept }: GuardProps) {
  const [, navigate] = useLocation();
  const [target, setTarget] = useState<string>();
  const isAnswered = useRef(false);
  useCloseQuestion(isDirty);
  useEffect(() => {
    if (!isDirty) return undefined;
    const follow = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!link || link.target || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
      const { origin, pathname, search } = new URL(link.href, location.href);
      if (origin !== location.origin || pathname === location.pathname) return;
      event.preventDefault();
      event.stopPropagation();
      setTarget(pathname + search);
    };
    document.addEventListener('click', follow, true);
    return () => document.removeEventListener('click', follow, true);
  }, [isDirty]);
  const leaveWayBack = useEffectEvent(() => {
    if (!isDirty || !isKept || isAnswered.current || location.pathname === `/studio${href}`) return;
    toasts.add({
      title: `Unsaved changes to ${name} are kept in this tab`,
      actionProps: { children: 'Back to template', onClick: () => navigate(`~/studio${href}`) },
    });
  });
  useEffect(() => () => leaveWayBack(), []);
  const leave = () => {
    isAnswered.current = true;
    if (target) navigate(`~${target}`);
  };
  return (
    <Modal title={`Leave ${name}?`} isOpen={target !== undefined} onClose={() => setTarget(undefined)}>
      <p>{isKept ? 'Unsaved changes stay in this tab until you close it.' : 'Unsaved changes will be lost.'}</p>
      <div className="actions">
        <Button onClick={() => setTarget(undefined)}>Stay</Button>
        <Button
          look="danger"
          onClick={() => {
            onDiscard();
            leave();
          }}
        >
          Discard changes
        </Button>
        {isKept && (
          <Button look="primary" onClick={leave}>
            Keep draft and leave
          </Button>
        )}
      </div>
    </Modal>
  );
}
