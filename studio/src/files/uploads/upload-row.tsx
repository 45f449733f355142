import { Cross2Icon, PauseIcon, ReloadIcon, ResumeIcon } from '@radix-ui/react-icons';
import { memo } from 'react';
import { Link } from 'wouter';
import { PlatformError } from '../../../../clients/js/src/errors';
import { IconButton } from '../../ui/controls';
import { formatBytes } from '../../ui/format';
import { Status, type StatusKind } from '../../ui/status';
import { baseName, shownName } from '../model/file-record';
import { ProgressBar } from '../../ui/progress-bar';
import { type Upload, uploads, type UploadState } from './upload-store';
import styles from '../files.module.css';

const WORDS: Readonly<Record<UploadState, readonly [kind: StatusKind, word: string]>> = {
  waiting: ['none', 'Waiting'],
  sending: ['info', 'Uploading'],
  paused: ['wait', 'Paused'],
  failed: ['bad', 'Failed'],
  done: ['good', 'Done'],
};

/** Rendered again only when its own upload changed, since there may be thousands. */
export const UploadRow = memo(function UploadRow({ upload }: { upload: Upload }) {
  const { id, name, size, sent, state, fileId } = upload;
  const [kind, word] = WORDS[state];
  const isUnderWay = state === 'sending' || state === 'waiting';
  const label = baseName(name);
  return (
    <li className={styles.trayRow}>
      <div className="row">
        <span className={`grow truncate ${styles.isolated}`} title={shownName(name)}>
          {state === 'done' && fileId ? <Link href={`~/studio/files/${fileId}`}>{label}</Link> : label}
        </span>
        <Status kind={kind} word={word} />
        {isUnderWay && (
          <IconButton label={`Pause ${label}`} look="plain" size="small" onClick={() => uploads.pause(id)}>
            <PauseIcon />
          </IconButton>
        )}
        {state === 'paused' && (
          <IconButton label={`Resume ${label}`} look="plain" size="small" onClick={() => uploads.resume(id)}>
            <ResumeIcon />
          </IconButton>
        )}
        {state === 'failed' && (
          <IconButton label={`Retry ${label}`} look="plain" size="small" onClick={() => uploads.resume(id)}>
            <ReloadIcon />
          </IconButton>
        )}
        <IconButton
          label={state === 'done' ? `Remove ${label} from this list` : `Cancel ${label}`}
          look="plain"
          size="small"
          onClick={() => uploads.cancel(id)}
        >
          <Cross2Icon />
        </IconButton>
      </div>
      {state !== 'done' && state !== 'waiting' && <ProgressBar label={label} share={size > 0 ? sent / size : 0} />}
      <span className="small muted break">{sentence(upload)}</span>
    </li>
  );
});

function sentence({ size, sent, state, isInParts, isReplacement, error }: Upload): string {
  if (state === 'failed') return faultOf(error);
  if (state === 'done') return `${formatBytes(size)}${isReplacement ? ', content replaced' : ''}`;
  if (state === 'paused')
    return isInParts ? `${formatBytes(sent)} of ${formatBytes(size)} uploaded` : 'Restarts from the beginning';
  if (state === 'waiting') return formatBytes(size);
  return `${formatBytes(sent)} of ${formatBytes(size)}, ${formatBytes(size - sent)} left`;
}

function faultOf(error: unknown): string {
  if (!(error instanceof PlatformError)) return String(error);
  return `${error.message} (${error.code}${error.requestId ? `, request ${error.requestId}` : ''})`;
}
