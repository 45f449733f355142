import { Progress } from '@base-ui/react/progress';
import styles from '../files.module.css';

/** How much of something is done. */
export function ProgressBar({ label, ratio }: { label: string; ratio: number }) {
  return (
    <Progress.Root className={styles.progress} aria-label={label} value={Math.round(Math.min(1, ratio) * 100)}>
      <Progress.Track className={styles.progressTrack}>
        <Progress.Indicator className={styles.progressDone} />
      </Progress.Track>
    </Progress.Root>
  );
}
