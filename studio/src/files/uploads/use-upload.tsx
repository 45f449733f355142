import { type ReactNode, useCallback, useState } from 'react';
import type { CreateFileInput } from '../../../../clients/js/src/generated/files';
import { useApi, useRefusal } from '../../api/api-context';
import type { Api } from '../../api/client';
import { Button, Modal } from '../../ui/controls';
import { plural } from '../../ui/format';
import { toasts } from '../../ui/toasts';
import { baseName } from '../model/file-record';
import { mayChange, mayQuery } from '../model/queries';
import type { Picked } from './picked';
import { uploads, type Wanted } from './upload-store';

/** Number of names looked up concurrently, and in total; the rest of a larger folder is uploaded without asking. */
const AT_ONCE = 6;
const MOST_LOOKED_UP = 120;
const SHOWN = 5;

interface Twins {
  all: readonly Wanted[];
  /** Stored file of each taken name. */
  taken: ReadonlyMap<string, NonNullable<Wanted['replaces']>>;
}

/** Returns a function that starts uploads to a folder, and the dialog about taken names. */
export function useUpload(): [
  upload: (picked: readonly Picked[], folder: string, more?: CreateFileInput) => void,
  question: ReactNode,
] {
  const { files } = useApi();
  const [twins, setTwins] = useState<Twins>();
  const cannotLook = useRefusal(mayQuery('files')) !== undefined;
  const cannotReplace = useRefusal(mayQuery('file'), mayChange('createFile'));
  const begin = useCallback(
    async (all: readonly Wanted[]) => {
      const taken = cannotLook ? new Map() : await takenNames(files, all);
      if (taken.size > 0) setTwins({ all, taken });
      else uploads.add(all, files);
    },
    [files, cannotLook],
  );
  const upload = useCallback(
    (picked: readonly Picked[], folder: string, more: CreateFileInput = {}) =>
      void begin(picked.map(({ file, path }) => ({ source: file, input: { ...more, name: folder + path } }))).catch(
        (error: Error) => toasts.add({ title: `Couldn’t start the upload: ${error.message}` }),
      ),
    [begin],
  );
  const answer = (wanted: readonly Wanted[]) => {
    uploads.add(wanted, files);
    setTwins(undefined);
  };
  return [upload, twins && <Question {...twins} cannotReplace={cannotReplace} onAnswer={answer} />];
}

interface QuestionProps extends Twins {
  cannotReplace: string | undefined;
  onAnswer: (wanted: readonly Wanted[]) => void;
}

/** Dialog for files with taken names. */
function Question({ all, taken, cannotReplace, onAnswer }: QuestionProps) {
  const names = [...taken.keys()].map(baseName);
  const others = all.filter(({ input }) => !taken.has(input.name));
  const one = names.length === 1;
  return (
    <Modal title={one ? `${names[0]} already exists` : `${names.length} files already exist`} isOpen onClose={() => onAnswer([])}>
      <p className="muted break">
        {!one && `${names.slice(0, SHOWN).join(', ')}${names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ''}. `}
        Replace {one ? 'it' : 'them'}, or keep both under the same name?
        {others.length > 0 && ` ${plural(others.length, 'other file')} will be uploaded too, unless you cancel.`}
      </p>
      <div className="actions">
        <Button onClick={() => onAnswer([])}>Cancel</Button>
        {others.length > 0 && <Button onClick={() => onAnswer(others)}>Skip {one ? 'it' : 'them'}</Button>}
        <Button onClick={() => onAnswer(all)}>Keep both</Button>
        <Button
          look="primary"
          refusal={cannotReplace}
          onClick={() => onAnswer(all.map((wanted) => ({ ...wanted, replaces: taken.get(wanted.input.name) })))}
        >
          Replace
        </Button>
      </div>
    </Modal>
  );
}

/** Looks up which names are taken by unexpired files. */
async function takenNames(files: Api['files'], all: readonly Wanted[]): Promise<Twins['taken']> {
  const names = [...new Set(all.map(({ input }) => input.name))].slice(0, MOST_LOOKED_UP);
  const taken = new Map<string, NonNullable<Wanted['replaces']>>();
  const look = async (name: string) => {
    const { items } = await files.files(
      { filter: { namePrefix: name }, limit: 50 },
      { items: { id: true, name: true, etag: true, status: true } },
    );
    const twin = items.find((item) => item.name === name && item.status !== 'expired');
    if (twin) taken.set(name, { id: twin.id!, etag: twin.etag });
  };
  for (let at = 0; at < names.length; at += AT_ONCE) await Promise.all(names.slice(at, at + AT_ONCE).map(look));
  return taken;
}
