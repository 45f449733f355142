import { useState } from 'react';
import { TextField } from '../../ui/controls';
import { FormDialog } from '../../ui/form-dialog';
import { prefixOf } from '../model/view';

interface NewFolderProps {
  folder: string;
  onClose: () => void;
  onOpen: (prefix: string) => void;
}

/** Dialog for the name of a folder, which it opens. A folder is a name prefix, so nothing is stored. */
export function NewFolder({ folder, onClose, onOpen }: NewFolderProps) {
  const [name, setName] = useState('');
  const prefix = prefixOf(name);
  const open = () => {
    onClose();
    onOpen(folder + prefix);
  };
  return (
    <FormDialog
      title="New folder"
      action="Open folder"
      tried="open the folder"
      isReady={prefix !== ''}
      onSend={open}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} hint="Use slashes to create subfolders, such as 2026/invoices." />
      <p className="muted small">The folder is listed once it has a file.</p>
    </FormDialog>
  );
}
