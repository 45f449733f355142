import { TrashIcon } from '@radix-ui/react-icons';
import { useMemo, useState } from 'react';
import { Button, IconButton } from '../../ui/controls';
import { formatBytes, plural } from '../../ui/format';
import { InheritedMark } from '../../ui/inherited';
import { Detail, Facts } from '../../ui/page';
import { Status, Time } from '../../ui/status';
import { Code } from '../code/lazy-code';
import { ConflictDialog } from '../editor/dialogs/conflict-dialog';
import { DeleteDialog } from '../editor/editor-dialogs';
import { EditorNotices } from '../editor/editor-notices';
import { forgetDraft, useEditing } from '../editor/work/use-editing';
import { useSaveKey, useSaving } from '../editor/work/use-saving';
import { LeaveGuard } from '../leave-guard';
import { KINDS } from '../model/kinds';
import type { Saved } from '../model/template';
import type { Users } from '../reading';
import { UsedBy } from './used-by';
import styles from '../templates.module.css';

/** A stylesheet: its rules, and which templates use it. */
export function StylesheetDetail({ saved, users, onClose }: { saved: Saved; users: Users | undefined; onClose: () => void }) {
  const editing = useEditing(saved);
  const { draft, base, isDirty, change, adopt } = editing;
  const saving = useSaving(editing);
  const { conflict, dismissConflict, fault, save } = saving;
  const problems = useMemo(
    () => (fault ? [{ ...fault, place: 'css' as const, line: fault.line ?? 1, column: fault.column ?? 1 }] : []),
    [fault],
  );
  const [isAsking, setAsking] = useState(false);
  useSaveKey(() => void save());
  const using = users?.byStylesheet.get(saved.id) ?? [];
  const inUse = using.length > 0 ? `Used by ${plural(using.length, 'template')}` : undefined;
  const take = (version: Saved) => {
    forgetDraft(saved.href);
    adopt(version);
    saving.clearError();
    dismissConflict();
  };
  return (
    <Detail
      of={{
        id: saved.id,
        request: { service: 'rendering', operation: 'css', variables: { filter: { ids: [saved.id] } } },
        json: { id: saved.id, name: saved.name, text: base.body, createdAt: saved.createdAt, updatedAt: base.updatedAt },
      }}
      title={saved.name}
      onClose={onClose}
      actions={
        <>
          {isDirty && <Status kind="wait" word="Unsaved" />}
          {saved.isInherited ? (
            <InheritedMark />
          ) : (
            <>
              <Button
                size="small"
                look="primary"
                onClick={() => void save()}
                disabled={saving.isBusy}
                refusal={saving.refusal ?? (isDirty ? undefined : 'No unsaved changes')}
              >
                Save
              </Button>
              <IconButton
                label="Delete"
                look="danger"
                right={KINDS.stylesheet.deleteRight}
                refusal={inUse}
                onClick={() => setAsking(true)}
              >
                <TrashIcon />
              </IconButton>
            </>
          )}
        </>
      }
    >
      <EditorNotices editing={editing} saving={saving} onDiscard={() => take(saved)} />
      <div className={styles.stylesheetCode}>
        <Code
          label="Rules"
          language="css"
          value={draft.body}
          onChange={(body) => change({ body })}
          problems={problems}
          isReadOnly={saving.refusal !== undefined}
        />
      </div>
      <UsedBy using={users && { items: using, isWhole: users.isWhole }} />
      <Facts
        of={[
          ['Size', formatBytes(new Blob([base.body]).size)],
          ['Saved', <Time key="saved" at={base.updatedAt} />],
          ['Created', <Time key="created" at={saved.createdAt} />],
        ]}
      />
      <ConflictDialog
        word="stylesheet"
        newer={conflict}
        onClose={dismissConflict}
        onOverwrite={() => void save(conflict)}
        onTake={() => conflict && take(conflict)}
      />
      <DeleteDialog of={base} isOpen={isAsking} onClose={() => setAsking(false)} onDeleted={() => adopt(base)} />
      <LeaveGuard name={saved.name} isDirty={isDirty} href={`/templates${saved.href}`} isKept onDiscard={() => take(saved)} />
    </Detail>
  );
}
