import { ChevronDownIcon, UploadIcon } from '@radix-ui/react-icons';
import { useMemo, useRef, useState } from 'react';
import type { CreateFileInput } from '../../../../clients/js/src/generated/files';
import { useCommands } from '../../shell/commands';
import { ActionMenu, Button, IconButton, Modal, Switch, TextField } from '../../ui/controls';
import { SelectField } from '../../ui/fields';
import { useShortcut } from '../../ui/shortcuts';
import { prefixOf } from '../model/view';
import { type Picked, pickedOf } from './picked';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';
import styles from '../files.module.css';

interface UploadActionsProps {
  folder: string;
  refusal: string | undefined;
  onPick: (picked: Picked[], folder: string, more?: CreateFileInput) => void;
  onOpenFolder: (prefix: string) => void;
}

const CHOOSER = 'choose-files';

/** Opens the chooser of files of the page. */
export const chooseFiles = (): void => document.querySelector<HTMLInputElement>(`#${CHOOSER}`)?.click();

/** Main action of the page, and rarer ways to start an upload. */
export function UploadActions({ folder, refusal, onPick, onOpenFolder }: UploadActionsProps) {
  const tree = useRef<HTMLInputElement>(null);
  const [hasOptions, setOptions] = useState(false);
  const [isNaming, setNaming] = useState(false);
  const commands = useMemo(
    () =>
      refusal
        ? []
        : [
            { id: 'files upload', group: 'Files', word: 'Upload files', run: chooseFiles },
            { id: 'files new folder', group: 'Files', word: 'New folder', run: () => setNaming(true) },
            { id: 'files upload folder', group: 'Files', word: 'Upload a folder', run: () => tree.current?.click() },
            { id: 'files upload options', group: 'Files', word: 'Upload with options', run: () => setOptions(true) },
          ],
    [refusal],
  );
  useCommands(commands);
  useShortcut('c', refusal ? undefined : chooseFiles);
  const pick = (input: HTMLInputElement) => {
    onPick(pickedOf(input.files), folder);
    input.value = '';
  };
  return (
    <>
      <input id={CHOOSER} type="file" multiple hidden aria-label="Files to upload" onChange={({ target }) => pick(target)} />
      <input ref={asTree(tree)} type="file" hidden aria-label="Folder to upload" onChange={({ target }) => pick(target)} />
      <span className={refusal ? undefined : styles.joined}>
        <Button look="primary" refusal={refusal} onClick={chooseFiles}>
          <UploadIcon aria-hidden />
          Upload
        </Button>
        {!refusal && (
          <ActionMenu
            trigger={
              <IconButton label="More ways to upload" look="primary">
                <ChevronDownIcon />
              </IconButton>
            }
            entries={[
              { label: 'New folder', onSelect: () => setNaming(true) },
              { label: 'Upload a folder', onSelect: () => tree.current?.click() },
              { label: 'Upload with options', onSelect: () => setOptions(true) },
            ]}
          />
        )}
      </span>
      {isNaming && <NewFolder folder={folder} onClose={() => setNaming(false)} onOpen={onOpenFolder} />}
      <Modal title="Upload with options" isOpen={hasOptions} onClose={() => setOptions(false)}>
        <Options
          folder={folder}
          onPick={(...given) => {
            onPick(...given);
            setOptions(false);
          }}
        />
      </Modal>
    </>
  );
}

/** Input for a folder. React has no property for it. */
const asTree = (ref: { current: HTMLInputElement | null }) => (input: HTMLInputElement | null) => {
  ref.current = input;
  if (input) input.webkitdirectory = true;
};

const LIFETIMES = [
  ['', 'Never'],
  ['3600', 'After 1 hour'],
  ['86400', 'After 1 day'],
  ['604800', 'After 7 days'],
  ['2592000', 'After 30 days'],
  ['31536000', 'After 1 year'],
] as const;

/** Options that are best set before the upload. */
function Options({ folder, onPick }: Pick<UploadActionsProps, 'folder' | 'onPick'>) {
  const [prefix, setPrefix] = useState(folder);
  const [isPublic, setPublic] = useState(false);
  const [expiresIn, setExpiresIn] = useState('');
  const [reference, setReference] = useState('');
  const tree = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const pick = ({ files: list }: HTMLInputElement) =>
    onPick(pickedOf(list), prefixOf(prefix), {
      ...(isPublic && { public: true }),
      ...(expiresIn && { expiresIn: Number(expiresIn) }),
      ...(reference && { externalReference: reference }),
    });
  return (
    <>
      <TextField
        label="Folder"
        hint="A new folder is created with its first file. Leave empty for the top level."
        value={prefix}
        maxLength={500}
        onChange={setPrefix}
      />
      <SelectField
        label="Expires"
        hint="The content is removed at this time. This can’t be changed later."
        words={LIFETIMES}
        value={expiresIn}
        onChange={setExpiresIn}
      />
      <TextField
        label="Reference"
        hint="The ID of the object in your application that these files belong to."
        value={reference}
        maxLength={1024}
        onChange={setReference}
      />
      <Switch label="Public. Anyone with the link can view these files" checked={isPublic} onChange={setPublic} />
      <input ref={files} type="file" multiple hidden aria-label="Files" onChange={({ target }) => pick(target)} />
      <input ref={asTree(tree)} type="file" hidden aria-label="Folder" onChange={({ target }) => pick(target)} />
      <div className="actions">
        <Button onClick={() => tree.current?.click()}>Select folder</Button>
        <Button look="primary" onClick={() => files.current?.click()}>
          Select files
        </Button>
      </div>
    </>
  );
}

interface NewFolderProps {
  folder: string;
  onClose: () => void;
  onOpen: (prefix: string) => void;
}

/** Dialog for the name of a folder, which it opens. A folder is a name prefix, so nothing is stored. */
function NewFolder({ folder, onClose, onOpen }: NewFolderProps) {
  const open = ({ name }: { name: string }) => {
    onClose();
    onOpen(folder + prefixOf(name));
  };
  const form = useForm({ first: { name: '' }, send: open });
  return (
    <FormDialog form={form} title="New folder" action="Open folder" isReady={prefixOf(form.values.name) !== ''} onClose={onClose}>
      <TextField label="Name" hint="Use slashes to create subfolders, such as 2026/invoices." {...form.field('name')} />
      <p className="muted small">The folder is listed once it has a file.</p>
    </FormDialog>
  );
}
