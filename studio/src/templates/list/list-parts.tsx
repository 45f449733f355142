import { InheritedMark } from '../../ui/inherited';
import type { Column } from '../../ui/records';
import styles from '../templates.module.css';
import { PageTabs } from '../../ui/page-tabs';

/** Name of an object, and whether its parent tenant owns it. */
export const NAME: Column<{ name: string; isInherited: boolean }> = {
  word: 'Name',
  sortBy: ({ name }) => name,
  cell: ({ name, isInherited }) => (
    <>
      <span className={`truncate ${styles.templateName}`}>{name}</span>
      {isInherited && <InheritedMark />}
    </>
  ),
};

export const BY_NAME = { name: 'q', label: 'Name', textOf: ({ name }: { name: string }): string => name };

const TABS = [
  { path: '/', word: 'Templates' },
  { path: '/partials', word: 'Partials' },
  { path: '/stylesheets', word: 'Stylesheets' },
] as const;

/** The lists of the room. */
export const ListTabs = () => <PageTabs label="Lists" tabs={TABS} />;
