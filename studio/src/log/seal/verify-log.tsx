import { type FormEvent, useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { plural } from '../../ui/format';
import { ErrorNotice, NoPermission, Skeleton } from '../../ui/states';
import { fromField, toField } from '../../ui/zone';
import { useLongWork } from '../../ui/long-work';
import { WorkProgress } from '../../ui/work-progress';
import { type Verified, verifyAll } from '../seals/verify-all';
import { CheckpointField } from './checkpoint-field';
import { readGiven } from '../seals/checkpoint';
import { Verdict } from './verdict';
import { TimeField } from '../../ui/fields';
import { useRead } from '../../api/use-read';
import { CheckKept } from './check-kept';
import { NewestSeal } from './newest-seal';
import styles from '../log.module.css';

/** Verifies the log, or what was written in a range of time. */
function VerifyLog({ refusal }: { refusal: string | undefined }) {
  const api = useApi();
  const work = useLongWork();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [checkpoint, setCheckpoint] = useState('');
  const [verified, setVerified] = useState<Verified>();
  const isReversed = Boolean(from && to && from > to);
  const isRefused = isReversed || readGiven(checkpoint).fault !== undefined;
  const verify = (event: FormEvent) => {
    event.preventDefault();
    if (refusal || isRefused || work.isBusy) return;
    setVerified(undefined);
    const range = { from: fromField(from), to: fromField(to), checkpoint: checkpoint.trim() || undefined };
    work.start((running) => verifyAll(api.log, range, { work: running, onStep: setVerified }));
  };
  return (
    <section className="card stack" aria-label="Verify the log">
      <h2>Verify the log</h2>
      <p className="muted small">Recomputes every record, edit and block, and reports the first that was tampered with.</p>
      <form className="stack" onSubmit={verify}>
        <span>
          <Button type="submit" look="primary" refusal={refusal} disabled={!refusal && (work.isBusy || isRefused)}>
            Verify now
          </Button>
        </span>
        <details className="small">
          <summary>Options</summary>
          <div className={`stack ${styles.options}`}>
            <div className={styles.pair}>
              <TimeField label="Recorded from" step={1} value={from} onChange={setFrom} />
              <TimeField
                label="Recorded until"
                fault={isReversed ? 'Must be after the start.' : undefined}
                step={1}
                value={to}
                onChange={setTo}
              />
            </div>
            <CheckpointField label="Checkpoint" value={checkpoint} onChange={setCheckpoint} />
          </div>
        </details>
      </form>
      {work.state && (
        <WorkProgress
          label="Verification"
          share={verified?.share ?? (work.isBusy ? undefined : 0)}
          about={aboutOf(work.state, verified)}
          state={work.state}
          onPause={work.pause}
          onResume={work.resume}
          onStop={work.stop}
        />
      )}
      {work.state === 'failed' && <ErrorNotice error={work.error} tried="verify the log" />}
      {work.state === 'done' && verified && <Verdict verified={verified} isRange={Boolean(from || to)} />}
    </section>
  );
}

function aboutOf(state: string, verified: Verified | undefined): string {
  const records = `${plural(verified?.records ?? 0, 'record')} verified`;
  const left = verified?.checkedTo && verified.share !== undefined ? `, ${100 - Math.floor(verified.share * 100)}% left` : '';
  if (state === 'stopped') {
    return verified?.checkedTo
      ? `Stopped. Verified everything recorded before ${toField(verified.checkedTo).replace('T', ' ')}.`
      : 'Stopped.';
  }
  if (state === 'running' && !verified) return 'Verifying…';
  if (state === 'paused') return `Paused. ${records}${left}`;
  return state === 'running' ? `${records}${left} …` : records;
}

/** Sealing state, verification, and checkpoints for later proof. */
export function SealTab() {
  const refusal = useRefusal(['document-log', 'query', 'latestSeal']);
  const verifying = useRefusal(['document-log', 'query', 'verifyLogs']);
  const both = useRefusal(['document-log', 'query', 'latestSeal'], ['document-log', 'query', 'verifyLogs']);
  const { data, error, refetch, isPending } = useRead({
    queryKey: ['log', 'seal'],
    read: (api, signal) => api.log.latestSeal({}, undefined, { signal }),
    enabled: !refusal,
    live: 'document-log',
  });
  if (refusal && verifying && both) return <NoPermission what="view seals or verify the log" refusal={both} />;
  return (
    <div className="page-body">
      <div className={styles.seal}>
        <section className="card stack" aria-label="Latest seal">
          {refusal && <p className="muted">{refusal}, so the latest seal isn’t available.</p>}
          {error && <ErrorNotice error={error} tried="load the latest seal" onRetry={() => void refetch()} />}
          {!refusal && !error && isPending && <Skeleton lines={6} label="Loading latest seal" />}
          {data !== undefined && <NewestSeal seal={data} />}
        </section>
        <VerifyLog refusal={verifying} />
        <CheckKept seal={data ?? undefined} />
      </div>
    </div>
  );
}
