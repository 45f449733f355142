import { Route, Switch } from 'wouter';
import { PageTabs } from '../ui/page-tabs';
import { Compose } from './compose/compose';
import { useDrafts } from './compose/draft/drafts';
import { Drafts } from './compose/drafts';
import { Domains } from './domains/domains';
import { Outbox } from './outbox/outbox';
import { Senders } from './senders/senders';
import { Suppressions } from './suppressions/suppressions';

/** Email: outbox, new mails, sender addresses and domains, suppressions. */
export function EmailRoom() {
  return (
    <Switch>
      <Route path="/compose">
        <Compose />
      </Route>
      <Route path="/drafts">
        <Drafts tabs={<Tabs />} />
      </Route>
      <Route path="/senders/:address?">{({ address }) => <Senders tabs={<Tabs />} shown={address} />}</Route>
      <Route path="/domains/:domain?">{({ domain }) => <Domains tabs={<Tabs />} shown={domain} />}</Route>
      <Route path="/suppressions/:address?">{({ address }) => <Suppressions tabs={<Tabs />} shown={address} />}</Route>
      <Route path="/:id?">{({ id }) => <Outbox tabs={<Tabs />} id={id} />}</Route>
    </Switch>
  );
}

const TABS = [
  { path: '/', word: 'Outbox' },
  { path: '/drafts', word: 'Drafts' },
  { path: '/senders', word: 'Senders' },
  { path: '/domains', word: 'Domains' },
  { path: '/suppressions', word: 'Suppressions' },
] as const;

function Tabs() {
  const count = useDrafts().length;
  const tabs = TABS.map((tab) => ({ ...tab, count: tab.path === '/drafts' ? count : 0 }));
  return <PageTabs label="Email" tabs={tabs} />;
}
