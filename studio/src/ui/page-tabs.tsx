import type { ReactNode } from 'react';
import { Link } from 'wouter';

export interface PageTab {
  path: string;
  word: string;
  /** Number of items, if it matters. */
  count?: number | undefined;
}

/** Tabs of a page, each with a URL. */
export function PageTabs({ label, tabs, here }: { label: string; tabs: readonly PageTab[]; here: string }): ReactNode {
  return (
    <nav className="page-tabs" aria-label={label}>
      {tabs.map(({ path, word, count = 0 }) => (
        <Link
          key={path}
          href={path}
          className="tab"
          {...(path === here && { 'data-active': true, 'aria-current': 'page' as const })}
        >
          {word}
          {count > 0 && <span className="tab-count">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
