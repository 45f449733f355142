import { Tooltip } from '@base-ui/react/tooltip';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import { Router } from 'wouter';
import { UnauthenticatedError } from '../../clients/js/src/errors';
import { AccessProvider } from './api/api-context';
import { isForPeople } from './api/caller';
import { calls } from './api/calls';
import { describeKey } from './api/key-description';
import { link } from './api/link';
import { live } from './api/live';
import { useKey } from './api/session';
import { keptLive } from './api/live';
import { lazyPart } from './api/load-part';
import { Login } from './shell/login';
import { Opening } from './shell/opening';
import { Shell } from './shell/shell';
import styles from './shell/shell.module.css';
import { forgetDrafts } from './ui/kept';
import { ErrorNotice } from './ui/states';
import { Toasts, toasts } from './ui/toasts';

const PersonDoor = lazyPart(async () => (await import('./people/person-door')).PersonDoor);
const FRESH_MS = 2_000;

// The transport retries requests, and the link reads everything again once the server is back.
const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => queryKey[0] !== 'key' && hearRefusal(error) }),
  mutationCache: new MutationCache({
    onError: hearRefusal,
    onSuccess: (_, __, ___, { meta }) => {
      live.follow();
      if (meta?.done) toasts.add({ title: meta.done });
    },
  }),
  defaultOptions: {
    queries: { retry: false, staleTime: FRESH_MS, refetchOnWindowFocus: true, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});
link.use(queries);
live.use(queries);

/** Requests the description of the key after a refusal, since a revoked one must be replaced. */
function hearRefusal(error: unknown): void {
  if (error instanceof UnauthenticatedError) void queries.invalidateQueries({ queryKey: ['key'] });
}

export function App() {
  const key = useKey();
  return (
    <QueryClientProvider client={queries}>
      <Tooltip.Provider delay={400}>
        <Toasts>
          <Router base="/studio">{key ? <Opened key={key} apiKey={key} /> : <Closed />}</Router>
        </Toasts>
      </Tooltip.Provider>
    </QueryClientProvider>
  );
}

/** Studio without a key. A person may be signed in, in a cookie. */
function Closed() {
  if (!isForPeople) return <Login />;
  return (
    <Suspense fallback={<Opening />}>
      <PersonDoor />
    </Suspense>
  );
}

/** Studio with a key, once the server has described it. */
function Opened({ apiKey }: { apiKey: string }) {
  useEffect(
    () => () => {
      // Data read with one key is not for the next.
      queries.clear();
      calls.clear();
      forgetDrafts();
    },
    [],
  );
  const { data, error, refetch } = useQuery({
    queryKey: ['key'],
    queryFn: ({ signal }) => describeKey(apiKey, signal),
    meta: keptLive('key'),
  });
  if (error instanceof UnauthenticatedError) return <Login fault={error} onEntered={() => void refetch()} />;
  if (data) {
    return (
      <AccessProvider apiKey={apiKey} description={data}>
        <Shell />
      </AccessProvider>
    );
  }
  if (!error) return <Opening />;
  return (
    <main className={styles.login}>
      <ErrorNotice error={error} tried="open Studio" onRetry={() => void refetch()} />
    </main>
  );
}
