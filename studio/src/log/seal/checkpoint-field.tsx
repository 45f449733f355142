import { useRef } from 'react';
import { Button } from '../../ui/controls';
import { TextAreaField } from '../../ui/fields';
import { formatTime } from '../../ui/format';
import { readGiven } from '../seals/checkpoint';

const LARGEST = 10_000;

/** Field for a checkpoint, pasted or from a file, with its block. */
export function CheckpointField({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  const chooser = useRef<HTMLInputElement>(null);
  const { checkpoint, fault } = readGiven(value);
  const read = async (file: File | undefined) => {
    if (file) onChange((await file.slice(0, LARGEST).text()).trim());
  };
  return (
    <div className="stack tight">
      <TextAreaField
        label={label}
        fault={fault}
        hint={
          checkpoint
            ? `Block ${checkpoint.number}, sealed ${formatTime(checkpoint.sealedAt)}`
            : 'Paste a checkpoint or select its file.'
        }
        className="mono"
        rows={3}
        spellCheck={false}
        value={value}
        onChange={onChange}
      />
      <span>
        <Button size="small" onClick={() => chooser.current?.click()}>
          Select file
        </Button>
        <input
          ref={chooser}
          type="file"
          hidden
          aria-label={`${label}: file`}
          onChange={({ target }) => {
            void read(target.files?.[0]);
            target.value = '';
          }}
        />
      </span>
    </div>
  );
}
