import { useRefusal } from '../../api/api-context';
import { useAction } from '../../api/use-action';
import { Link } from 'wouter';
import { Button } from '../../ui/controls';
import { Health } from '../../ui/health';
import { NoDetail } from '../../ui/no-detail';
import { Detail, Facts } from '../../ui/page';
import { ErrorNotice } from '../../ui/states';
import { Time } from '../../ui/status';
import { Deliveries } from '../deliveries/deliveries';
import { formatRate, healthOf } from '../model/health';
import { SOURCES, typeOf } from '../model/sources';
import type { Created } from '../model/save';
import { doorOf, type Hook, isOn, POLL, WEBHOOKS } from '../model/webhook';
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
  if (!hook) return <NoDetail word="webhook" onClose={onClose} />;
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
          [
            'Success',
            hook.successRate === null ? 'No event delivered yet' : `${formatRate(hook.successRate)} of the latest 100 events`,
          ],
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
          ['Last delivery', lastDeliveredAt ? <Time key="last" at={lastDeliveredAt} /> : 'Never'],
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
  const { id, source, disabledAt, failingSince, pausedUntil, waiting, createdAt, url } = hook;
  const refusal = useRefusal([source, 'mutation', 'updateWebhook']);
  const switching = useAction((api, active: boolean) => doorOf(api, source).updateWebhook({ id: id!, input: { active } }), {
    again: WEBHOOKS,
  });
  const sending = useAction((api) => doorOf(api, source).redeliver({ webhookId: id!, from: createdAt!, status: 'PENDING' }), {
    done: 'Sending waiting events now',
    again: WEBHOOKS,
  });
  const isWaiting = Boolean(waiting) && isOn(hook) && url !== POLL;
  return (
    <Health
      health={healthOf(hook)}
      failingSince={failingSince}
      next={
        pausedUntil && (
          <>
            , next attempt <Time at={pausedUntil} />
          </>
        )
      }
      label="Send events"
      isOn={isOn(hook)}
      refusal={refusal}
      switching={switching}
      tried="change the webhook"
      actions={
        isWaiting && (
          <Button
            size="small"
            right={[source, 'mutation', 'redeliver']}
            disabled={sending.isPending}
            onClick={() => sending.mutate()}
          >
            Send waiting now
          </Button>
        )
      }
    >
      {disabledAt && (
        <p className="muted small">
          Switched off <Time at={disabledAt} />. Fix the receiver, then turn on “Send events” to send pending events.
        </p>
      )}
      {sending.error && <ErrorNotice error={sending.error} tried="send waiting events" />}
    </Health>
  );
}
