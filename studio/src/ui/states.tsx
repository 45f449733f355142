import { ExclamationTriangleIcon, LockClosedIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { PlatformError } from '../../../clients/js/src/errors';
import { session } from '../api/session';
import { Button } from './controls';
import { CopyText } from './copy';

/** Advice for errors whose message has none. */
const ADVICE: Readonly<Record<string, string>> = {
  CONNECTION_BROKEN: 'Studio reconnects by itself.',
  INTERNAL_SERVER_ERROR: 'Contact the server operator with the request ID.',
};

/** Error state: the failed action, the response of the API and advice. */
export function ErrorNotice({ error, tried, onRetry }: { error: unknown; tried: string; onRetry?: () => void }) {
  const known = error instanceof PlatformError ? error : undefined;
  return (
    <div className="notice bad" role="alert">
      <ExclamationTriangleIcon aria-hidden />
      <div className="stack tight grow">
        <strong>Couldn’t {tried}.</strong>
        <span className="break">{error instanceof Error ? error.message : String(error)}</span>
        {known && (
          <span className="small">
            <code>{known.code}</code>
            {known.field && (
              <>
                {' '}
                in <code>{known.field}</code>
              </>
            )}
            . {ADVICE[known.code]}
          </span>
        )}
        {known?.requestId && (
          <span className="row small">
            Request <CopyText text={known.requestId} label="Copy request ID" />
          </span>
        )}
        {known?.code === 'UNAUTHENTICATED' ? (
          <span>
            <Button size="small" onClick={() => session.enter('')}>
              Use another key
            </Button>
          </span>
        ) : (
          onRetry && (
            <span>
              <Button size="small" onClick={onRetry}>
                Try again
              </Button>
            </span>
          )
        )}
      </div>
    </div>
  );
}

/** Missing scope entry of a page. */
export function NoPermission({ what, refusal, action }: { what: string; refusal: string; action?: ReactNode }) {
  return (
    <div className="empty">
      <LockClosedIcon width={24} height={24} aria-hidden />
      <h2>This key can’t {what}</h2>
      <p className="muted">{refusal}. Ask the server operator for access.</p>
      {action}
    </div>
  );
}

interface EmptyProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** Request that does the same as the action. */
  sample?: ReactNode;
}

/** Help on an empty page. */
export function Empty({ title, children, action, sample }: EmptyProps) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
      {action}
      {sample}
    </div>
  );
}

/** Placeholder with the height of text lines. */
export function Skeleton({ lines = 3, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div className="stack" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={`skeleton width-${line % 4}`} />
      ))}
    </div>
  );
}
