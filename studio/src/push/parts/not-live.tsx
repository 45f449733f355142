import { PlatformError } from '../../../../clients/js/src/errors';
import { Button } from '../../ui/controls';

interface NotLiveProps {
  /** Why news could not be asked for. They are asked for again by themselves. */
  news: Error | null;
  /** Why the list could not be read on. */
  more: Error | null;
  onRetry: () => void;
}

/** Says below a list that it is not all there; nothing while it is. A lost server is told by the bar on top. */
export function NotLive({ news, more, onRetry }: NotLiveProps) {
  const error = more ?? news;
  if (!error || (!more && error instanceof PlatformError && error.code === 'CONNECTION_BROKEN')) return null;
  return (
    <div className="push-bar below small muted" role="status">
      <span className="grow">
        {more ? 'Could not read on' : 'Could not ask for news'}: {error.message}
      </span>
      {more && (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
