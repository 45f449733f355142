import { BarChartIcon } from '@radix-ui/react-icons';
import { Link } from 'wouter';
import { useDescription } from '../../api/api-context';
import { formatBytes, plural } from '../../ui/format';
import styles from '../files.module.css';

/** Stored bytes, with a link to their history. */
export function StorageLink({ href, files, used }: { href: string; files: number; used: number }) {
  const limit = useDescription().limits.find(({ name }) => name === 'storedBytes')?.limit ?? null;
  const isNear = limit !== null && used >= limit * 0.9;
  return (
    <Link href={href} className={`${styles.storageLink} small`} title="Show storage">
      <BarChartIcon aria-hidden />
      <span>
        <span className={styles.filesCount}>{`${plural(files, 'file')}, `}</span>
        {formatBytes(used)}
        {limit !== null && ` of ${formatBytes(limit)}`}
        {isNear && ', nearly full'}
      </span>
    </Link>
  );
}
