import { useState } from 'react';
import { Field, Switch } from '../../ui/controls';
import { CopyText, Snippet } from '../../ui/copy';
import { ErrorNotice } from '../../ui/states';
import { baseName, type FileRecord } from '../model/file-record';
import { useContentAddress } from '../model/queries';
import { CacheControl } from './cache-control';
import { useChange } from './edit/use-change';

const LIFETIMES = [
  [60, '1 minute'],
  [3_600, '1 hour'],
  [86_400, '1 day'],
  [604_800, '7 days'],
] as const;

/** Decides who may read the content, and makes addresses to give to them. */
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
  const isPublic = Boolean(file.public);
  return (
    <section className="stack tight" aria-label="Sharing">
      <h3>Sharing</h3>
      <Switch
        label="Public: anybody with the address can read it"
        checked={isPublic}
        disabled={Boolean(refusal) || change.isPending}
        onChange={(next) => change.mutate({ public: next })}
      />
      {refusal && <p className="muted small">{refusal}.</p>}
      {change.error && <ErrorNotice error={change.error} tried={isPublic ? 'protect the file' : 'make the file public'} />}
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
        <Field label="Address that works for">
          {(ids) => (
            <select
              {...ids}
              className="input lifetime"
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
      {error && <ErrorNotice error={error} tried="make an address" onRetry={() => void refetch()} />}
      <div className="address">
        {address ? <CopyText text={address} label="Copy the address" /> : <span className="skeleton width-0" />}
      </div>
      <p className="muted small">
        {isPublic
          ? 'This address works until the file is protected or deleted.'
          : 'Anybody who has this address can read the content until then. Only deleting the file takes it back.'}
      </p>
      {address && <Snippet code={`curl -L -o ${quoted(outputOf(file.name))} ${quoted(address)}`} label="curl command" />}
    </>
  );
}

/** The last part of the name as a file in the folder of the shell, never as an option of curl. */
const outputOf = (name: string | null) => `./${baseName(name)}`;
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
