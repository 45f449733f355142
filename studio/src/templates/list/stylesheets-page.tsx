import { PlusIcon } from '@radix-ui/react-icons';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useDescription, useRefusal } from '../../api/api-context';
import { useCommands } from '../../shell/commands';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { plural } from '../../ui/format';
import { FilterField, PageHead, Split } from '../../ui/page';
import { Records } from '../../ui/records';
import { useShortcut } from '../../ui/shortcuts';
import { Empty, ErrorNotice, NoPermission, Skeleton } from '../../ui/states';
import { Time } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { useStylesheets, useUsers } from '../reading';
import { ListTabs } from './list-tabs';
import { NewStylesheet } from './new-stylesheet';
import { StylesheetDetail } from './stylesheet-detail';

/** The list of shared stylesheets, and beside it the one that the address names. */
export function StylesheetsPage({ id }: { id?: string }) {
  const readRefusal = useRefusal(['document-rendering', 'query', 'css']);
  const createRefusal = useRefusal(['document-rendering', 'mutation', 'createCss']);
  const [, navigate] = useLocation();
  const [{ q = '' }, setFilters] = useFilters();
  const [isNew, setNew] = useState(false);
  const list = useStylesheets();
  const { data: users } = useUsers();
  const items = useMemo(() => list.items.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase())), [list.items, q]);
  const begin = createRefusal ? undefined : () => setNew(true);
  useShortcut('c', begin);
  useCommands(
    useMemo(
      () => (createRefusal ? [] : [{ id: 'new stylesheet', group: 'Create', word: 'New stylesheet', run: () => setNew(true) }]),
      [createRefusal],
    ),
  );
  if (readRefusal) return <NoPermission what="see stylesheets" refusal={readRefusal} />;
  const newButton = (
    <Button look="primary" onClick={begin} refusal={createRefusal}>
      <PlusIcon aria-hidden />
      New stylesheet
    </Button>
  );
  const chosen = list.items.find((one) => one.id === id);
  const close = () => navigate('/stylesheets');
  const records = list.error ? (
    <div className="page-body">
      <ErrorNotice error={list.error} tried="read the stylesheets" onRetry={list.readAgain} />
    </div>
  ) : (
    <Records
      label="Stylesheets"
      items={items}
      keyOf={(one) => one.id}
      hrefOf={(one) => `/stylesheets/${one.id}`}
      openKey={id}
      hasMore={list.hasMore}
      isLoading={list.isLoading}
      onMore={list.readMore}
      empty={q ? <NothingFound q={q} onClear={() => setFilters({ q: '' })} /> : <NoStylesheets action={newButton} />}
    >
      {({ id: one, name, updatedAt }) => (
        <>
          <span className="grow truncate template-name">{name}</span>
          <span className="muted small tpl-wide-only">
            {users && usedBy(users.byStylesheet.get(one)?.length ?? 0, users.isWhole)}
          </span>
          <span className="template-time muted number">
            <Time at={updatedAt} />
          </span>
        </>
      )}
    </Records>
  );
  const detail = chosen ? (
    <StylesheetDetail key={chosen.id} saved={chosen} users={users} onClose={close} />
  ) : (
    id && (
      <div className="page-body">
        {list.isLoading || list.hasMore ? (
          <Skeleton lines={6} label="Loading the stylesheet" />
        ) : (
          <Empty title="There is no such stylesheet" action={<Button onClick={close}>All stylesheets</Button>} />
        )}
      </div>
    )
  );
  return (
    <div className="page">
      <PageHead title="Stylesheets" count={list.isPending || list.hasMore ? undefined : items.length} actions={newButton}>
        <ListTabs />
      </PageHead>
      <div className="filters">
        <FilterField isMain label="Filter by name" value={q} onChange={(next) => setFilters({ q: next })} />
      </div>
      <Split list={records} detail={detail} />
      <NewStylesheet isOpen={isNew} onClose={() => setNew(false)} />
    </div>
  );
}

const usedBy = (count: number, isWhole: boolean) =>
  count === 0 ? (isWhole ? 'Not used' : '') : `Used by ${isWhole ? '' : 'at least '}${plural(count, 'template')}`;

function NothingFound({ q, onClear }: { q: string; onClear: () => void }) {
  return (
    <Empty title="Nothing matches" action={<Button onClick={onClear}>Clear the filter</Button>}>
      <p className="muted break">No stylesheet has “{q}” in its name.</p>
    </Empty>
  );
}

function NoStylesheets({ action }: { action: React.ReactNode }) {
  const { prefix } = useDescription();
  const code = `curl ${location.origin}/document-rendering/graphql \\
  -H 'x-api-key: ${prefix}…' -H 'content-type: application/json' \\
  -d '{"query": "mutation { createCss(input: {name: \\"house\\", text: \\"body { font-family: Arial }\\"}) { id } }"}'`;
  return (
    <Empty title="No stylesheets yet" action={action}>
      <p className="muted">A stylesheet is shared by templates: a change of it shows in all of them at once.</p>
      <Snippet label="creating a stylesheet" code={code} />
    </Empty>
  );
}
