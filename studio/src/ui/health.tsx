import type { ReactNode } from 'react';
import { Switch } from './controls';
import { ErrorNotice } from './states';
import { Status, type StatusKind, Time } from './status';

interface HealthProps {
  health: { kind: StatusKind; word: string; reason?: string | undefined };
  failingSince: string | null;
  /** Follows the time since which it fails. */
  next?: ReactNode;
  /** Label of the switch, such as `Send events`. */
  label: string;
  isOn: boolean;
  refusal: string | undefined;
  switching: { isPending: boolean; error: unknown; mutate: (isOn: boolean) => void };
  /** The same within a sentence, such as "change the stream". */
  tried: string;
  actions?: ReactNode;
  children?: ReactNode;
}

/** Health of an object that sends, in words, and the switch that pauses it. */
export function Health(props: HealthProps) {
  const { health, failingSince, next, label, isOn, refusal, switching, tried, actions, children } = props;
  return (
    <div className="stack tight">
      <div className="row wrap">
        <Status kind={health.kind} word={health.word} />
        <span className="grow" />
        {actions}
        <span title={refusal}>
          <Switch label={label} checked={isOn} disabled={Boolean(refusal) || switching.isPending} onChange={switching.mutate} />
        </span>
      </div>
      {health.reason && (
        <div className="notice bad">
          <span className="break">
            {health.reason}
            {failingSince && (
              <span className="muted small">
                {' '}
                · failing since <Time at={failingSince} />
                {next}
              </span>
            )}
          </span>
        </div>
      )}
      {children}
      {Boolean(switching.error) && <ErrorNotice error={switching.error} tried={tried} />}
    </div>
  );
}
