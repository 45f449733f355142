import { PlusIcon } from '@radix-ui/react-icons';
import { useMemo, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { useRefusal } from '../api/api-context';
import { type Command, useCommands } from '../shell/commands';
import { Button } from '../ui/controls';
import { PageHead } from '../ui/page';
import { PageTabs } from '../ui/page-tabs';
import { useShortcut } from '../ui/shortcuts';
import { DocumentTab } from './document/document-history';
import { PersonTab } from './person/person-tab';
import { RecordsTab } from './records/records-tab';
import { StreamsTab } from './streams/streams-tab';
import { SealTab } from './seal/verify-log';
import { WriteRecord } from './write/write-record';
import styles from './log.module.css';

const TABS = [
  { path: '/', word: 'Records' },
  { path: '/document', word: 'Document' },
  { path: '/person', word: 'Person' },
  { path: '/seal', word: 'Seal' },
  { path: '/streams', word: 'Streams' },
] as const;

/** The document log: its records, the history of one document or person, and its seals. */
export function LogRoom() {
  const [location, navigate] = useLocation();
  const isOfStreams = location.startsWith('/streams');
  const [isWriting, setWriting] = useState(false);
  const refusal = useRefusal(['document-log', 'mutation', 'createLog']);
  const write = () => !refusal && setWriting(true);
  useShortcut('c', isOfStreams ? undefined : write);
  const commands = useMemo<Command[]>(
    () => [
      ...(refusal ? [] : [{ id: 'log write', group: 'Log', word: 'Add record', run: () => setWriting(true) }]),
      ...TABS.map(({ path, word }) => ({ id: `log ${path}`, group: 'Log', word: `Log: ${word}`, run: () => navigate(path) })),
    ],
    [navigate, refusal],
  );
  useCommands(commands);
  return (
    <div className={`page ${styles.log}`}>
      <PageHead
        title="Log"
        actions={
          !isOfStreams && (
            <Button look="primary" refusal={refusal} onClick={write}>
              <PlusIcon aria-hidden />
              Add record
            </Button>
          )
        }
      >
        <PageTabs label="Log" tabs={TABS} />
      </PageHead>
      <Switch>
        <Route path="/document" component={DocumentTab} />
        <Route path="/person" component={PersonTab} />
        <Route path="/seal" component={SealTab} />
        <Route path="/streams/:id?">{({ id }) => <StreamsTab openId={id} />}</Route>
        <Route path="/:id?">{({ id }) => <RecordsTab openId={id} onWrite={write} />}</Route>
      </Switch>
      {isWriting && <WriteRecord onClose={() => setWriting(false)} />}
    </div>
  );
}
