import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import styles from './templates.module.css';

export interface Tab<V extends string> {
  value: V;
  word: string;
  /** After the label, such as a number of problems. */
  mark?: ReactNode;
  panel: ReactNode;
}

interface TabRowProps<V extends string> {
  label: string;
  tabs: readonly Tab<V>[];
  value: V;
  onChange: (value: V) => void;
  /** At the right end of the row. */
  aside?: ReactNode;
}

/** Tabs with their panels. Only the chosen panel is mounted. */
export function TabRow<V extends string>({ label, tabs, value, onChange, aside }: TabRowProps<V>) {
  return (
    <Tabs.Root className={styles.tabRoot} value={value} onValueChange={(next) => onChange(next as V)}>
      <div className={styles.tabLine}>
        <Tabs.List className="tabs" aria-label={label}>
          {tabs.map((tab) => (
            <Tabs.Tab key={tab.value} className="tab" value={tab.value}>
              {tab.word}
              {tab.mark}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {aside}
      </div>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.value} className={styles.tabPanel} value={tab.value}>
          {tab.panel}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
