import { Button, Modal } from '../../../ui/controls';
import { Time } from '../../../ui/status';
import type { Saved } from '../../model/template';

interface ConflictDialogProps {
  word: string;
  newer: Saved | undefined;
  onClose: () => void;
  onCompare?: () => void;
  onOverwrite: () => void;
  onTake: () => void;
}

/** Warns before overwriting a save of somebody else. */
export function ConflictDialog({ word, newer, onClose, onCompare, onOverwrite, onTake }: ConflictDialogProps) {
  return (
    <Modal title={`Someone else saved this ${word}`} isOpen={newer !== undefined} onClose={onClose}>
      {newer && (
        <p>
          Saved <Time at={newer.updatedAt} />
          {newer.author && ` by ${newer.author}`}, after you opened it. Saving overwrites their version.
        </p>
      )}
      <div className="actions wrap">
        {onCompare && <Button onClick={onCompare}>Compare</Button>}
        <Button onClick={onTake}>Discard my changes</Button>
        <Button look="danger" onClick={onOverwrite}>
          Overwrite their version
        </Button>
      </div>
    </Modal>
  );
}
