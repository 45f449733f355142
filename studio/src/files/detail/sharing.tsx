import { useState } from 'react';
import { Confirm } from '../../ui/confirm';
import { Switch, TextField } from '../../ui/controls';
import { CopyText } from '../../ui/copy';
import { SelectField } from '../../ui/fields';
import { ErrorNotice } from '../../ui/states';
import { ADDRESS_SECONDS, baseName, type FileRecord } from '../model/file-record';
import { useContentAddress } from '../model/queries';
import { useChange } from './edit/use-change';
import { InlineForm } from '../../ui/inline-form';
import { useForm } from '../../ui/use-form';
import styles from '../files.module.css';

/** Lifetimes of a link, in seconds. */
export const LIFETIMES: readonly (readonly [seconds: number, word: string])[] = [
  [60, '1 minute'],
  [ADDRESS_SECONDS, '1 hour'],
  [86_400, '1 day'],
  [604_800, '7 days'],
];

/** Chosen lifetime of the link of a private file. */
export interface Lifetime {
  seconds: number;
  onSeconds: (seconds: number) => void;
}

/** Access to the content, and URLs to share. */
export function Sharing({ file, refusal, ...lifetime }: { file: FileRecord; refusal: string | undefined } & Lifetime) {
  const change = useChange(file.id ?? '');
  const [isAsking, setAsking] = useState(false);
  const isPublic = Boolean(file.public);
  return (
    <section className="stack tight" aria-label="Sharing">
      <h3>Sharing</h3>
      <Switch
        label="Public. Anyone with the permanent link can view it"
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
      {file.etag && <Address file={file} isPublic={isPublic} {...lifetime} />}
      {isPublic && <CacheControl key={file.cacheControl} file={file} refusal={refusal} />}
    </section>
  );
}

function Address({ file, isPublic, seconds, onSeconds }: { file: FileRecord; isPublic: boolean } & Lifetime) {
  const { data: address, error, refetch } = useContentAddress({ id: file.id ?? '', etag: file.etag, isPublic }, seconds);
  return (
    <>
      {!isPublic && (
        <SelectField
          label="Share link expires in"
          className={styles.lifetime}
          words={LIFETIMES}
          value={seconds}
          onChange={onSeconds}
        />
      )}
      {error && <ErrorNotice error={error} tried="create a link" onRetry={() => void refetch()} />}
      <div className={styles.address}>
        {address ? <CopyText text={address} label="Copy this link" /> : <span className="skeleton width-0" />}
      </div>
      <p className="muted small">
        {isPublic
          ? 'This link works until the file is private or deleted.'
          : 'Anyone with this link can view the file until it expires. Only deleting the file revokes it.'}
      </p>
    </>
  );
}

const USUAL = 'no-cache';
const CHOICES: readonly (readonly [value: string, word: string])[] = [
  [USUAL, 'Revalidate each time'],
  ['public, max-age=3600', '1 hour'],
  ['public, max-age=86400', '1 day'],
  ['public, max-age=31536000, immutable', '1 year, immutable'],
];

/** How long browsers and CDNs may cache a public file. */
function CacheControl({ file, refusal }: { file: FileRecord; refusal: string | undefined }) {
  const current = file.cacheControl ?? USUAL;
  const { mutateAsync } = useChange(file.id ?? '');
  const form = useForm({
    first: { cacheControl: current, isOwn: !CHOICES.some(([choice]) => choice === current) },
    send: ({ cacheControl }) => mutateAsync({ cacheControl: cacheControl || null }),
  });
  const { cacheControl, isOwn } = form.values;
  return (
    <InlineForm form={form} label="Cache" tried="change the cache setting" refusal={refusal}>
      <SelectField
        label="Browser and CDN cache"
        className={styles.lifetime}
        hint="Cached copies stay this long, even after the file is replaced or deleted."
        words={[...CHOICES, ['', 'Other']]}
        value={isOwn ? '' : cacheControl}
        disabled={Boolean(refusal)}
        onChange={(choice) => form.set({ isOwn: choice === '', ...(choice && { cacheControl: choice }) })}
      />
      {isOwn && (
        <TextField
          label="Cache-Control"
          className="mono"
          maxLength={256}
          readOnly={Boolean(refusal)}
          {...form.field('cacheControl')}
        />
      )}
    </InlineForm>
  );
}
