import { useMemo } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { type Command, useCommands } from '../shell/commands';
import { PageTabs } from '../ui/page-tabs';
import { AuditTab } from './audit/audit-tab';
import { SessionsTab } from './sessions/sessions-tab';
import { TenantsTab } from './tenants-tab';

const TABS = [
  { path: '/', word: 'Tenants' },
  { path: '/sessions', word: 'Sessions' },
  { path: '/audit', word: 'Audit log' },
] as const;

/** Tenants with their keys, and the admin log, for a key of the operator. */
export function TenantsRoom() {
  const [, navigate] = useLocation();
  const commands = useMemo<Command[]>(
    () => [{ id: 'audit', group: 'Show', word: 'Audit log', run: () => navigate('/audit') }],
    [navigate],
  );
  useCommands(commands);
  return (
    <Switch>
      <Route path="/audit/:id?">{({ id }) => <AuditTab tabs={<Tabs />} openId={id} />}</Route>
      <Route path="/sessions">
        <SessionsTab tabs={<Tabs />} />
      </Route>
      <Route path="/:id?">{({ id }) => <TenantsTab tabs={<Tabs />} shown={id} />}</Route>
    </Switch>
  );
}

const Tabs = () => <PageTabs label="Tenants" tabs={TABS} />;
