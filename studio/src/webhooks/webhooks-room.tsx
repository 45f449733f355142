import { type ReactNode, useState } from 'react';
import { useLocation, useRoute } from 'wouter';
import { useRefusalOfAll } from '../api/api-context';
import type { Right } from '../api/scope';
import { ListPage, useCreate } from '../ui/list-page';
import { PageHead } from '../ui/page';
import type { Column } from '../ui/records';
import { SecretDialog } from '../ui/secret-dialog';
import { Empty, ErrorNotice } from '../ui/states';
import { Status, Time } from '../ui/status';
import { WebhookDetail } from './detail/webhook-detail';
import { NewWebhook } from './form/new-webhook';
import { healthOf } from './model/health';
import { useHooks } from './model/reads';
import { ALL_SOURCES, SOURCES, typeOf } from './model/sources';
import type { Hook } from './model/webhook';
import styles from './webhooks.module.css';

const MAY_LIST = ALL_SOURCES.map((source): Right => [source, 'query', 'webhooks']);
const MAY_CREATE = ALL_SOURCES.map((source): Right => [source, 'mutation', 'createWebhook']);

const COLUMNS: readonly Column<Hook>[] = [
  {
    word: 'URL',
    line: 'who',
    sortBy: ({ url }) => url ?? '',
    cell: ({ url, description }) => (
      <span className="truncate" title={description ?? url ?? undefined}>
        {url}
      </span>
    ),
  },
  {
    word: 'Service',
    width: 104,
    line: 'what',
    sortBy: ({ source }) => SOURCES[source].word,
    cell: ({ source }) => <span className="muted">{SOURCES[source].word}</span>,
  },
  {
    word: 'Events',
    width: 220,
    room: 'wide',
    cell: ({ events }) => {
      const types = (events ?? []).map(typeOf).join(', ');
      return (
        <span className="truncate muted" title={types}>
          {types}
        </span>
      );
    },
  },
  {
    word: 'Status',
    width: 224,
    line: 'state',
    sortBy: (hook) => healthOf(hook).word,
    cell: (hook) => {
      const { kind, word, reason } = healthOf(hook);
      return (
        <span className="truncate" title={reason ?? word}>
          <Status kind={kind} word={word} />
        </span>
      );
    },
  },
  {
    word: 'Last delivery',
    width: 104,
    line: 'when',
    room: 'medium',
    isNumber: true,
    sortBy: ({ lastDeliveredAt }) => lastDeliveredAt ?? '',
    cell: ({ lastDeliveredAt }) => (lastDeliveredAt ? <Time at={lastDeliveredAt} /> : <span className="muted small">Never</span>),
  },
];

/** Webhooks of all services that the key may read, and beside them the chosen one. */
export function WebhooksRoom() {
  const refusal = useRefusalOfAll(...MAY_LIST);
  const create = useCreate({ id: 'webhook', word: 'New webhook', refusal: useRefusalOfAll(...MAY_CREATE) });
  const [, navigate] = useLocation();
  // Mounted here, so that no change of the list removes it.
  const [secret, setSecret] = useState<string>();
  const { hooks, isLoading, faults } = useHooks();
  const [, params] = useRoute('/:source/:id');
  const open = hooks.find(({ id, source }) => id === params?.id && source === params?.source);
  return (
    <>
      <ListPage
        head={<PageHead title="Webhooks" actions={create.button} />}
        refusal={refusal}
        tried="list webhooks"
        label="Webhooks"
        list={{
          items: hooks,
          error: null,
          hasMore: false,
          isLoading,
          readMore: () => undefined,
          readAgain: () => faults.forEach(({ retry }) => retry()),
        }}
        keyOf={({ source, id }) => `${source}/${id!}`}
        hrefOf={({ source, id }) => `/${source}/${id}`}
        openKey={params ? `${params.source}/${params.id}` : undefined}
        columns={COLUMNS}
        filters={faults.map(({ source, error, retry }) => (
          <div key={source} className={styles.fault}>
            <ErrorNotice error={error} tried={`list the webhooks of ${SOURCES[source].word}`} onRetry={retry} />
          </div>
        ))}
        empty={faults.length === 0 && <NoWebhooks action={create.button} />}
        detail={
          params &&
          !(isLoading && !open) && (
            <WebhookDetail key={params.id} hook={open} onClose={() => navigate('/')} onSecret={setSecret} />
          )
        }
      />
      {create.isOpen && (
        <NewWebhook
          onClose={create.close}
          onCreated={(path, made) => {
            create.close();
            setSecret(made);
            navigate(path);
          }}
        />
      )}
      {secret && (
        <SecretDialog
          title="Signing secret"
          about="Verify the signature of each request with this secret."
          secret={secret}
          variable="WEBHOOK_SECRET"
          onDone={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

function NoWebhooks({ action }: { action: ReactNode }) {
  return (
    <Empty title="No webhooks yet" action={action}>
      <p className="muted">
        A webhook sends events to your URL as they happen: a file completed, an email failed, a recipient came online. Requests
        are signed and retried for days.
      </p>
    </Empty>
  );
}
