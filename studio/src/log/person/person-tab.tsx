import { formatDay, formatHour } from '../../ui/format';
import { type FormEvent, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { Button, Field } from '../../ui/controls';
import { CopyText } from '../../ui/copy';
import { ListPage } from '../../ui/list-page';
import type { Column } from '../../ui/records';
import { Empty, NoPermission } from '../../ui/states';
import { usePages } from '../../ui/use-pages';
import { useFilters } from '../../ui/use-search';
import { personPath, searchText } from '../data/filters';
import { authorName, type DamagedRecord, isDamaged, type ListedRecord } from '../data/log-record';
import { readListed } from '../data/read-logs';
import { Pick } from '../parts/pick';
import { CHANGE, DOCUMENT } from '../parts/record-columns';
import styles from '../log.module.css';

/** Records of one person, or a form to choose one. */
export function PersonTab() {
  const [{ id }] = useFilters();
  const refusal = useRefusal(['document-log', 'query', 'logs']);
  if (refusal) return <NoPermission what="view the log" refusal={refusal} />;
  return id ? <Deeds key={id} authorId={id} /> : <Choose />;
}

function Choose() {
  const [, navigate] = useLocation();
  const [id, setId] = useState('');
  const show = (event: FormEvent) => {
    event.preventDefault();
    navigate(personPath(id));
  };
  return (
    <div className="page-body">
      <div className={`stack ${styles.choose}`}>
        <p className="muted">Choose a person to see their activity by day.</p>
        <form className={styles.line} onSubmit={show}>
          <Field label="Person ID">
            {(ids) => <input {...ids} className="input" required value={id} onChange={({ target }) => setId(target.value)} />}
          </Field>
          <Button type="submit" look="primary">
            Show activity
          </Button>
        </form>
        <Pick
          title="Recent people"
          choiceOf={({ authorId, author }) =>
            authorId
              ? {
                  href: personPath(authorId),
                  word: author?.name ?? authorId,
                  about: [authorId, author?.profile].filter(Boolean).join(', '),
                }
              : undefined
          }
        />
      </div>
    </div>
  );
}

type Deed = (ListedRecord | DamagedRecord) & { day: string | undefined };

function Deeds({ authorId }: { authorId: string }) {
  const filter = useMemo(() => ({ authorId }), [authorId]);
  const list = usePages<ListedRecord | DamagedRecord>({
    queryKey: ['log', 'person', authorId],
    read: (api, nextToken, signal) => readListed(api, { filter, nextToken }, signal),
  });
  const { items } = list;
  const deeds = useMemo(() => withDays(items), [items]);
  const newest = items.find((record) => !isDamaged(record));
  return (
    <ListPage<Deed>
      tried="load the log"
      label="Activity by day"
      list={{ ...list, items: deeds }}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/${id}${searchText({ authorId })}`}
      openKey={undefined}
      columns={COLUMNS}
      filters={
        <div className={`filters ${styles.title}`}>
          <h2 className={`${styles.big} truncate`}>{(newest && !isDamaged(newest) && authorName(newest)) || authorId}</h2>
          <CopyText text={authorId} label="Copy person ID" />
          <span className="grow" />
          <Link className="button small" href={`/${searchText({ authorId })}`}>
            Filter or export
          </Link>
          <Link className="button small" href="/person">
            Change person
          </Link>
        </div>
      }
      empty={
        <Empty
          title="No activity for this person"
          action={
            <Link className="button" href="/person">
              Change person
            </Link>
          }
        >
          <p className="muted">IDs are case-sensitive. Erased records have no person.</p>
        </Empty>
      }
    />
  );
}

const COLUMNS: readonly Column<Deed>[] = [
  {
    word: 'Day',
    width: 104,
    cell: ({ day }) => (
      <span className={`truncate ${styles.day}`} title={day}>
        {day}
      </span>
    ),
  },
  {
    word: 'Time',
    width: 64,
    room: 'medium',
    line: 'when',
    cell: (deed) =>
      !isDamaged(deed) && (
        <span className="muted small">
          <span className="two-lines-only">{deed.day} </span>
          {formatHour(deed.dateTime!)}
        </span>
      ),
  },
  DOCUMENT,
  CHANGE,
];

/** Labels the first record of each day with the day. */
function withDays(items: readonly (ListedRecord | DamagedRecord)[]): Deed[] {
  let before = '';
  return items.map((record) => {
    const day = isDamaged(record) ? before : formatDay(record.dateTime!);
    const isFirst = day !== before;
    before = day;
    return { ...record, day: isFirst ? day : undefined };
  });
}
