import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { live } from '../api/live';
import { Hint } from './controls';
import { formatRelative } from './format';
import { useNow } from './use-now';

const STEP_MS = 10_000;

/** Age of the data of a page, which is updated now on request. */
export function Updated() {
  const queries = useQueryClient();
  const subscribe = useCallback((listener: () => void) => queries.getQueryCache().subscribe(listener), [queries]);
  const at = useSyncExternalStore(subscribe, live.readUpdatedAt);
  const isLive = useSyncExternalStore(subscribe, live.isFollowing);
  const now = useNow(STEP_MS);
  if (at === undefined) return null;
  const age = formatRelative(new Date(at), Math.max(at, now));
  return (
    <Hint text="Update now">
      <button
        type="button"
        className={isLive ? 'updated live' : 'updated'}
        aria-label={`${isLive ? 'Live' : `Updated ${age}`}. Update now`}
        onClick={() => void live.update()}
      >
        {isLive ? (
          'Live'
        ) : (
          <>
            <span className="word">Updated </span>
            {age}
          </>
        )}
      </button>
    </Hint>
  );
}
