import { useLocation } from 'wouter';
import { PageTabs } from '../../ui/page-tabs';

const TABS = [
  { path: '/', word: 'Templates' },
  { path: '/stylesheets', word: 'Stylesheets' },
] as const;

/** The two lists of the room. */
export function ListTabs() {
  const [location] = useLocation();
  return <PageTabs label="Lists" tabs={TABS} here={location.startsWith('/stylesheets') ? '/stylesheets' : '/'} />;
}
