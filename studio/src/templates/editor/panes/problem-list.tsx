import { CheckCircledIcon, CrossCircledIcon, ExclamationTriangleIcon, InfoCircledIcon } from '@radix-ui/react-icons';
import { memo } from 'react';
import { plural } from '../../../ui/format';
import type { Problem, ProblemPlace } from '../../model/problems';
import styles from '../../templates.module.css';

const ICONS = { error: CrossCircledIcon, warning: ExclamationTriangleIcon, info: InfoCircledIcon };
const WORDS = { error: 'Error', warning: 'Warning', info: 'Missing' };
const PLACES: Readonly<Record<ProblemPlace, string>> = {
  name: 'Name',
  subject: 'Subject',
  body: 'Body',
  css: 'CSS',
  params: 'Sample data',
  comment: 'Comment',
  parentCssId: 'Stylesheet',
  layoutId: 'Layout',
  locale: 'Language',
  draft: 'Template',
};

/** Problems of a template and its sample data. Each goes to its position. */
export const ProblemList = memo(function ProblemList({
  problems,
  count,
  isCurrent,
  isUnchecked,
  onGo,
}: {
  problems: readonly Problem[];
  /** Number of problems, including hidden ones. */
  count: number;
  isCurrent: boolean;
  /** Whether rendering failed for a reason outside the template. */
  isUnchecked: boolean;
  onGo: (problem: Problem) => void;
}) {
  if (problems.length === 0) {
    return (
      <p className={`${styles.problemsNone} small muted`} role="status">
        {isUnchecked ? (
          'Not checked'
        ) : isCurrent ? (
          <>
            <CheckCircledIcon aria-hidden /> No problems
          </>
        ) : (
          'Checking…'
        )}
      </p>
    );
  }
  return (
    <section className={styles.problems} aria-label={plural(count, 'problem')}>
      <ul>
        {problems.map((problem, at) => (
          <li key={`${at} ${problem.reason}`}>
            <ProblemLine problem={problem} onGo={onGo} />
          </li>
        ))}
        {count > problems.length && (
          <li className={`small muted ${styles.problemsNone}`}>
            The first {problems.length} of {plural(count, 'problem')}
          </li>
        )}
      </ul>
    </section>
  );
});

function ProblemLine({ problem, onGo }: { problem: Problem; onGo: (problem: Problem) => void }) {
  const { severity, place, line, column, reason } = problem;
  const Icon = ICONS[severity];
  return (
    <button type="button" className={`${styles.problem} ${severity}`} onClick={() => onGo(problem)}>
      <Icon aria-hidden />
      <span className="visually-hidden">{WORDS[severity]}: </span>
      <span className="grow break">{reason}</span>
      <span className={`muted ${styles.problemPlace}`}>
        {PLACES[place]}
        {line !== undefined && place !== 'subject' && ` ${line}:${column ?? 1}`}
      </span>
    </button>
  );
}
