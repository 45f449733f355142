import { Skeleton } from '../ui/states';
import styles from './shell.module.css';

/** Frame of a page before the key is described: the same as index.html has until the scripts have loaded. */
export function Opening() {
  return (
    <div className={styles.shell}>
      <div className={styles.rail} />
      <main className="page">
        <div className="page-head">
          <span className="skeleton width-3" />
        </div>
        <div className="page-body">
          <Skeleton lines={4} label="Opening Studio" />
        </div>
      </main>
    </div>
  );
}
