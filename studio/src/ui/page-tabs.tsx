import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';

export interface PageTab {
  path: string;
  word: string;
  /** Number of items, if it matters. */
  count?: number | undefined;
}

/** Tabs of a page, each with a URL. The first is current where no other is. */
export function PageTabs({ label, tabs }: { label: string; tabs: readonly PageTab[] }): ReactNode {
  const [location] = useLocation();
  const here = (tabs.find(({ path }) => path !== '/' && `${location}/`.startsWith(`${path}/`)) ?? tabs[0])?.path;
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
