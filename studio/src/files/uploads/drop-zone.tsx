import { UploadIcon } from '@radix-ui/react-icons';
import { useEffect, useEffectEvent, useState } from 'react';
import { toasts } from '../../ui/toasts';
import { type Picked, pickedOfDrop } from './picked';
import styles from '../files.module.css';

interface DropZoneProps {
  /** Target folder of dropped files. */
  folder: string;
  /** Reason why nothing can be dropped. */
  refusal?: string | undefined;
  onDrop: (picked: Picked[]) => void;
}

/** Accepts files and folders dropped anywhere on the page, and shows their target. */
export function DropZone({ folder, refusal, onDrop }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const isRefused = useEffectEvent(() => refusal !== undefined);
  const take = useEffectEvent((picked: Picked[]) => onDrop(picked));
  useEffect(() => {
    const end = new AbortController();
    const { signal } = end;
    let depth = 0;
    let isOwn = false; // an image of the page that is dragged claims to be a file
    const isOurs = ({ dataTransfer }: DragEvent) => !isOwn && Boolean(dataTransfer?.types.includes('Files'));
    const leave = () => {
      depth = 0;
      setOver(false);
    };
    const enter = (event: DragEvent) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      depth += 1;
      setOver(true);
    };
    const over = (event: DragEvent) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = isRefused() ? 'none' : 'copy';
    };
    const drop = (event: DragEvent) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      leave();
      if (isRefused()) return;
      void pickedOfDrop(event.dataTransfer!).then(
        (picked) => take(picked),
        () => toasts.add({ title: 'Couldn’t read the dropped files. Nothing was uploaded.' }),
      );
    };
    addEventListener('dragstart', () => (isOwn = true), { signal });
    addEventListener('dragend', () => (isOwn = false), { signal });
    addEventListener('dragenter', enter, { signal });
    addEventListener('dragover', over, { signal });
    addEventListener('dragleave', () => --depth <= 0 && leave(), { signal });
    addEventListener('drop', drop, { signal });
    return () => end.abort();
  }, []);
  if (!isOver) return null;
  return (
    <div className={styles.dropZone}>
      <div className={styles.dropPlace}>
        <UploadIcon width={24} height={24} aria-hidden />
        <strong>{refusal ?? 'Drop to upload'}</strong>
        {!refusal && <span className="muted break">{folder ? `into ${folder}` : 'to the top folder'}</span>}
      </div>
    </div>
  );
}
