import { useState } from 'react';
import type { Api } from '../../api/client';
import { useApi, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { plural } from '../../ui/format';
import { ErrorNotice } from '../../ui/states';
import { Status } from '../../ui/status';
import { type LongWork, useLongWork } from '../../ui/long-work';
import { WorkProgress } from '../../ui/work-progress';
import { continues } from '../seals/check-consistency';
import { isSigned, readCheckpoint, readGiven } from '../seals/checkpoint';
import { canHash } from '../seals/hashes';
import { type Verified, verifyAll } from '../seals/verify-all';
import { CheckpointField } from './checkpoint-field';
import { Verdict } from './verdict';
import styles from '../log.module.css';

interface Found {
  /** Undefined in a browser that cannot tell. */
  isSigned?: boolean | undefined;
  continues?: boolean | undefined;
  block: number;
  verified?: Verified;
}

/** Checks a stored checkpoint against the current log. */
export function CheckKept({ seal }: { seal: string | undefined }) {
  const api = useApi();
  const work = useLongWork();
  const refusal = useRefusal(
    ['document-log', 'query', 'verifyLogs'],
    ['document-log', 'query', 'logConsistency'],
    ['document-log', 'query', 'latestSeal'],
  );
  const [text, setText] = useState('');
  const [found, setFound] = useState<Found>();
  const { checkpoint } = readGiven(text);
  const check = () =>
    work.start((running) => checkOne(api.log, { kept: text.trim(), work: running, onFound: (next) => setFound({ ...next }) }));
  return (
    <section className="card stack" aria-label="Verify against a checkpoint">
      <h2>Verify against a checkpoint</h2>
      <p className="muted small">Checks that everything sealed when you saved the checkpoint is still in the log, unchanged.</p>
      <CheckpointField
        label="Checkpoint"
        value={text}
        onChange={(next) => {
          setText(next);
          work.reset();
        }}
      />
      <span>
        <Button refusal={refusal} disabled={!refusal && (!checkpoint || !seal || work.isBusy)} onClick={check}>
          Verify
        </Button>
      </span>
      {work.state && found && (
        <>
          <ul className="stack tight">
            <Line isRight={found.isSigned} about="Signature of the checkpoint" />
            <Line isRight={found.continues} about={`Chain from block ${found.block}, recomputed in this browser`} />
          </ul>
          <WorkProgress
            label="Verification of the checkpoint"
            share={found.verified?.share ?? (work.isBusy ? undefined : 0)}
            about={`${plural(found.verified?.records ?? 0, 'record')} verified`}
            state={work.state}
            onPause={work.pause}
            onResume={work.resume}
            onStop={work.stop}
          />
        </>
      )}
      {work.state === 'failed' && <ErrorNotice error={work.error} tried="verify the checkpoint" />}
      {work.state === 'done' && found?.verified && <Verdict verified={found.verified} />}
    </section>
  );
}

function Line({ isRight, about }: { isRight: boolean | undefined; about: string }) {
  return (
    <li className={styles.step}>
      {isRight === undefined && <Status kind="none" word="Not checked" />}
      {isRight !== undefined && <Status kind={isRight ? 'good' : 'bad'} word={isRight ? 'Valid' : 'Mismatch'} />}
      <span>{about}</span>
    </li>
  );
}

interface CheckOptions {
  kept: string;
  work: LongWork;
  onFound: (found: Found) => void;
}

async function checkOne(log: Api['log'], { kept, work, onFound }: CheckOptions): Promise<void> {
  const { signal } = work;
  const found: Found = { block: readCheckpoint(kept).number };
  onFound(found);
  if (canHash()) {
    const newest = (await log.latestSeal({}, undefined, { signal }))!;
    found.isSigned = await isSigned(kept);
    found.continues = await continues(log, { from: kept, to: newest, signal });
    onFound(found);
  }
  await verifyAll(log, { checkpoint: kept }, { work, onStep: (verified) => onFound(Object.assign(found, { verified })) });
}
