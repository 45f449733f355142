import { TrashIcon } from '@radix-ui/react-icons';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Button, Confirm, IconButton } from '../../ui/controls';
import { formatBytes, plural } from '../../ui/format';
import { Detail, Facts } from '../../ui/page';
import { ErrorNotice } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { Code } from '../code/lazy-code';
import { useSaveKey } from '../editor/work/use-saving';
import { LeaveGuard } from '../leave-guard';
import { problemOf } from '../model/problems';
import type { Stylesheet } from '../model/template';
import type { Users } from '../reading';
import { UsedBy } from './used-by';

/** A stylesheet: its rules, and which templates use it. */
export function StylesheetDetail({
  saved,
  users,
  onClose,
}: {
  saved: Stylesheet;
  users: Users | undefined;
  onClose: () => void;
}) {
  const editing = useStylesheetEditing(saved, onClose);
  const { text, base, isDirty, saveRefusal, save } = editing;
  const [isAsking, setAsking] = useState(false);
  const using = users?.byStylesheet.get(saved.id) ?? [];
  const inUse = using.length > 0 ? `Used by ${plural(using.length, 'template')}` : undefined;
  return (
    <Detail
      of={{ id: saved.id, json: base }}
      title={saved.name}
      onClose={onClose}
      actions={
        <>
          {isDirty && <Status kind="wait" word="Unsaved" />}
          <Button
            size="small"
            look="primary"
            onClick={() => void save()}
            disabled={editing.isBusy}
            refusal={saveRefusal ?? (isDirty ? undefined : 'No unsaved changes')}
          >
            Save
          </Button>
          <IconButton label="Delete" look="danger" refusal={editing.deleteRefusal ?? inUse} onClick={() => setAsking(true)}>
            <TrashIcon />
          </IconButton>
        </>
      }
    >
      {editing.error !== undefined && <ErrorNotice error={editing.error} tried="save the stylesheet" />}
      {editing.isNewer && (
        <div className="notice wait" role="status">
          <span className="grow">
            Someone else saved this stylesheet <Time at={saved.updatedAt} />. Saving overwrites their version.
          </span>
          <Button size="small" onClick={editing.discard}>
            Discard my changes
          </Button>
        </div>
      )}
      <div className="stylesheet-code">
        <Code
          label="Rules"
          language="css"
          value={text}
          onChange={editing.setText}
          problems={editing.fault}
          isReadOnly={saveRefusal !== undefined}
        />
      </div>
      <UsedBy using={users && { items: using, isWhole: users.isWhole }} />
      <Facts
        of={[
          ['Size', formatBytes(new Blob([base.text]).size)],
          ['Saved', <Time key="saved" at={base.updatedAt} />],
          ['Created', <Time key="created" at={saved.createdAt} />],
        ]}
      />
      <Confirm
        title={`Delete ${saved.name}?`}
        action="Delete"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={editing.remove}
      >
        <p>This can’t be undone.</p>
      </Confirm>
      <LeaveGuard
        name={saved.name}
        isDirty={isDirty}
        href={`/templates/stylesheets/${saved.id}`}
        isKept={false}
        onDiscard={editing.discard}
      />
    </Detail>
  );
}

/** The rules of a stylesheet as they are written, and what can be done with them. */
function useStylesheetEditing(saved: Stylesheet, onClose: () => void) {
  const api = useApi();
  const queries = useQueryClient();
  const saveRefusal = useRefusal(['document-rendering', 'mutation', 'updateCss']);
  const deleteRefusal = useRefusal(['document-rendering', 'mutation', 'deleteCss']);
  const [text, setText] = useState(saved.text);
  const [base, setBase] = useState(saved);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const isDirty = text !== base.text;
  const isNewer = saved.updatedAt > base.updatedAt && saved.text !== base.text;
  if (isNewer && !isDirty) {
    setBase(saved);
    setText(saved.text);
  }
  const save = async () => {
    if (!isDirty || isBusy || saveRefusal) return;
    setBusy(true);
    setError(undefined);
    try {
      const { updatedAt } = await api.rendering.updateCss({ id: saved.id, input: { text } }, { updatedAt: true });
      setBase({ ...saved, text, updatedAt: updatedAt ?? saved.updatedAt });
      await queries.invalidateQueries({ queryKey: ['rendering'] });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  useSaveKey(() => void save());
  const fault = useMemo(() => {
    const problem = problemOf(error);
    return problem ? [{ ...problem, place: 'css' as const, line: problem.line ?? 1, column: problem.column ?? 1 }] : [];
  }, [error]);
  const remove = async () => {
    try {
      await api.rendering.deleteCss({ id: saved.id }, { id: true });
    } catch (failure) {
      setError(failure);
      return;
    }
    setText(base.text);
    onClose();
    await queries.invalidateQueries({ queryKey: ['rendering', 'css'] });
  };
  const discard = () => {
    setBase(saved);
    setText(saved.text);
  };
  return {
    text,
    setText,
    base,
    isDirty,
    isBusy,
    isNewer: isNewer && isDirty,
    error,
    fault,
    save,
    remove,
    discard,
    saveRefusal,
    deleteRefusal,
  };
}
