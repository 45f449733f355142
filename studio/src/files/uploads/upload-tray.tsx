import { ChevronDownIcon, ChevronUpIcon } from '@radix-ui/react-icons';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { live } from '../../api/live';
import { Button, IconButton } from '../../ui/controls';
import { formatBytes, plural } from '../../ui/format';
import { FILES } from '../model/queries';
import { ProgressBar } from '../../ui/progress-bar';
import { type Upload, uploads, useDoneCount, useUploads } from './upload-store';
import { UploadRow } from './upload-row';
import styles from '../files.module.css';

const SHOWN = 40;
/** Time for which lists may lag behind: short after the last upload, longer during many. */
const READ_AGAIN_MS = 400;
const READ_AGAIN_BETWEEN_MS = 3_000;
/** Time for which finished uploads are shown, unless the tray was opened. */
const SHOWN_DONE_MS = 8_000;
const ORDER = { sending: 0, failed: 1, paused: 2, waiting: 3, done: 4 };

/** Uploads of this tab, on every page. */
export function UploadTray() {
  const all = useUploads();
  const [chosen, setOpen] = useState<boolean>();
  useReadAgain(all);
  const isDone = all.length > 0 && chosen === undefined && all.every(({ state }) => state === 'done');
  useEffect(() => {
    if (!isDone) return undefined;
    const timer = setTimeout(() => uploads.clearDone(), SHOWN_DONE_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  if (all.length === 0) return null;
  // A finished upload takes little room by itself.
  const isOpen = chosen ?? all.some(({ state }) => state !== 'done');
  const shown = [...all].sort((one, other) => ORDER[one.state] - ORDER[other.state] || one.id - other.id).slice(0, SHOWN);
  const { title, left, ratio } = sumOf(all);
  const running = all.filter(({ state }) => state === 'sending' || state === 'waiting');
  const paused = all.filter(({ state }) => state === 'paused');
  const hasDone = all.some(({ state }) => state === 'done');
  return (
    <section className={isOpen ? `${styles.uploadTray} open` : styles.uploadTray} aria-label="Uploads">
      <div className={`row ${styles.trayHead}`}>
        <div className={`grow stack ${styles.none}`}>
          <strong role="status">{title}</strong>
          <span className="small muted">{left > 0 ? `${formatBytes(left)} left` : 'All uploads complete'}</span>
        </div>
        {hasDone && (
          <Button size="small" look="plain" onClick={() => uploads.clearDone()}>
            Clear
          </Button>
        )}
        <IconButton
          label={isOpen ? 'Show less' : 'Show the uploads'}
          look="plain"
          size="small"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? <ChevronDownIcon /> : <ChevronUpIcon />}
        </IconButton>
      </div>
      <ProgressBar label="All uploads" share={ratio} />
      {isOpen && (
        <>
          <ul className={styles.trayList}>
            {shown.map((upload) => (
              <UploadRow key={upload.id} upload={upload} />
            ))}
            {all.length > shown.length && <li className="small muted">{plural(all.length - shown.length, 'more upload')}</li>}
          </ul>
          <div className={`row ${styles.trayFoot}`}>
            {running.length > 1 && (
              <Button size="small" onClick={() => running.forEach(({ id }) => uploads.pause(id))}>
                Pause all
              </Button>
            )}
            {paused.length > 1 && (
              <Button size="small" onClick={() => paused.forEach(({ id }) => uploads.resume(id))}>
                Resume all
              </Button>
            )}
          </div>
        </>
      )}
    </section>
  );
}

function sumOf(all: readonly Upload[]): { title: string; left: number; ratio: number } {
  const of = (...states: Upload['state'][]) => all.filter(({ state }) => states.includes(state)).length;
  const sum = (value: (upload: Upload) => number) => all.reduce((total, upload) => total + value(upload), 0);
  const size = sum((upload) => upload.size);
  const sent = sum((upload) => upload.sent);
  const running = of('sending', 'waiting');
  const done = of('done');
  const title = [
    running > 0 && `Uploading ${plural(running, 'file')}`,
    running === 0 && done > 0 && `${plural(done, 'file')} uploaded`,
    of('failed') > 0 && `${of('failed')} failed`,
    of('paused') > 0 && `${of('paused')} paused`,
  ];
  const ratio = size > 0 ? sent / size : running > 0 ? 0 : 1;
  return { title: title.filter(Boolean).join(', '), left: Math.max(0, size - sent), ratio };
}

/** Tells lists and details about finished uploads. */
function useReadAgain(all: readonly Upload[]): void {
  const queries = useQueryClient();
  const done = useDoneCount();
  const isBusy = all.some(({ state }) => state === 'sending' || state === 'waiting');
  const last = useRef(0);
  useEffect(() => {
    if (done === 0) return undefined;
    const wait = isBusy ? Math.max(0, last.current + READ_AGAIN_BETWEEN_MS - Date.now()) : READ_AGAIN_MS;
    const timer = setTimeout(() => {
      last.current = Date.now();
      live.follow();
      void queries.invalidateQueries({ queryKey: FILES });
    }, wait);
    return () => clearTimeout(timer);
  }, [done, isBusy, queries]);
}
