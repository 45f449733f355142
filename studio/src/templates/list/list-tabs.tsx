import { useLocation } from 'wouter';
import { PageTabs } from '../../ui/page-tabs';

const TABS = [
  { path: '/', word: 'Templates' },
  { path: '/partials', word: 'Partials' },
  { path: '/stylesheets', word: 'Stylesheets' },
] as const;

/** The lists of the room. */
export function ListTabs() {
  const [location] = useLocation();
  return <PageTabs label="Lists" tabs={TABS} here={`/${location.split('/')[1]}`} />;
}
