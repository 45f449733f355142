import { useMemo } from 'react';
import type { KnownParam } from '../../code/completion';
import type { Target } from '../../code/code-editor';
import { Code } from '../../code/lazy-code';
import type { Problem, ProblemPlace } from '../../model/problems';
import type { Draft, Saved } from '../../model/template';
import { TabRow } from '../../tab-row';
import { PartDetails } from './part-details';
import { DetailsForm } from './details-form';
import styles from '../../templates.module.css';

export type SourceTab = 'body' | 'css' | 'details';

/** Position to go to. A new object goes there again. */
export interface Going extends Target {
  place: ProblemPlace;
}

interface SourceProps {
  draft: Draft;
  base: Saved;
  onChange: (part: Partial<Draft>) => void;
  problems: readonly Problem[];
  params: readonly KnownParam[];
  tab: SourceTab;
  onTab: (tab: SourceTab) => void;
  going: Going | undefined;
  isReadOnly: boolean;
  onFocus: () => void;
}

const NONE: readonly Problem[] = [];

/** Texts of a template, with a tab for its details. */
export function SourcePane({ draft, base, onChange, problems, params, tab, onTab, going, isReadOnly, onFocus }: SourceProps) {
  const byPlace = useMemo(() => Map.groupBy(problems, ({ place }) => place), [problems]);
  const of = (place: ProblemPlace) => byPlace.get(place) ?? NONE;
  const targetOf = (place: ProblemPlace) => (going?.place === place ? going : undefined);
  const mark = (...places: ProblemPlace[]) => <Count problems={places.flatMap(of)} />;
  const isHtml = draft.contentType === 'html';
  const hasCss = isHtml && base.kind === 'template';
  const editing = { isReadOnly, params, onFocus };
  const body = (
    <Code
      {...editing}
      label="Body"
      language={isHtml ? 'html' : 'plain'}
      isTemplate
      value={draft.body}
      onChange={(text) => onChange({ body: text })}
      problems={of('body')}
      target={targetOf('body')}
    />
  );
  const css = (
    <Code
      {...editing}
      label="CSS of this template"
      language="css"
      value={draft.css}
      onChange={(text) => onChange({ css: text })}
      problems={of('css')}
      target={targetOf('css')}
    />
  );
  return (
    <div className={styles.sourcePane}>
      {base.type === 'email' && (
        <div className={styles.subjectLine}>
          <span className="label small" aria-hidden>
            Subject
          </span>
          <Code
            {...editing}
            label="Subject"
            language="plain"
            isTemplate
            isOneLine
            value={draft.subject}
            onChange={(text) => onChange({ subject: text })}
            problems={of('subject')}
            target={targetOf('subject')}
          />
        </div>
      )}
      <TabRow<SourceTab>
        label="Template"
        value={tab === 'css' && !hasCss ? 'body' : tab}
        onChange={onTab}
        aside={tab !== 'details' && <span className={`${styles.editingHint} muted small`}>Esc, then Tab to leave</span>}
        tabs={[
          { value: 'body', word: 'Body', mark: mark('body'), panel: body },
          ...(hasCss ? [{ value: 'css' as const, word: 'CSS', mark: mark('css'), panel: css }] : []),
          {
            value: 'details',
            word: 'Details',
            mark: mark('name', 'comment', 'parentCssId', 'layoutId', 'locale'),
            panel:
              base.kind === 'template' ? (
                <DetailsForm draft={draft} base={base} faults={problems} onChange={onChange} isReadOnly={isReadOnly} />
              ) : (
                <PartDetails draft={draft} base={base} />
              ),
          },
        ]}
      />
    </div>
  );
}

/** Number of errors and warnings of a part. Missing parameters do not count. */
function Count({ problems }: { problems: readonly Problem[] }) {
  const count = problems.filter(({ severity }) => severity !== 'info').length;
  if (count === 0) return null;
  const isBad = problems.some(({ severity }) => severity === 'error');
  return (
    <span className={isBad ? `${styles.tabCount} bad` : `${styles.tabCount} wait`}>
      {count}
      <span className="visually-hidden"> {isBad ? 'problems, with errors' : 'warnings'}</span>
    </span>
  );
}
