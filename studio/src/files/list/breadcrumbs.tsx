import { ChevronRightIcon } from '@radix-ui/react-icons';
import { Link } from 'wouter';
import { shownName } from '../model/file-record';
import { wayTo } from '../model/view';
import { FolderActions } from './folder-actions';
import styles from '../files.module.css';

interface BreadcrumbsProps {
  folder: string;
  hrefOf: (prefix: string) => string;
  onDeleted: () => void;
  onMoved: (prefix: string) => void;
}

/** Path to the open folder, and its actions. */
export function Breadcrumbs({ folder, hrefOf, onDeleted, onMoved }: BreadcrumbsProps) {
  const way = wayTo(folder);
  return (
    <nav aria-label="Folders" className={styles.breadcrumbs}>
      <ol className="row wrap">
        <li>{folder ? <Link href={hrefOf('')}>All files</Link> : <span aria-current="page">All files</span>}</li>
        {way.map(({ name, prefix }) => (
          <li key={prefix} className="row">
            <ChevronRightIcon aria-hidden className="muted" />
            {prefix === folder ? (
              <span aria-current="page" className={`${styles.isolated} break`}>
                {shownName(name)}
              </span>
            ) : (
              <Link href={hrefOf(prefix)} className={`${styles.isolated} break`}>
                {shownName(name)}
              </Link>
            )}
          </li>
        ))}
        {folder && (
          <li>
            <FolderActions key={folder} folder={folder} onDeleted={onDeleted} onMoved={onMoved} />
          </li>
        )}
      </ol>
    </nav>
  );
}
