import { PauseIcon, PlayIcon, StopIcon } from '@radix-ui/react-icons';
import { Button } from './controls';
import type { WorkState } from './long-work';
import { ProgressBar } from './progress-bar';

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
  const isBusy = state === 'running' || state === 'paused';
  return (
    <div className="stack tight">
      <ProgressBar label={label} share={share} />
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
