import './webhooks.css';
import { useMemo, useState } from 'react';
import { useLocation, useRoute } from 'wouter';
import { useRefusalOfAll } from '../api/api-context';
import type { Right } from '../api/scope';
import { useCommands } from '../shell/commands';
import { Button } from '../ui/controls';
import { PageHead, Split } from '../ui/page';
import { Records } from '../ui/records';
import { SecretDialog } from '../ui/secret-dialog';
import { useShortcut } from '../ui/shortcuts';
import { Empty, ErrorNotice, NoPermission } from '../ui/states';
import { WebhookDetail } from './detail/webhook-detail';
import { NewWebhook } from './form/new-webhook';
import { useHooks } from './model/reads';
import { ALL_SOURCES, SOURCES } from './model/sources';
import { WebhookRow } from './webhook-row';

const ROW_HEIGHT = 56;
const MAY_LIST = ALL_SOURCES.map((source): Right => [source, 'query', 'webhooks']);
const MAY_CREATE = ALL_SOURCES.map((source): Right => [source, 'mutation', 'createWebhook']);

/** Webhooks of all services that the key may read, and beside them the chosen one. */
export function WebhooksRoom() {
  const refusal = useRefusalOfAll(...MAY_LIST);
  const cannotCreate = useRefusalOfAll(...MAY_CREATE);
  const [, navigate] = useLocation();
  const [isCreating, setCreating] = useState(false);
  // Here, so that no change of the list takes it away.
  const [secret, setSecret] = useState<string>();
  const create = () => setCreating(true);
  useShortcut('c', cannotCreate || refusal ? undefined : create);
  useCommands(
    useMemo(
      () => (cannotCreate ? [] : [{ id: 'webhook', group: 'Create', word: 'Webhook', run: () => setCreating(true) }]),
      [cannotCreate],
    ),
  );
  return (
    <div className="page">
      <PageHead
        title="Webhooks"
        actions={
          <Button look="primary" refusal={cannotCreate} onClick={create}>
            New webhook
          </Button>
        }
      />
      {refusal ? (
        <NoPermission what="see webhooks" refusal={refusal} />
      ) : (
        <Webhooks onCreate={cannotCreate ? undefined : create} onSecret={setSecret} />
      )}
      {isCreating && (
        <NewWebhook
          onClose={() => setCreating(false)}
          onCreated={(path, made) => {
            setCreating(false);
            setSecret(made);
            navigate(path);
          }}
        />
      )}
      {secret && (
        <SecretDialog
          title="Signing secret"
          about="Your receiver verifies the signature of each request with it."
          secret={secret}
          variable="WEBHOOK_SECRET"
          onDone={() => setSecret(undefined)}
        />
      )}
    </div>
  );
}

function Webhooks({ onCreate, onSecret }: { onCreate: (() => void) | undefined; onSecret: (secret: string) => void }) {
  const { hooks, isLoading, faults } = useHooks();
  const [, navigate] = useLocation();
  const [, params] = useRoute('/:source/:id');
  const open = hooks.find(({ id, source }) => id === params?.id && source === params?.source);
  const close = () => navigate('/');
  return (
    <>
      {faults.map(({ source, error, retry }) => (
        <div key={source} className="webhook-fault">
          <ErrorNotice error={error} tried={`list the webhooks of ${SOURCES[source].word}`} onRetry={retry} />
        </div>
      ))}
      <Split
        list={
          <Records
            label="Webhooks"
            items={hooks}
            keyOf={({ source, id }) => `${source}/${id!}`}
            hrefOf={({ source, id }) => `/${source}/${id}`}
            openKey={params ? `${params.source}/${params.id}` : undefined}
            rowHeight={ROW_HEIGHT}
            isLoading={isLoading}
            empty={faults.length === 0 && <NoWebhooks onCreate={onCreate} />}
          >
            {(hook) => <WebhookRow hook={hook} />}
          </Records>
        }
        detail={
          params && !(isLoading && !open) && <WebhookDetail key={params.id} hook={open} onClose={close} onSecret={onSecret} />
        }
      />
    </>
  );
}

function NoWebhooks({ onCreate }: { onCreate: (() => void) | undefined }) {
  return (
    <Empty
      title="No webhooks yet"
      action={
        onCreate && (
          <Button look="primary" onClick={onCreate}>
            New webhook
          </Button>
        )
      }
    >
      <p className="muted">
        A webhook tells your application what happens as it happens: a file is complete, an email failed, a recipient came online.
        Each event is an HTTP request to an address of yours, signed and retried for days.
      </p>
    </Empty>
  );
}
