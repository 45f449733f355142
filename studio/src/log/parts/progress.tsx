import { Progress } from '@base-ui/react/progress';
import { PauseIcon, PlayIcon, StopIcon } from '@radix-ui/react-icons';
import { Button } from '../../ui/controls';
import type { WorkState } from '../data/long-work';
import styles from '../log.module.css';

interface WorkProgressProps {
  label: string;
  /** From 0 to 1; undefined while unknown. */
  share: number | undefined;
  about: string;
  state: WorkState | undefined;
  onPause: () => void;
  onResume: () => void;
  onStop: () => void;
}

/** Progress of long work, with its controls. */
export function WorkProgress({ label, share, about, state, onPause, onResume, onStop }: WorkProgressProps) {
  const percent = share === undefined ? null : Math.floor(share * 100);
  const isBusy = state === 'running' || state === 'paused';
  return (
    <div className="stack tight">
      <Progress.Root className={styles.progress} value={percent} aria-label={label}>
        <Progress.Track className={styles.progressTrack}>
          <Progress.Indicator className={styles.progressDone} />
        </Progress.Track>
      </Progress.Root>
      <div className="row wrap">
        <span className="small muted grow" role="status">
          {about}
        </span>
        {isBusy && (
          <>
            <Button size="small" onClick={state === 'paused' ? onResume : onPause}>
              {state === 'paused' ? <PlayIcon aria-hidden /> : <PauseIcon aria-hidden />}
              {state === 'paused' ? 'Resume' : 'Pause'}
            </Button>
            <Button size="small" onClick={onStop}>
              <StopIcon aria-hidden />
              Stop
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
