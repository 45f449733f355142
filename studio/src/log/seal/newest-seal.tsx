import { DownloadIcon } from '@radix-ui/react-icons';
import { Button } from '../../ui/controls';
import { CopyText } from '../../ui/copy';
import { formatCount, formatTime, plural } from '../../ui/format';
import { Facts } from '../../ui/page';
import { Status, Time } from '../../ui/status';
import { readGiven } from '../seals/checkpoint';
import { saveFile } from '../../ui/save-file';
import styles from '../log.module.css';

/** The newest block, and its checkpoint to store. */
export function NewestSeal({ seal }: { seal: string | null }) {
  if (seal === null) {
    return (
      <>
        <h2>Latest seal</h2>
        <p className="muted">No seal yet. Records are sealed about a second after they are added.</p>
      </>
    );
  }
  const { checkpoint, fault } = readGiven(seal);
  if (!checkpoint) return <p className="muted">{fault}</p>;
  const { number, leafCount, sealedAt, hash, publicKey } = checkpoint;
  const save = () => saveFile(`document-log-checkpoint-${number}.txt`, [`${seal}\n`], 'text/plain');
  return (
    <>
      <div className="row wrap">
        <h2>Latest seal</h2>
        <Status kind="good" word="Sealed" />
        <span className="muted small">
          <Time at={sealedAt} />
        </span>
      </div>
      <div className={styles.newest}>
        <Facts
          of={[
            ['Block', formatCount(number)],
            ['In this block', plural(leafCount, 'record or edit', 'records and edits')],
            ['Sealed', formatTime(sealedAt)],
            ['Hash', <CopyText key="hash" text={hash} label="Copy hash" />],
            ['Public key', <CopyText key="key" text={publicKey} label="Copy public key" />],
          ]}
        />
        <div className="stack tight">
          <h3>Save a checkpoint</h3>
          <p className="muted small">
            Keep checkpoints outside this system. A checkpoint reveals whether later records were cut or rewritten, even by
            someone with access to the database.
          </p>
          <div className="row wrap">
            <Button size="small" onClick={save}>
              <DownloadIcon aria-hidden />
              Download checkpoint
            </Button>
          </div>
          <CopyText text={seal} label="Copy checkpoint" />
        </div>
      </div>
    </>
  );
}
