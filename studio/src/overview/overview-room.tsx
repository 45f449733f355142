import './overview.css';
import { useDescription } from '../api/api-context';
import { touches } from '../api/scope';
import { Empty } from '../ui/states';
import { PageHead } from '../ui/page';
import { Activity } from './activity';
import { FirstSteps } from './first-steps';
import { Health } from './health';
import { Usage } from './usage';

/** Shows the usage of the tenant, with everything that waits or failed. */
export function OverviewRoom() {
  const { scope, limits, tenant } = useDescription();
  if (limits.length === 0 && !touches(scope, 'document-log')) return <OfOperator />;
  const isNew = limits.every(({ used }) => used === 0);
  return (
    <div className="page">
      <PageHead title="Overview">
        <span className="count truncate">{tenant.name}</span>
        <Health />
      </PageHead>
      <div className="page-body stack overview">
        {isNew && <FirstSteps />}
        <Usage limits={limits} />
        <Activity />
      </div>
    </div>
  );
}

function OfOperator() {
  return (
    <div className="page">
      <PageHead title="Overview">
        <Health />
      </PageHead>
      <Empty title="This is a key of the operator">
        <p className="muted">It administers tenants and their keys, on the page Keys. It sees nothing of what tenants have.</p>
      </Empty>
    </div>
  );
}
