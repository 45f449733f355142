import { useState } from 'react';
import { useRefusal } from '../../api/api-context';
import { Button, TextField } from '../../ui/controls';
import { SelectField } from '../../ui/fields';
import { Empty, NoPermission } from '../../ui/states';
import { ClientCard } from './client-card';
import type { ClientSettings } from './test-client';
import type { TestClients } from './use-test-clients';
import styles from '../push.module.css';

/** Simulated recipients in this page. */
export function ClientsTab({ clients, add, remove }: TestClients) {
  const refusal = useRefusal(['websockets-manager', 'mutation', 'registerRecipient']);
  if (refusal) return <NoPermission what="connect as a recipient" refusal={refusal} />;
  return (
    <div className={`page-body stack ${styles.test}`}>
      <ConnectForm onConnect={add} />
      {clients.length === 0 ? (
        <Empty title="No test clients yet">
          <p className="muted">
            Connect as any recipient, then send a message to it. Test clients disconnect when you leave Push or close the tab.
          </p>
        </Empty>
      ) : (
        <ul className={styles.clients}>
          {clients.map((client) => (
            <li key={client.key}>
              <ClientCard client={client} onRemove={() => remove(client)} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const CONFIRMATIONS: readonly { confirm: ClientSettings['confirm']; word: string }[] = [
  { confirm: 'socket', word: 'Client library' },
  { confirm: 'itself', word: 'This page, automatically' },
  { confirm: 'hand', word: 'You, one by one' },
];

function ConnectForm({ onConnect }: { onConnect: (settings: ClientSettings) => void }) {
  const [settings, setSettings] = useState<ClientSettings>({ recipient: '', topic: '', confirm: 'socket' });
  const set = (change: Partial<ClientSettings>) => setSettings((now) => ({ ...now, ...change }));
  return (
    <form
      className={styles.connect}
      aria-label="Connect a test client"
      onSubmit={(event) => {
        event.preventDefault();
        if (!settings.recipient) return;
        onConnect(settings);
        set({ recipient: '' });
      }}
    >
      <TextField
        label="Recipient"
        autoComplete="off"
        maxLength={1_024}
        placeholder="ann"
        value={settings.recipient}
        onChange={(text) => set({ recipient: text })}
      />
      <TextField
        label="Topic"
        autoComplete="off"
        maxLength={1_024}
        placeholder="none"
        value={settings.topic}
        onChange={(text) => set({ topic: text })}
      />
      <SelectField
        label="Acknowledged by"
        words={CONFIRMATIONS.map(({ confirm, word }) => [confirm, word] as const)}
        value={settings.confirm}
        onChange={(confirm) => set({ confirm })}
      />
      <Button type="submit" look="primary" disabled={settings.recipient === ''}>
        Connect
      </Button>
    </form>
  );
}
