import { type ReactNode, useMemo } from 'react';
import { useLocation } from 'wouter';
import { useDescription, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { FilterBar } from '../../ui/filter-bar';
import { plural } from '../../ui/format';
import { ListPage, useCreate } from '../../ui/list-page';
import { PageHead } from '../../ui/page';
import type { Column } from '../../ui/records';
import { Empty, Skeleton } from '../../ui/states';
import { Time } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import type { Saved } from '../model/template';
import { type Users, useUsers } from '../reading';
import { useStylesheets } from '../reading-parts';
import { ListTabs } from './list-tabs';
import { NewPart } from './new-part';
import { StylesheetDetail } from './stylesheet-detail';
import { sampleOf } from '../../ui/sample';
import styles from '../templates.module.css';

/** List of shared stylesheets, with the one of the URL. */
export function StylesheetsPage({ id }: { id?: string }) {
  const refusal = useRefusal(['document-rendering', 'query', 'css']);
  const cannotCreate = useRefusal(['document-rendering', 'mutation', 'createCss']);
  const create = useCreate({ id: 'new stylesheet', word: 'New stylesheet', refusal: cannotCreate });
  const [, navigate] = useLocation();
  const [{ q = '' }, change] = useFilters();
  const list = useStylesheets();
  const { data: users } = useUsers();
  const items = useMemo(() => list.items.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase())), [list.items, q]);
  const columns = useMemo(() => columnsOf(users), [users]);
  const shown = { ...list, items };
  const chosen = list.items.find((one) => one.id === id);
  const close = () => navigate('/stylesheets');
  const detail = chosen ? (
    <StylesheetDetail key={chosen.id} saved={chosen} users={users} onClose={close} />
  ) : (
    id && (
      <div className="page-body">
        {list.isLoading || list.hasMore ? (
          <Skeleton lines={6} label="Loading stylesheet" />
        ) : (
          <Empty title="Stylesheet not found" action={<Button onClick={close}>Show all stylesheets</Button>} />
        )}
      </div>
    )
  );
  return (
    <>
      <ListPage
        head={
          <PageHead title="Stylesheets" actions={create.button}>
            <ListTabs />
          </PageHead>
        }
        refusal={refusal}
        tried="list stylesheets"
        label="Stylesheets"
        list={shown}
        keyOf={(one) => one.id}
        hrefOf={(one) => `/stylesheets/${one.id}`}
        openKey={id}
        columns={columns}
        filters={<FilterBar search={{ name: 'q', label: 'Name' }} list={shown} counted={['stylesheet', 'stylesheets']} />}
        empty={
          q ? (
            <Empty title="No stylesheets match" action={<Button onClick={() => change({ q: '' })}>Clear filters</Button>} />
          ) : (
            <NoStylesheets action={create.button} />
          )
        }
        detail={detail}
      />
      {create.isOpen && <NewPart word="stylesheet" onClose={create.close} />}
    </>
  );
}

const columnsOf = (users: Users | undefined): readonly Column<Saved>[] => [
  {
    word: 'Name',
    sortBy: ({ name }) => name,
    cell: ({ name }) => <span className={`truncate ${styles.templateName}`}>{name}</span>,
  },
  {
    word: 'Used by',
    width: 160,
    room: 'medium',
    sortBy: ({ id }) => users?.byStylesheet.get(id)?.length ?? 0,
    cell: ({ id }) => (
      <span className="muted truncate">{users && usedBy(users.byStylesheet.get(id)?.length ?? 0, users.isWhole)}</span>
    ),
  },
  {
    word: 'Modified',
    width: 96,
    isNumber: true,
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];

const usedBy = (count: number, isWhole: boolean) =>
  count === 0 ? (isWhole ? 'Not used' : '') : `${isWhole ? '' : 'At least '}${plural(count, 'template')}`;

function NoStylesheets({ action }: { action: ReactNode }) {
  const { prefix } = useDescription();
  const code = sampleOf(
    prefix,
    'document-rendering',
    'mutation { createCss(input: {name: "house", text: "body { font-family: Arial }"}) { id } }',
  );
  return (
    <Empty title="No stylesheets yet" action={action}>
      <p className="muted">A stylesheet is shared by templates. Changes apply to all of them.</p>
      <Snippet label="request to create a stylesheet" code={code} />
    </Empty>
  );
}
