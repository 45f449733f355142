import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { TextField } from '../../ui/controls';
import { FormDialog } from '../../ui/form-dialog';
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
  const [text, setText] = useState(from);
  const move = useMutation({ mutationFn: () => onMove(prefixOf(text)), onSuccess: onClose });
  return (
    <FormDialog
      title={title}
      action={action}
      tried="move the files"
      sending={move}
      onSend={() => move.mutate()}
      onClose={onClose}
      isReady={text !== from && (!isRequired || prefixOf(text) !== '')}
    >
      <TextField label={label} value={text} onChange={setText} hint={hint} />
      {hasPicker && (
        <div className={styles.picker}>
          <FolderTree value={prefixOf(text)} onChoose={(prefix) => setText(prefix.slice(0, -1))} />
        </div>
      )}
    </FormDialog>
  );
}
