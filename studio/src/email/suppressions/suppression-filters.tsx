import type { SuppressionReason } from '../../../../clients/js/src/generated/email';
import { Button } from '../../ui/controls';
import { Chip, FilterField } from '../../ui/page';
import { SUPPRESSION_WORDS } from '../words';
import type { SuppressionFilter } from './use-suppressions';

const REASONS = Object.entries(SUPPRESSION_WORDS) as [SuppressionReason, { word: string }][];

interface FiltersProps {
  filter: SuppressionFilter;
  onChange: (changes: SuppressionFilter) => void;
}

/** Reason, address and list of the suppressions to show. */
export function SuppressionFilters({ filter: { address, reason, list }, onChange }: FiltersProps) {
  return (
    <div className="filters">
      <Chip isActive={!reason} onClick={() => onChange({ reason: undefined })}>
        All
      </Chip>
      {REASONS.map(([one, { word }]) => (
        <Chip key={one} isActive={reason === one} onClick={() => onChange({ reason: reason === one ? undefined : one })}>
          {word}
        </Chip>
      ))}
      <FilterField label="Address" isMain value={address ?? ''} onChange={(next) => onChange({ address: next })} />
      <FilterField label="List, whole name" value={list ?? ''} onChange={(next) => onChange({ list: next })} />
      {(address || reason || list) && (
        <Button size="small" look="plain" onClick={() => onChange({ address: undefined, reason: undefined, list: undefined })}>
          Clear
        </Button>
      )}
    </div>
  );
}
