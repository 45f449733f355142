import { useMemo, useState } from 'react';
import { useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import { Button, Modal } from '../../ui/controls';
import { type Filter, FilterBar } from '../../ui/filter-bar';
import { ErrorNotice, Skeleton } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { usePages } from '../../ui/use-pages';
import { useFilters } from '../../ui/use-search';
import { DELIVERY_WORDS, deliveryState } from '../model/health';
import { SOURCES, typeOf } from '../model/sources';
import {
  type Delivery,
  type DeliveryStatus,
  doorOf,
  type Hook,
  isOn,
  type Source,
  WEBHOOKS,
  WHOLE_DELIVERY,
} from '../model/webhook';
import { DeliveryFacts } from './delivery-facts';
import { SendAgain } from './send-again';
import { useAction } from '../../api/use-action';
import styles from '../webhooks.module.css';

const PAGE = 25;
/** Number of deliveries of one millisecond that are searched. */
const MOST_AT_ONCE = 100;

/** Status, event and time filters of deliveries. */
const filtersOf = (source: Source): readonly Filter[] => [
  {
    kind: 'choice',
    name: 'status',
    word: 'Status',
    values: Object.entries(DELIVERY_WORDS).map(([status, { word }]) => [status, word]),
  },
  { kind: 'choice', name: 'event', word: 'Event', values: Object.keys(SOURCES[source].events).map((one) => [one, typeOf(one)]) },
  { kind: 'time', word: 'Time', from: 'from', to: 'to' },
];

/** The events of a webhook, newest first, by status, event and time. */
export function Deliveries({ hook }: { hook: Hook }) {
  const { id, source } = hook;
  const refusal = useRefusal([source, 'query', 'webhookDeliveries']);
  const cannotSend = useRefusal([source, 'mutation', 'redeliver']);
  const [{ status, event, from, to }] = useFilters();
  const filters = useMemo(() => filtersOf(source), [source]);
  const [open, setOpen] = useState<Delivery>();
  const [isSending, setSending] = useState(false);
  const filter = {
    ...(status && { status: status as DeliveryStatus }),
    ...(event && { event }),
    ...(from && { from }),
    ...(to && { to }),
  };
  const pages = usePages({
    queryKey: ['webhooks', source, id, 'deliveries', filter],
    read: (api, nextToken, signal) =>
      doorOf(api, source).webhookDeliveries({ webhookId: id!, filter, limit: PAGE, nextToken: nextToken ?? null }, undefined, {
        signal,
      }),
    isEnabled: !refusal,
    live: source,
    isOnItsWay: ({ status }) => status === 'PENDING',
  });
  const isFiltered = Object.keys(filter).length > 0;
  const cannot = cannotSend ?? (isOn(hook) ? undefined : 'Turn on “Send events” first');
  return (
    <section className="stack tight" aria-label="Deliveries">
      <div className="row wrap">
        <h3 className="grow">Deliveries</h3>
        <Button size="small" refusal={cannot} onClick={() => setSending(true)}>
          Send again
        </Button>
      </div>
      {refusal ? (
        <p className="muted">{refusal}.</p>
      ) : (
        <>
          <FilterBar filters={filters} list={pages} counted={['delivery', 'deliveries']} />
          {pages.error && <ErrorNotice error={pages.error} tried="load deliveries" onRetry={pages.readAgain} />}
          {pages.isPending && <Skeleton lines={4} label="Loading deliveries" />}
          {!pages.isPending && !pages.error && pages.items.length === 0 && (
            <p className="muted">{isFiltered ? 'No deliveries match the filters.' : 'No deliveries yet.'}</p>
          )}
          <ul className={styles.deliveries}>
            {pages.items.map((delivery) => (
              <li key={delivery.id}>
                <button type="button" onClick={() => setOpen(delivery)}>
                  <Status {...deliveryState(delivery)} />
                  <code className="truncate">{delivery.type}</code>
                  <span className="truncate small muted">{answerOf(delivery)}</span>
                  <span className="small muted">{delivery.createdAt && <Time at={delivery.createdAt} />}</span>
                </button>
              </li>
            ))}
          </ul>
          {pages.hasMore && (
            <Button size="small" disabled={pages.isLoading} onClick={pages.readMore}>
              Show more
            </Button>
          )}
        </>
      )}
      {open && (
        <Modal title="Delivery" form="drawer" isOpen onClose={() => setOpen(undefined)}>
          <OpenDelivery hook={hook} delivery={pages.items.find(({ id: one }) => one === open.id) ?? open} />
        </Modal>
      )}
      {isSending && <SendAgain hook={hook} from={from} to={to} onClose={() => setSending(false)} />}
    </section>
  );
}

/** A delivery of the list, with its body, which is loaded when opened. */
function OpenDelivery({ hook, delivery }: { hook: Hook; delivery: Delivery }) {
  const { id, source } = hook;
  const at = delivery.createdAt!;
  const whole = useRead({
    queryKey: ['webhooks', source, id, 'delivery', delivery.id],
    read: async (api, signal) => {
      const wanted = { webhookId: id!, filter: { from: at, to: at }, limit: MOST_AT_ONCE, nextToken: null };
      const { items } = await doorOf(api, source).webhookDeliveries(wanted, { items: WHOLE_DELIVERY }, { signal });
      return items.find((one) => one.id === delivery.id) ?? null;
    },
  });
  if (whole.isPending) return <Skeleton lines={4} label="Loading delivery" />;
  return (
    <>
      {whole.error && <ErrorNotice error={whole.error} tried="load the delivery" onRetry={() => void whole.refetch()} />}
      <DeliveryFacts
        delivery={{ ...delivery, body: whole.data?.body ?? null }}
        action={<ResendButton hook={hook} delivery={delivery} />}
      />
    </>
  );
}

function answerOf({ responseStatus, lastError, status }: Delivery): string {
  if (status !== 'DELIVERED' && lastError) return lastError;
  return responseStatus === null ? '' : String(responseStatus);
}

/** Sends one event again, or now if it is pending. A ping has no second time. */
function ResendButton({ hook, delivery }: { hook: Hook; delivery: Delivery }) {
  const { id, source } = hook;
  const isPending = delivery.status === 'PENDING';
  const sending = useAction((api) => doorOf(api, source).redeliver({ webhookId: id!, ids: [delivery.id!] }), {
    done: isPending ? 'Sending now' : 'Sending again',
    again: WEBHOOKS,
  });
  if (!delivery.event) return null;
  return (
    <>
      <Button
        size="small"
        right={[source, 'mutation', 'redeliver']}
        refusal={isOn(hook) ? undefined : 'Turn on “Send events” first'}
        disabled={sending.isPending}
        onClick={() => sending.mutate()}
      >
        {isPending ? 'Send now' : 'Resend'}
      </Button>
      {sending.error && <ErrorNotice error={sending.error} tried="send the event" />}
    </>
  );
}
