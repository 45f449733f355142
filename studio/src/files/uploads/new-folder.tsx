import { type FormEvent, useState } from 'react';
import { Button, Modal, TextField } from '../../ui/controls';
import { prefixOf } from '../model/view';

interface NewFolderProps {
  folder: string;
  isOpen: boolean;
  onClose: () => void;
  onOpen: (prefix: string) => void;
}

/** Asks for the name of a folder and opens it. A folder is the beginning of names, so there is nothing to store. */
export function NewFolder({ folder, isOpen, onClose, onOpen }: NewFolderProps) {
  const [name, setName] = useState('');
  const prefix = prefixOf(name);
  const open = (event: FormEvent) => {
    event.preventDefault();
    if (!prefix) return;
    setName('');
    onClose();
    onOpen(folder + prefix);
  };
  return (
    <Modal title="New folder" isOpen={isOpen} onClose={onClose}>
      <form className="stack" onSubmit={open}>
        <TextField label="Name" value={name} onChange={setName} hint="Use slashes to create subfolders, such as 2026/invoices." />
        <p className="muted small">The folder is listed once it has a file.</p>
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" disabled={!prefix}>
            Open folder
          </Button>
        </div>
      </form>
    </Modal>
  );
}
