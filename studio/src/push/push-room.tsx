import { PlusIcon } from '@radix-ui/react-icons';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { useRefusal } from '../api/api-context';
import { useCommands } from '../shell/commands';
import { Button } from '../ui/controls';
import { PageHead } from '../ui/page';
import { PageTabs } from '../ui/page-tabs';
import { DRAFTS, keep, readKept } from '../ui/kept';
import { useShortcut } from '../ui/shortcuts';
import { ClientsTab } from './clients/clients-tab';
import { useTestClients } from './clients/use-test-clients';
import { type Draft, EMPTY_DRAFT, PushContext } from './model/draft';
import { PushForm } from './form/push-form';
import { GlobalTab } from './global/global-tab';
import { InboxTab } from './inbox/inbox-tab';
import { MessagesTab } from './messages/messages-tab';
import { KEPT_LISTS } from './model/use-live-list';
import { OnlineTab } from './online/online-tab';
import styles from './push.module.css';

/** Draft of a message, for the session of the tab. */
const UNSENT = `${DRAFTS}push`;
const TABS = [
  { path: '/', word: 'Messages' },
  { path: '/inbox', word: 'Inbox' },
  { path: '/online', word: 'Online' },
  { path: '/global', word: 'Broadcasts' },
  { path: '/clients', word: 'Test client' },
] as const;

/** Messages to connected people: pushed, watched, and received by test clients. */
export function PushRoom() {
  const queries = useQueryClient();
  useState(() => {
    // These lists are live, and move only on request.
    for (const queryKey of KEPT_LISTS) {
      queries.setQueryDefaults(queryKey, { staleTime: Infinity, refetchOnMount: 'always', refetchOnWindowFocus: false });
    }
  });
  const [draft, setDraft] = useState<Draft>();
  const unsent = useRef(readKept<Draft>(UNSENT));
  const write = (written: Draft | undefined) => {
    unsent.current = written;
    keep(UNSENT, written);
  };
  const testClients = useTestClients();
  const [, navigate] = useLocation();
  const namedRefusal = useRefusal(['websockets-manager', 'mutation', 'pushMessage']);
  const everyoneRefusal = useRefusal(['websockets-manager', 'mutation', 'pushGlobalMessage']);
  const refusal = namedRefusal && everyoneRefusal;
  const startPush = useCallback((changes: Partial<Draft>) => setDraft({ ...EMPTY_DRAFT, ...changes }), []);
  const startEmpty = useCallback(
    () => startPush(unsent.current ?? (namedRefusal ? { to: 'everyone' } : {})),
    [startPush, namedRefusal],
  );
  useShortcut('c', refusal ? undefined : startEmpty);
  useCommands(
    useMemo(
      () => [
        ...(refusal ? [] : [{ id: 'push', group: 'Create', word: 'New message', run: startEmpty }]),
        ...TABS.map(({ path, word }) => ({ id: `push ${path}`, group: 'Push', word, run: () => navigate(path) })),
      ],
      [navigate, refusal, startEmpty],
    ),
  );
  return (
    <PushContext value={startPush}>
      <div className={`page ${styles.room}`}>
        <PageHead
          title="Push"
          actions={
            <Button look="primary" refusal={refusal} onClick={startEmpty}>
              <PlusIcon aria-hidden />
              New message
            </Button>
          }
        >
          <Tabs clientCount={testClients.clients.length} />
        </PageHead>
        <Switch>
          <Route path="/online/*?">
            <OnlineTab openName={nameInAddress()} />
          </Route>
          <Route path="/inbox/:id?">{({ id }) => <InboxTab openId={id} />}</Route>
          <Route path="/global/:id?">{({ id }) => <GlobalTab openId={id} />}</Route>
          <Route path="/clients">
            <ClientsTab {...testClients} />
          </Route>
          <Route path="/:id?">{({ id }) => <MessagesTab openId={id} />}</Route>
        </Switch>
      </div>
      <PushForm draft={draft} onChange={write} onClose={() => setDraft(undefined)} />
    </PushContext>
  );
}

/** Name of the open recipient. The router would decode it only in part. */
function nameInAddress(): string | undefined {
  const written = location.pathname.split('/push/online/')[1];
  if (!written) return undefined;
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

function Tabs({ clientCount }: { clientCount: number }) {
  const tabs = TABS.map((tab) => ({ ...tab, count: tab.path === '/clients' ? clientCount : 0 }));
  return <PageTabs label="Push" tabs={tabs} />;
}
