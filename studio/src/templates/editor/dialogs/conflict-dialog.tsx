import { Button, Modal } from '../../../ui/controls';
import { Time } from '../../../ui/status';
import type { Saved } from '../../model/template';

/** Tells that somebody else saved the template, before that is overwritten. */
export function ConflictDialog({
  newer,
  onClose,
  onCompare,
  onOverwrite,
  onTake,
}: {
  newer: Saved | undefined;
  onClose: () => void;
  onCompare: () => void;
  onOverwrite: () => void;
  onTake: () => void;
}) {
  return (
    <Modal title="Someone else saved this template" isOpen={newer !== undefined} onClose={onClose}>
      {newer && (
        <p>
          Saved <Time at={newer.updatedAt} />
          {newer.author && ` by ${newer.author}`}, after you opened it. Saving overwrites their version.
        </p>
      )}
      <div className="actions wrap">
        <Button onClick={onCompare}>Compare</Button>
        <Button onClick={onTake}>Discard my changes</Button>
        <Button look="danger" onClick={onOverwrite}>
          Overwrite their version
        </Button>
      </div>
    </Modal>
  );
}
