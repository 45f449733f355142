import { useState } from 'react';
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
  locale: 'Language',
} as const;

/** Differences between two versions of a template, a tab for each part. */
export function Differences({ before, after, same }: { before: Draft; after: Draft; same: string }) {
  const [chosen, setChosen] = useState<Part>();
  const changed = changedFields(after, before);
  const details = changed.filter((field): field is keyof typeof DETAILS => field in DETAILS);
  const parts = (['body', 'subject', 'css'] as const).filter((part) => changed.includes(part));
  const shown: Part[] = details.length > 0 ? [...parts, 'details'] : parts;
  const value = chosen && shown.includes(chosen) ? chosen : shown[0];
  const panelOf = (part: Part) =>
    part === 'details' ? (
      <Facts of={details.map((field) => [DETAILS[field], `${wordOf(before[field])} → ${wordOf(after[field])}`])} />
    ) : (
      <Comparison
        before={before[part]}
        after={after[part]}
        language={part === 'css' ? 'css' : part === 'body' && after.contentType === 'html' ? 'html' : 'plain'}
      />
    );
  if (!value) return <p className="muted">{same}</p>;
  return (
    <TabRow<Part>
      label="Changes"
      value={value}
      onChange={setChosen}
      tabs={shown.map((part) => ({ value: part, word: WORDS[part], panel: panelOf(part) }))}
    />
  );
}

const wordOf = (value: string | boolean) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : value || 'none');
