import { useMutation } from '@tanstack/react-query';
import { useApi, useRefusal } from '../../api/api-context';
import { Link } from 'wouter';
import { Button, Switch } from '../../ui/controls';
import { Detail, Facts } from '../../ui/page';
import { Empty, ErrorNotice } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { Deliveries } from '../deliveries/deliveries';
import { formatRate, healthOf } from '../model/health';
import { useReadAgain } from '../model/reads';
import { SOURCES, typeOf } from '../model/sources';
import type { Created } from '../model/save';
import { doorOf, type Hook, isOn, POLL } from '../model/webhook';
import { WebhookActions } from './webhook-actions';

interface DetailProps {
  /** Undefined if the id does not exist. */
  hook: Hook | undefined;
  /** Webhooks of all services with its URL. */
  ofUrl: readonly Hook[];
  onClose: () => void;
  onEdit: () => void;
  onSecret: (created: Created) => void;
}

/** A webhook: its health, what it sends, and its deliveries. */
export function WebhookDetail({ hook, ofUrl, onClose, onEdit, onSecret }: DetailProps) {
  if (!hook) {
    return (
      <Detail title="Webhook" onClose={onClose}>
        <Empty title="Webhook not found">
          <p className="muted">It may have been deleted.</p>
        </Empty>
      </Detail>
    );
  }
  const { id, source, url, events, description, createdAt, lastDeliveredAt, previousSecretUntil } = hook;
  const others = ofUrl.filter((one) => one !== hook);
  return (
    <Detail title={url!} onClose={onClose} of={{ id: id ?? undefined, json: hook }}>
      <HealthOf hook={hook} />
      <WebhookActions hook={hook} onDeleted={onClose} onEdit={onEdit} onSecret={onSecret} />
      <Facts
        of={[
          ['Service', SOURCES[source].word],
          ['Description', description ?? undefined],
          ['Events', (events ?? []).map(typeOf).join(', ')],
          ['Success', hook.successRate === null ? null : `${formatRate(hook.successRate)} of the latest 100 events`],
          [
            'Same URL',
            others.length === 0 ? undefined : (
              <span key="others" className="row wrap">
                {others.map((one) => (
                  <Link key={one.id} href={`/${one.source}/${one.id}`}>
                    {SOURCES[one.source].word}
                  </Link>
                ))}
              </span>
            ),
          ],
          ['Last delivery', lastDeliveredAt ? <Time key="last" at={lastDeliveredAt} /> : null],
          ['Created', createdAt && <Time key="created" at={createdAt} />],
          ['Old secret expires', isAhead(previousSecretUntil) ? <Time key="old" at={previousSecretUntil!} /> : undefined],
        ]}
      />
      <Deliveries hook={hook} />
    </Detail>
  );
}

const isAhead = (at: string | null): boolean => at !== null && new Date(at).getTime() > Date.now();

/** Health in words, and the switch. */
function HealthOf({ hook }: { hook: Hook }) {
  const api = useApi();
  const readAgain = useReadAgain();
  const { id, source, disabledAt, failingSince, pausedUntil, waiting, createdAt, url } = hook;
  const refusal = useRefusal([source, 'mutation', 'updateWebhook']);
  const switching = useMutation({
    mutationFn: (active: boolean) => doorOf(api, source).updateWebhook({ id: id!, input: { active } }),
    onSettled: readAgain,
  });
  const cannotSend = useRefusal([source, 'mutation', 'redeliver']);
  const sending = useMutation({
    meta: { done: 'Sending waiting events now' },
    mutationFn: () => doorOf(api, source).redeliver({ webhookId: id!, from: createdAt!, status: 'PENDING' }),
    onSettled: readAgain,
  });
  const { kind, word, reason } = healthOf(hook);
  return (
    <div className="stack tight">
      <div className="row wrap">
        <Status kind={kind} word={word} />
        <span className="grow" />
        {Boolean(waiting) && isOn(hook) && url !== POLL && (
          <Button size="small" refusal={cannotSend} disabled={sending.isPending} onClick={() => sending.mutate()}>
            Send waiting now
          </Button>
        )}
        <span title={refusal}>
          <Switch
            label="Send events"
            checked={isOn(hook)}
            disabled={Boolean(refusal) || switching.isPending}
            onChange={(active) => switching.mutate(active)}
          />
        </span>
      </div>
      {reason && (
        <div className="notice bad">
          <span className="break">
            {reason}
            {failingSince && (
              <span className="muted small">
                {' '}
                · failing since <Time at={failingSince} />
                {pausedUntil && (
                  <>
                    , next attempt <Time at={pausedUntil} />
                  </>
                )}
              </span>
            )}
          </span>
        </div>
      )}
      {disabledAt && (
        <p className="muted small">
          Switched off <Time at={disabledAt} />. Fix the receiver, then turn on “Send events” to send pending events.
        </p>
      )}
      {sending.error && <ErrorNotice error={sending.error} tried="send waiting events" />}
      {switching.error && <ErrorNotice error={switching.error} tried="change the webhook" />}
    </div>
  );
}
