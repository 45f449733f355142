import { useMutation } from '@tanstack/react-query';
import { useApi, useRefusal } from '../../api/api-context';
import { Switch } from '../../ui/controls';
import { Detail, Facts } from '../../ui/page';
import { Empty, ErrorNotice } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { Deliveries } from '../deliveries/deliveries';
import { healthOf } from '../model/health';
import { useReadAgain } from '../model/reads';
import { SOURCES, typeOf } from '../model/sources';
import { doorOf, type Hook, isOn } from '../model/webhook';
import { WebhookActions } from './webhook-actions';

interface DetailProps {
  /** Undefined if the id does not exist. */
  hook: Hook | undefined;
  onClose: () => void;
  onSecret: (secret: string) => void;
}

/** A webhook: its health, what it sends, and its deliveries. */
export function WebhookDetail({ hook, onClose, onSecret }: DetailProps) {
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
  return (
    <Detail title={url!} onClose={onClose} of={{ id: id ?? undefined, json: hook }}>
      <HealthOf hook={hook} />
      <WebhookActions hook={hook} onDeleted={onClose} onSecret={onSecret} />
      <Facts
        of={[
          ['Service', SOURCES[source].word],
          ['Description', description ?? undefined],
          ['Events', (events ?? []).map(typeOf).join(', ')],
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
  const { id, source, disabledAt, failingSince } = hook;
  const refusal = useRefusal([source, 'mutation', 'updateWebhook']);
  const switching = useMutation({
    mutationFn: (active: boolean) => doorOf(api, source).updateWebhook({ id: id!, input: { active } }),
    onSettled: readAgain,
  });
  const { kind, word, reason } = healthOf(hook);
  return (
    <div className="stack tight">
      <div className="row wrap">
        <Status kind={kind} word={word} />
        <span className="grow" />
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
      {switching.error && <ErrorNotice error={switching.error} tried="change the webhook" />}
    </div>
  );
}
