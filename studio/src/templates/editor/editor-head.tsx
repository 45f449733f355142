import { ChevronLeftIcon, DotsHorizontalIcon, PaperPlaneIcon } from '@radix-ui/react-icons';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { ActionMenu, Button, type MenuEntry } from '../../ui/controls';
import { useDetailEntries } from '../../ui/detail-menu';
import { InheritedMark } from '../../ui/inherited';
import { Status } from '../../ui/status';
import { KINDS } from '../model/kinds';
import { type Saved, TYPE_WORDS } from '../model/template';
import styles from '../templates.module.css';

interface HeadProps {
  base: Saved;
  name: string;
  isDirty: boolean;
  isBusy: boolean;
  saveRefusal: string | undefined;
  sendRefusal: string | undefined;
  onSave: () => void;
  onSend: () => void;
  entries: (MenuEntry | false)[];
}

/** Name, state and actions of a template. */
export function EditorHead({ base, name, isDirty, isBusy, saveRefusal, sendRefusal, onSave, onSend, entries }: HeadProps) {
  const { home, list } = KINDS[base.kind];
  const common = useDetailEntries({
    id: base.id,
    json: base,
    request: {
      service: 'rendering',
      operation: base.kind === 'partial' ? 'partials' : 'templates',
      variables: { filter: { ids: [base.id] } },
    },
  });
  useEffect(() => {
    document.title = `${isDirty ? '• ' : ''}${name} · ${list} · Studio`;
  }, [name, list, isDirty]);
  return (
    <header className={`page-head ${styles.editorHead}`}>
      <Link href={home} className="button plain icon" aria-label={`All ${list.toLowerCase()}`}>
        <ChevronLeftIcon aria-hidden />
      </Link>
      <h1 className="truncate" title={name}>
        {name || 'Untitled'}
      </h1>
      <span className={`status none ${styles.typeWord}`}>{base.kind === 'partial' ? 'Partial' : TYPE_WORDS[base.type]}</span>
      {base.isInherited && <InheritedMark />}
      {isDirty && <Status kind="wait" word="Unsaved" />}
      <div className="actions">
        {base.type === 'email' && (
          <Button onClick={onSend} refusal={sendRefusal} className={styles.sendTest} aria-label="Send test email">
            <PaperPlaneIcon aria-hidden />
            <span className={styles.word}>Send test email</span>
          </Button>
        )}
        {!base.isInherited && (
          <Button
            look="primary"
            onClick={onSave}
            disabled={isBusy}
            refusal={saveRefusal ?? (isDirty ? undefined : 'No unsaved changes')}
            aria-keyshortcuts="Control+S"
          >
            {isBusy ? 'Saving' : 'Save'}
          </Button>
        )}
        <ActionMenu
          trigger={
            <Button className="icon" aria-label="More actions">
              <DotsHorizontalIcon />
            </Button>
          }
          entries={
            base.isInherited
              ? [...entries, ...common.entries]
              : [...entries.slice(0, -1), ...common.entries, ...entries.slice(-1)]
          }
        />
        {common.dialog}
      </div>
    </header>
  );
}
