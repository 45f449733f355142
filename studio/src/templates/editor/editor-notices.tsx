import { ClockIcon, CrossCircledIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { Button } from '../../ui/controls';
import { InheritedNotice } from '../../ui/inherited';
import { ErrorNotice } from '../../ui/states';
import { Time } from '../../ui/status';
import { KINDS } from '../model/kinds';
import type { Problem } from '../model/problems';
import type { EditingState } from './work/use-editing';
import type { SavingState } from './work/use-saving';
import styles from '../templates.module.css';

/** Notices for a writer: a refused save, a newer version, a restored draft. */
export function EditorNotices({
  editing: { newer, isRestored, isDirty, base },
  saving,
  onGo,
  onCompare,
  onDiscard,
}: {
  editing: EditingState;
  saving: SavingState;
  onGo?: (problem: Problem) => void;
  onCompare?: () => void;
  onDiscard: () => void;
}) {
  const [isSeen, setSeen] = useState(false);
  const { error, fault } = saving;
  const { word } = KINDS[base.kind];
  if (base.isInherited) {
    return (
      <div className={styles.editorNotices}>
        <InheritedNotice word={base.original ? KINDS.template.word : word} name={base.name} />
      </div>
    );
  }
  if (error !== undefined) {
    return (
      <div className={styles.editorNotices}>
        {fault && onGo && fault.place !== 'draft' ? (
          <div className="notice bad" role="alert">
            <CrossCircledIcon aria-hidden />
            <span className="grow break">
              <strong>Not saved: 1 error.</strong> {fault.reason}
            </span>
            <Button size="small" onClick={() => onGo(fault)}>
              Go to error
            </Button>
          </div>
        ) : (
          <ErrorNotice error={error} tried={`save the ${word}`} />
        )}
      </div>
    );
  }
  if (newer) {
    return (
      <div className={styles.editorNotices}>
        <div className="notice wait" role="status">
          <ClockIcon aria-hidden />
          <span className="grow">
            Someone else saved this {word} <Time at={newer.updatedAt} />.
          </span>
          {onCompare && (
            <Button size="small" onClick={onCompare}>
              Compare
            </Button>
          )}
          <Button size="small" onClick={onDiscard}>
            Discard my changes
          </Button>
        </div>
      </div>
    );
  }
  if (!isRestored || !isDirty || isSeen) return null;
  return (
    <div className={styles.editorNotices}>
      <div className="notice" role="status">
        <ClockIcon aria-hidden />
        <span className="grow">
          We restored your unsaved draft. Last saved <Time at={base.updatedAt} />.
        </span>
        <Button size="small" onClick={onDiscard}>
          Discard draft
        </Button>
        <Button size="small" onClick={() => setSeen(true)}>
          Keep draft
        </Button>
      </div>
    </div>
  );
}
