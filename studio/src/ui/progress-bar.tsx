import { Progress } from '@base-ui/react/progress';

/** Share of work that is done, from 0 to 1; stripes while unknown. */
export function ProgressBar({ label, share }: { label: string; share: number | undefined }) {
  return (
    <Progress.Root
      className="progress"
      aria-label={label}
      value={share === undefined ? null : Math.floor(Math.min(1, share) * 100)}
    >
      <Progress.Track className="progress-track">
        <Progress.Indicator className="progress-done" />
      </Progress.Track>
    </Progress.Root>
  );
}
