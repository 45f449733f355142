import { useState } from 'react';
import { Confirm, Field, Switch } from '../../ui/controls';
import { CopyText, Snippet } from '../../ui/copy';
import { ErrorNotice } from '../../ui/states';
import { baseName, type FileRecord } from '../model/file-record';
import { useContentAddress } from '../model/queries';
import { CacheControl } from './cache-control';
import { useChange } from './edit/use-change';
import { quoted } from '../../ui/sample';
import styles from '../files.module.css';

const LIFETIMES = [
  [60, '1 minute'],
  [3_600, '1 hour'],
  [86_400, '1 day'],
  [604_800, '7 days'],
] as const;

/** Access to the content, and URLs to share. */
export function Sharing({
  file,
  refusal,
  readRefusal,
}: {
  file: FileRecord;
  refusal: string | undefined;
  readRefusal: string | undefined;
}) {
  const change = useChange(file.id ?? '');
  const [isAsking, setAsking] = useState(false);
  const isPublic = Boolean(file.public);
  return (
    <section className="stack tight" aria-label="Sharing">
      <h3>Sharing</h3>
      <Switch
        label="Public. Anyone with the link can view this file"
        checked={isPublic}
        disabled={Boolean(refusal) || change.isPending}
        onChange={(next) => (next ? setAsking(true) : change.mutate({ public: false }))}
      />
      <Confirm
        title={`Make ${baseName(file.name)} public?`}
        action="Make public"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => change.mutateAsync({ public: true })}
      >
        Anyone with the link can view this file, without a key. Browsers and proxies may keep copies of it after you make it
        private again.
      </Confirm>
      {refusal && <p className="muted small">{refusal}.</p>}
      {change.error && <ErrorNotice error={change.error} tried={isPublic ? 'make the file private' : 'make the file public'} />}
      {isPublic && <CacheControl key={file.cacheControl} file={file} refusal={refusal} />}
      {file.etag && !readRefusal && <Address file={file} isPublic={isPublic} />}
    </section>
  );
}

function Address({ file, isPublic }: { file: FileRecord; isPublic: boolean }) {
  const [seconds, setSeconds] = useState(3_600);
  const { data: address, error, refetch } = useContentAddress({ id: file.id ?? '', etag: file.etag, isPublic }, seconds);
  return (
    <>
      {!isPublic && (
        <Field label="Share link expires in">
          {(ids) => (
            <select
              {...ids}
              className={`input ${styles.lifetime}`}
              value={seconds}
              onChange={({ target }) => setSeconds(Number(target.value))}
            >
              {LIFETIMES.map(([value, word]) => (
                <option key={value} value={value}>
                  {word}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {error && <ErrorNotice error={error} tried="create a link" onRetry={() => void refetch()} />}
      <div className={styles.address}>
        {address ? <CopyText text={address} label="Copy link" /> : <span className="skeleton width-0" />}
      </div>
      <p className="muted small">
        {isPublic
          ? 'This link works until the file is private or deleted.'
          : 'Anyone with this link can view the file until it expires. Only deleting the file revokes it.'}
      </p>
      {address && <Snippet code={`curl -L -o ${quoted(outputOf(file.name))} ${quoted(address)}`} label="curl command" />}
    </>
  );
}

/** Returns the last part of the name as a file in the shell's folder, never as an option of curl. */
const outputOf = (name: string | null) => `./${baseName(name)}`;
