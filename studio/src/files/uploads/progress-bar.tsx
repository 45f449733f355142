import { Progress } from '@base-ui/react/progress';

/** How much of something is done. */
export function ProgressBar({ label, ratio }: { label: string; ratio: number }) {
  return (
    <Progress.Root className="progress" aria-label={label} value={Math.round(Math.min(1, ratio) * 100)}>
      <Progress.Track className="progress-track">
        <Progress.Indicator className="progress-done" />
      </Progress.Track>
    </Progress.Root>
  );
}
