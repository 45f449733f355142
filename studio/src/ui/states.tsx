import { ExclamationTriangleIcon, LockClosedIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { PlatformError } from '../../../clients/js/src/errors';
import { Button } from './controls';
import { CopyText } from './copy';

/** Advice for an error of each code. */
const ADVICE: Readonly<Record<string, string>> = {
  BAD_USER_INPUT: 'Change the value and try again.',
  UNAUTHENTICATED: 'Enter another key.',
  FORBIDDEN: 'Ask for a key with this entry in its scope.',
  NOT_FOUND: 'It may have been deleted. Go back to the list.',
  CONFLICT: 'Load it again, and then make your change.',
  FAILED_PRECONDITION: 'Look at its state first.',
  PAYLOAD_TOO_LARGE: 'Make it smaller, or ask for a larger limit.',
  RATE_LIMITED: 'Wait a moment, then try again.',
  SERVICE_UNAVAILABLE: 'Try again in a few seconds.',
  CONNECTION_BROKEN: 'The page tries by itself until the server is back.',
  TIMED_OUT: 'Try again.',
};

/** Says what was tried, what the API answered and what to do. */
export function ErrorNotice({ error, tried, onRetry }: { error: unknown; tried: string; onRetry?: () => void }) {
  const known = error instanceof PlatformError ? error : undefined;
  return (
    <div className="notice bad" role="alert">
      <ExclamationTriangleIcon aria-hidden />
      <div className="stack tight grow">
        <strong>Could not {tried}.</strong>
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
            . {ADVICE[known.code] ?? 'Give the request id to whoever runs the server.'}
          </span>
        )}
        {known?.requestId && (
          <span className="row small">
            Request <CopyText text={known.requestId} label="Copy the request id" />
          </span>
        )}
        {onRetry && (
          <span>
            <Button size="small" onClick={onRetry}>
              Try again
            </Button>
          </span>
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
      <h2>This key may not {what}</h2>
      <p className="muted">
        {refusal}. Whoever administers the tenant can make a key that has it. Other pages that this key may use are in the rail.
      </p>
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
