import { ExclamationTriangleIcon, LockClosedIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { PlatformError } from '../../../clients/js/src/errors';
import { session } from '../api/session';
import { Button } from './controls';
import { CopyText } from './copy';

/** What to do about an error whose message cannot say it. All others say themselves what would be right. */
const ADVICE: Readonly<Record<string, string>> = {
  CONNECTION_BROKEN: 'Studio reconnects by itself.',
  INTERNAL_SERVER_ERROR: 'Contact the server operator with the request ID.',
};

/** Says what was tried, what the API answered and what to do. */
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

/** Says which entry of a scope is missing to see a page. */
export function NoPermission({ what, refusal }: { what: string; refusal: string }) {
  return (
    <div className="empty">
      <LockClosedIcon width={24} height={24} aria-hidden />
      <h2>This key can’t {what}</h2>
      <p className="muted">{refusal}.</p>
    </div>
  );
}

/** Teaches what a page is for while there is nothing on it. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
      {action}
    </div>
  );
}

/** Stands where lines of text will be, with their height. */
export function Skeleton({ lines = 3, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div className="stack" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={`skeleton width-${line % 4}`} />
      ))}
    </div>
  );
}
