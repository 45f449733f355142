import { useState } from 'react';
import { Modal } from '../../../ui/controls';
import { Facts } from '../../../ui/page';
import { Comparison } from '../../code/lazy-code';
import { changedFields, type Draft } from '../../model/template';
import { TabRow } from '../../tab-row';

type Part = 'body' | 'subject' | 'css' | 'details';
const WORDS: Readonly<Record<Part, string>> = { body: 'Body', subject: 'Subject', css: 'CSS', details: 'Details' };
const DETAILS = {
  name: 'Name',
  comment: 'Comment',
  parentCssId: 'Stylesheet',
  layoutId: 'Layout',
  isActive: 'Active',
  contentType: 'Content',
} as const;

/** Differences between the draft and a saved version. */
export function CompareDialog({
  saved,
  draft,
  isOpen,
  onClose,
}: {
  saved: Draft;
  draft: Draft;
  isOpen: boolean;
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState<Part>();
  const changed = changedFields(draft, saved);
  const details = changed.filter((field): field is keyof typeof DETAILS => field in DETAILS);
  const parts = (['body', 'subject', 'css'] as const).filter((part) => changed.includes(part));
  const shown: Part[] = details.length > 0 ? [...parts, 'details'] : parts;
  const value = chosen && shown.includes(chosen) ? chosen : shown[0];
  const panelOf = (part: Part) =>
    part === 'details' ? (
      <Facts of={details.map((field) => [DETAILS[field], `${wordOf(saved[field])} → ${wordOf(draft[field])}`])} />
    ) : (
      <Comparison
        before={saved[part]}
        after={draft[part]}
        language={part === 'css' ? 'css' : part === 'body' && draft.contentType === 'html' ? 'html' : 'plain'}
      />
    );
  return (
    <Modal title="Saved and unsaved" form="wide" isOpen={isOpen} onClose={onClose}>
      {value ? (
        <>
          <p className="muted small">At the left as it is saved, at the right as it is written here.</p>
          <TabRow<Part>
            label="Changed parts"
            value={value}
            onChange={setChosen}
            tabs={shown.map((part) => ({ value: part, word: WORDS[part], panel: panelOf(part) }))}
          />
        </>
      ) : (
        <p className="muted">Nothing differs from the saved template.</p>
      )}
    </Modal>
  );
}

const wordOf = (value: string | boolean) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : value || 'none');
