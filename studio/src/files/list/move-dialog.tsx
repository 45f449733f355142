import { TextField } from '../../ui/controls';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';
import { prefixOf } from '../model/view';
import { FolderTree } from './folder-tree';
import styles from '../files.module.css';

interface MoveDialogProps {
  title: string;
  /** Label of the button, such as Rename. */
  action: string;
  label: string;
  hint: string;
  /** Initial value of the field. */
  from: string;
  /** Whether a value is required: an empty one is the top folder. */
  isRequired?: boolean;
  /** Whether the value is a folder, which can be picked. */
  hasPicker?: boolean;
  onClose: () => void;
  /** Receives the prefix, with a slash at its end; empty for the top. */
  onMove: (to: string) => Promise<unknown>;
}

/** Dialog for the target of files or a folder. Created each time it opens. */
export function MoveDialog(props: MoveDialogProps) {
  const { title, action, label, hint, from, isRequired = false, hasPicker = false, onClose, onMove } = props;
  const form = useForm({ first: { to: from }, send: ({ to }) => onMove(prefixOf(to)), onDone: onClose });
  const prefix = prefixOf(form.values.to);
  const isReady = form.isDirty && (!isRequired || prefix !== '');
  return (
    <FormDialog form={form} title={title} action={action} tried="move the files" isReady={isReady} onClose={onClose}>
      <TextField label={label} hint={hint} {...form.field('to')} />
      {hasPicker && (
        <div className={styles.picker}>
          <FolderTree value={prefix} onChoose={(chosen) => form.set({ to: chosen.slice(0, -1) })} />
        </div>
      )}
    </FormDialog>
  );
}
