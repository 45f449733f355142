import { Link } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import { CopyText } from '../../ui/copy';
import { Facts } from '../../ui/page';
import { ErrorNotice, Skeleton } from '../../ui/states';
import { Status } from '../../ui/status';
import type { WholeRecord } from '../data/log-record';
import { type CheckedStep, checkProof, type Proof } from '../seals/check-proof';
import { canHash } from '../seals/hashes';
import { type Subject, subjectOfRecord } from '../seals/subject';
import styles from '../log.module.css';

/** The proof that a record is in its sealed block. */
export function RecordProof({ record }: { record: WholeRecord }) {
  return (
    <section className="stack tight" aria-label="Proof">
      <h3>Proof</h3>
      <ProofOf subject={subjectOfRecord(record)} />
    </section>
  );
}

/** A proof, recomputed in this browser and compared with what is shown. */
export function ProofOf({ subject }: { subject: Subject }) {
  const refusal = useRefusal(['document-log', 'query', 'logProof']);
  const { data, error, refetch } = useRead({
    queryKey: ['log', 'proof', subject],
    read: async (api, signal) => {
      const proof = await api.log.logProof({ id: subject.id }, undefined, { signal });
      return proof && { proof, steps: canHash() ? await checkProof(proof, subject) : [] };
    },
    enabled: !refusal,
    staleTime: ({ state }) => (state.data ? Infinity : 0),
    live: 'document-log',
    isOnItsWay: (proof: unknown) => proof === null,
  });
  return (
    <div className="stack tight">
      {refusal && <p className="muted">{refusal}, so the proof isn’t available.</p>}
      {error && <ErrorNotice error={error} tried="load the proof" onRetry={() => void refetch()} />}
      {!refusal && !error && data === undefined && <Skeleton lines={5} label="Verifying proof" />}
      {data === null && (
        <p className="row">
          <Status kind="wait" word="Not sealed yet" /> <span className="muted">This takes about a second.</span>
        </p>
      )}
      {data && <Checked {...data} />}
    </div>
  );
}

function Checked({ proof, steps }: { proof: Proof; steps: readonly CheckedStep[] }) {
  const isWrong = steps.some(({ isRight }) => isRight === false);
  return (
    <>
      {steps.length === 0 ? (
        <p className="muted">Not verified. Browsers compute hashes only over HTTPS or on localhost.</p>
      ) : (
        <p className="row wrap">
          {isWrong ? <Status kind="bad" word="Mismatch" /> : <Status kind="good" word="Verified in this browser" />}
          <span className="muted small">
            {isWrong ? <Link href="/seal">Verify the log</Link> : 'Recomputed from the content to the signed block.'}
          </span>
        </p>
      )}
      <ul className="stack tight">
        {steps.map(({ what, isRight, about }) => (
          <li key={what} className={styles.step}>
            {isRight === undefined ? <Status kind="none" word="Not checked" /> : <Right isRight={isRight} />}
            <span>{about}</span>
          </li>
        ))}
      </ul>
      <details className="small">
        <summary className="muted">Hashes and checkpoint</summary>
        <Facts
          of={[
            ['Block', String(proof.block)],
            ['Leaf', `${proof.leafIndex! + 1} of ${proof.leafCount}`],
            ['Leaf hash', <CopyText key="leaf" text={proof.leafHash!} label="Copy leaf hash" />],
            ['Root', <CopyText key="root" text={proof.root!} label="Copy root" />],
            ['Block hash', <CopyText key="block" text={proof.blockHash!} label="Copy block hash" />],
            ['Checkpoint', <CopyText key="checkpoint" text={proof.checkpoint!} label="Copy checkpoint" />],
            ['Proof', <CopyText key="proof" text={JSON.stringify(proof)} label="Copy proof" />],
          ]}
        />
      </details>
    </>
  );
}

function Right({ isRight }: { isRight: boolean }) {
  return <Status kind={isRight ? 'good' : 'bad'} word={isRight ? 'Valid' : 'Mismatch'} />;
}
