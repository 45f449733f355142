import { useDescription } from '../api/api-context';
import { touches } from '../api/scope';
import { Empty } from '../ui/states';
import { PageHead } from '../ui/page';
import { Activity } from './activity';
import { Attention } from './attention';
import { FirstSteps } from './first-steps';
import { Health } from './health';
import { Newest } from './newest';
import { OnlineNow } from './online-now';
import styles from './overview.module.css';
import { Usage } from './usage';

/** Problems, activity, newest objects and usage, updated automatically. */
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
      <div className={`page-body stack ${styles.overview}`}>
        {isNew ? <FirstSteps /> : <Attention />}
        <Activity />
        <div className={styles.columns}>
          <Newest />
          <div className={`stack ${styles.overview}`}>
            <OnlineNow />
            {limits.length > 0 && <Usage limits={limits} />}
          </div>
        </div>
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
      <Empty title="Operator key">
        <p className="muted">It manages tenants and keys, and can’t read their data.</p>
      </Empty>
    </div>
  );
}
