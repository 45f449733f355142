import type { ReactNode } from 'react';
import { Button } from './controls';
import { Detail } from './page';
import { Empty, ErrorNotice, Skeleton } from './states';
import { capital } from './faults';

interface NoDetailProps {
  /** Singular of the objects, such as `message`. */
  word: string;
  query?: { error: unknown; isPending: boolean; refetch: () => unknown };
  onClose: () => void;
  /** Reason why it may not exist. */
  children?: ReactNode;
}

/** Detail of an object that is still read, cannot be read, or does not exist. */
export function NoDetail({ word, query, onClose, children = 'It may have been deleted.' }: NoDetailProps) {
  return (
    <Detail title={capital(word)} onClose={onClose}>
      {query?.error ? (
        <ErrorNotice error={query.error} tried={`load the ${word}`} onRetry={() => void query.refetch()} />
      ) : query?.isPending ? (
        <Skeleton lines={8} label={`Loading ${word}`} />
      ) : (
        <Empty title={`${capital(word)} not found`} action={<Button onClick={onClose}>Show all {word}s</Button>}>
          <p className="muted">{children}</p>
        </Empty>
      )}
    </Detail>
  );
}
