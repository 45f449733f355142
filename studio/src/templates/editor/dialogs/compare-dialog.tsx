import { Modal } from '../../../ui/controls';
import type { Draft } from '../../model/template';
import { Differences } from './differences';

/** Differences between the draft and the saved template. */
export function CompareDialog({
  saved,
  draft,
  isOpen,
  onClose,
}: {
  saved: Draft;
  draft: Draft;
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Modal title="Compare changes" form="wide" isOpen={isOpen} onClose={onClose}>
      <p className="muted small">Left: the saved template. Right: your changes.</p>
      <Differences before={saved} after={draft} same="No unsaved changes." />
    </Modal>
  );
}
