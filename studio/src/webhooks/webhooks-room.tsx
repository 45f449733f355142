import { type ReactNode, useMemo, useState } from 'react';
import { useLocation, useRoute, useSearch } from 'wouter';
import { useRefusalOfAll } from '../api/api-context';
import type { Right } from '../api/scope';
import { textColumn, timeColumn } from '../ui/columns';
import { type Filter, FilterBar } from '../ui/filter-bar';
import { ListPage, useCreate } from '../ui/list-page';
import { NoMatch } from '../ui/no-match';
import { PageHead } from '../ui/page';
import type { Column } from '../ui/records';
import { SecretDialog } from '../ui/secret-dialog';
import { Empty, ErrorNotice } from '../ui/states';
import { Status } from '../ui/status';
import { useFilters } from '../ui/use-search';
import { WebhookDetail } from './detail/webhook-detail';
import { WebhookForm } from './form/webhook-form';
import { formatRate, healthOf, STATES } from './model/health';
import { useHooks } from './model/reads';
import type { Created } from './model/save';
import { ALL_SOURCES, SOURCES, typeOf } from './model/sources';
import { type Hook, POLL } from './model/webhook';
import styles from './webhooks.module.css';

const MAY_LIST = ALL_SOURCES.map((source): Right => [source, 'query', 'webhooks']);
const MAY_CREATE = ALL_SOURCES.map((source): Right => [source, 'mutation', 'createWebhook']);

/** Names differ from those of the filters of deliveries, which share the URL. */
const SEARCH = { name: 'q', label: 'URL or description' };
const FILTERS: readonly Filter[] = [
  { kind: 'choice', name: 'service', word: 'Service', values: ALL_SOURCES.map((source) => [source, SOURCES[source].word]) },
  { kind: 'choice', name: 'health', word: 'Health', values: Object.entries(STATES) },
];

const COLUMNS: readonly Column<Hook>[] = [
  {
    word: 'URL',
    line: 'who',
    wraps: true,
    sortBy: ({ url }) => url ?? '',
    cell: ({ url, description }) => (
      <>
        <span className="truncate" title={url ?? undefined}>
          {url?.replace(/^https:\/\//, '')}
        </span>
        {description && <span className="cell-reason none truncate one-line-only">{description}</span>}
      </>
    ),
  },
  {
    word: 'Service',
    width: 104,
    line: 'what',
    wraps: true,
    sortBy: ({ source }) => SOURCES[source].word,
    cell: ({ source, description }) => (
      <span className="truncate muted" title={description ?? undefined}>
        {SOURCES[source].word}
        {description && <span className="two-lines-only"> · {description}</span>}
      </span>
    ),
  },
  textColumn('Events', ({ events }) => (events ?? []).map(typeOf).join(', '), { width: 220, room: 'huge', isMuted: true }),
  {
    word: 'Status',
    width: 216,
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
    word: 'Success',
    width: 76,
    room: 'medium',
    isNumber: true,
    sortBy: ({ successRate }) => successRate ?? -1,
    cell: ({ successRate }) => (
      <span className="muted" title="Of the latest 100 events">
        {successRate === null ? '–' : formatRate(successRate)}
      </span>
    ),
  },
  timeColumn('Last delivery', ({ lastDeliveredAt }) => lastDeliveredAt, {
    width: 104,
    line: 'when',
    room: 'medium',
    none: 'Never',
  }),
];

/** Webhooks of all services that the key may read, and beside them the chosen one. */
export function WebhooksRoom() {
  const refusal = useRefusalOfAll(...MAY_LIST);
  const create = useCreate({ id: 'webhook', word: 'New webhook', refusal: useRefusalOfAll(...MAY_CREATE) });
  const [, navigate] = useLocation();
  const search = useSearch();
  const pathOf = (path: string) => `${path}${search && `?${search}`}`;
  // Held here, so that no change of the list removes them.
  const [secrets, setSecrets] = useState<readonly Created[]>([]);
  const [isEditing, setEditing] = useState(false);
  const { hooks, isLoading, faults } = useHooks();
  const [filter] = useFilters();
  const items = useMemo(() => hooks.filter((hook) => fits(hook, filter)), [hooks, filter]);
  const list = { items, error: null, hasMore: false, isLoading, readMore: () => undefined, readAgain: () => undefined };
  const [, params] = useRoute('/:source/:id');
  const open = hooks.find(({ id, source }) => id === params?.id && source === params?.source);
  const ofUrl = open ? hooks.filter((hook) => hook === open || (hook.url === open.url && hook.url !== POLL)) : [];
  const addSecret = (created: Created) => setSecrets((known) => [...known, created]);
  const closeForm = () => {
    create.close();
    setEditing(false);
  };
  return (
    <>
      <ListPage
        head={<PageHead title="Webhooks" actions={create.button} />}
        refusal={refusal}
        tried="list webhooks"
        label="Webhooks"
        list={list}
        keyOf={({ source, id }) => `${source}/${id!}`}
        hrefOf={({ source, id }) => pathOf(`/${source}/${id}`)}
        openKey={params ? `${params.source}/${params.id}` : undefined}
        columns={COLUMNS}
        filters={<Filters list={list} faults={faults} />}
        empty={hooks.length > 0 ? <NoMatch what="webhooks" /> : <None hasFaults={faults.length > 0} action={create.button} />}
        detail={
          params &&
          !(isLoading && !open) && (
            <WebhookDetail
              key={params.id}
              hook={open}
              ofUrl={ofUrl}
              onClose={() => navigate(pathOf('/'))}
              onEdit={() => setEditing(true)}
              onSecret={addSecret}
            />
          )
        }
      />
      {(create.isOpen || isEditing) && (
        <WebhookForm
          hooks={isEditing ? inStep(ofUrl, open) : []}
          onClose={closeForm}
          onCreated={addSecret}
          onSaved={(first) => {
            if (first && !open) navigate(`/${first.source}/${first.id}`);
            closeForm();
          }}
        />
      )}
      {secrets.length > 0 && !create.isOpen && !isEditing && <Secrets created={secrets} onDone={() => setSecrets([])} />}
    </>
  );
}

/** Returns the open webhook, and one of each other service with its URL. */
const inStep = (ofUrl: readonly Hook[], open: Hook | undefined): readonly Hook[] => {
  const bySource = new Map([...ofUrl, ...(open ? [open] : [])].map((hook) => [hook.source, hook]));
  return [...bySource.values()];
};

function fits(hook: Hook, { q = '', service, health }: Readonly<Record<string, string>>): boolean {
  const text = `${hook.url ?? ''} ${hook.description ?? ''}`.toLowerCase();
  return (
    text.includes(q.trim().toLowerCase()) && (!service || hook.source === service) && (!health || healthOf(hook).state === health)
  );
}

type Faults = ReturnType<typeof useHooks>['faults'];

function Filters({ list, faults }: { list: { items: readonly Hook[]; hasMore: boolean; isLoading: boolean }; faults: Faults }) {
  return (
    <>
      <FilterBar search={SEARCH} filters={FILTERS} list={list} counted={['webhook', 'webhooks']} />
      {faults.map(({ source, error, retry }) => (
        <div key={source} className={styles.fault}>
          <ErrorNotice error={error} tried={`list the webhooks of ${SOURCES[source].word}`} onRetry={retry} />
        </div>
      ))}
    </>
  );
}

/** Signing secrets of created webhooks, one of each service. */
function Secrets({ created, onDone }: { created: readonly Created[]; onDone: () => void }) {
  const isOne = created.length === 1;
  const secrets = created.map(({ hook, secret }): [string, string] => [
    isOne ? 'WEBHOOK_SECRET' : `WEBHOOK_SECRET_${SOURCES[hook.source].word.toUpperCase()}`,
    secret,
  ]);
  const about = isOne
    ? 'Verify the signature of each request with this secret.'
    : 'Each service signs with a secret of its own; the source of an event names the service.';
  return <SecretDialog title={isOne ? 'Signing secret' : 'Signing secrets'} about={about} secrets={secrets} onDone={onDone} />;
}

function None({ hasFaults, action }: { hasFaults: boolean; action: ReactNode }) {
  if (hasFaults) return null;
  return (
    <Empty title="No webhooks yet" action={action}>
      <p className="muted">
        A webhook sends events to your URL as they happen: a file completed, an email failed, a recipient came online. Requests
        are signed and retried for days.
      </p>
    </Empty>
  );
}
