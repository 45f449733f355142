import { DownloadIcon } from '@radix-ui/react-icons';
import { Button } from '../../ui/controls';
import { CopyText } from '../../ui/copy';
import { formatCount, formatTime, plural } from '../../ui/format';
import { Facts } from '../../ui/page';
import { Status, Time } from '../../ui/status';
import { readGiven } from './given-checkpoint';
import { saveFile } from '../../ui/save-file';

/** The newest block, and its checkpoint to keep. */
export function NewestSeal({ seal }: { seal: string | null }) {
  if (seal === null) {
    return (
      <>
        <h2>Newest seal</h2>
        <p className="muted">Nothing is sealed yet. About a second after the first record is written, its seal is shown here.</p>
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
        <h2>Newest seal</h2>
        <Status kind="good" word="Sealed" />
        <span className="muted small">
          <Time at={sealedAt} />
        </span>
      </div>
      <div className="log-newest">
        <Facts
          of={[
            ['Block', formatCount(number)],
            ['In this block', plural(leafCount, 'record or edit', 'records and edits')],
            ['Sealed', formatTime(sealedAt)],
            ['Hash', <CopyText key="hash" text={hash} label="Copy the hash" />],
            ['Public key', <CopyText key="key" text={publicKey} label="Copy the public key" />],
          ]}
        />
        <div className="stack tight">
          <h3>Save a checkpoint</h3>
          <p className="muted small">
            Keep it outside of this system, since whoever could change this database could also cut or rewrite the newest part of
            the log, and only a checkpoint from before shows that.
          </p>
          <div className="row wrap">
            <Button size="small" onClick={save}>
              <DownloadIcon aria-hidden />
              Download the checkpoint
            </Button>
          </div>
          <CopyText text={seal} label="Copy the checkpoint" />
        </div>
      </div>
    </>
  );
}
