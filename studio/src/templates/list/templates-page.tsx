import { type ReactNode, useMemo, useState } from 'react';
import { useDescription, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { type Filter, FilterBar } from '../../ui/filter-bar';
import { formatCount } from '../../ui/format';
import { ListPage, useCreate } from '../../ui/list-page';
import { PageHead } from '../../ui/page';
import type { Column } from '../../ui/records';
import { Empty } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { CONTENT_WORDS, type TemplateRow, TYPE_WORDS } from '../model/template';
import type { TemplatesOrder } from '../../../../clients/js/src/generated/rendering';
import { useTemplateNamed, useTemplates } from '../reading';
import { ListTabs } from './list-tabs';
import { NewTemplate } from './new-template';
import { sampleOf } from '../../ui/sample';
import styles from '../templates.module.css';

/** Number of templates searched by a part of their name without asking. */
const LOOKED_THROUGH = 2_000;
const FILTERS: readonly Filter[] = [
  { kind: 'choice', name: 'type', word: 'Type', values: Object.entries(TYPE_WORDS) },
  {
    kind: 'choice',
    name: 'active',
    word: 'Status',
    values: [
      ['yes', 'Active'],
      ['no', 'Inactive'],
    ],
  },
];
const COLUMNS: readonly Column<TemplateRow>[] = [
  {
    word: 'Name',
    line: 'who',
    sortBy: ({ name }) => name,
    served: 'up',
    cell: ({ name, isActive }) => (
      <>
        <span className={`truncate ${styles.templateName}`}>{name}</span>
        {!isActive && <Status kind="none" word="Inactive" />}
      </>
    ),
  },
  {
    word: 'Subject',
    width: 280,
    room: 'wide',
    line: 'what',
    sortBy: ({ subject }) => subject,
    cell: ({ subject }) => <span className="truncate muted">{subject}</span>,
  },
  {
    word: 'Stylesheet',
    width: 160,
    room: 'widest',
    sortBy: ({ stylesheet }) => stylesheet?.name ?? '',
    cell: ({ stylesheet }) => <span className="truncate muted">{stylesheet?.name}</span>,
  },
  {
    word: 'Type',
    width: 84,
    line: 'state',
    sortBy: ({ type }) => type,
    cell: ({ type }) => <span className="muted">{TYPE_WORDS[type]}</span>,
  },
  {
    word: 'Content',
    width: 84,
    room: 'medium',
    sortBy: ({ contentType }) => contentType,
    cell: ({ contentType }) => <span className="muted">{CONTENT_WORDS[contentType]}</span>,
  },
  {
    word: 'Modified',
    width: 96,
    line: 'when',
    isNumber: true,
    sortBy: ({ updatedAt }) => updatedAt,
    served: 'down',
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];

/** Sort orders of the service by their URL parameter. */
const ORDERS: Readonly<Record<string, TemplatesOrder>> = { Name: 'NAME', '-Modified': 'RECENTLY_UPDATED' };

/** The list of templates. */
export function TemplatesPage() {
  const refusal = useRefusal(['document-rendering', 'query', 'templates']);
  const cannotCreate = useRefusal(['document-rendering', 'mutation', 'createTemplate']);
  const create = useCreate({ id: 'new template', word: 'New template', refusal: cannotCreate });
  const [{ q = '', active = '', type = '', sort = '' }, change] = useFilters();
  const list = useTemplates(active === 'yes' ? true : active === 'no' ? false : undefined, ORDERS[sort]);
  const [looked, setLooked] = useState(LOOKED_THROUGH);
  const isFiltered = q !== '' || type !== '';
  const isMore = list.hasMore && (!isFiltered || list.items.length < looked);
  const named = useTemplateNamed(q, list.hasMore);
  const items = useMemo(
    () => found(list.items, named.data ?? [], { q, type, active }),
    [list.items, named.data, q, type, active],
  );
  // The service has no filter by part of a name.
  const shown = { ...list, items, hasMore: isMore, readAll: isFiltered ? undefined : list.readAll };
  const isNone = list.items.length === 0 && !isFiltered && active === '';
  return (
    <>
      <ListPage
        head={
          <PageHead title="Templates" actions={create.button}>
            <ListTabs />
          </PageHead>
        }
        refusal={refusal}
        tried="list templates"
        label="Templates"
        list={shown}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/${id}`}
        openKey={undefined}
        columns={COLUMNS}
        filters={
          <FilterBar search={{ name: 'q', label: 'Name' }} filters={FILTERS} list={shown} counted={['template', 'templates']}>
            {isFiltered && list.hasMore && !isMore && (
              <span className="row small muted">
                Searched the first {formatCount(list.items.length)} for parts of the name. Exact names are always found.
                <Button size="small" onClick={() => setLooked(list.items.length + LOOKED_THROUGH)}>
                  Search more
                </Button>
              </span>
            )}
          </FilterBar>
        }
        empty={
          isNone ? (
            <NoTemplates action={create.button} />
          ) : (
            <Empty
              title="No templates match"
              action={<Button onClick={() => change({ q: '', active: '', type: '' })}>Clear filters</Button>}
            />
          )
        }
      />
      {create.isOpen && <NewTemplate onClose={create.close} />}
    </>
  );
}

function NoTemplates({ action }: { action: ReactNode }) {
  const { prefix } = useDescription();
  const code = sampleOf(
    prefix,
    'document-rendering',
    'mutation { createTemplate(input: {name: "welcome", type: email, contentType: html, subject: "Hello {{ name }}", body: "<p>Welcome, {{ name }}</p>"}) { id } }',
  );
  return (
    <Empty title="No templates yet" action={action}>
      <p className="muted">
        A template is an email or a document with {'{{ parameters }}'}, rendered by name from your application.
      </p>
      <Snippet label="request to create a template" code={code} />
    </Empty>
  );
}

/** Loaded matching templates, with an exact match first if it is not loaded yet. */
function found(
  loaded: readonly TemplateRow[],
  named: readonly TemplateRow[],
  { q, type, active }: { q: string; type: string; active: string },
): readonly TemplateRow[] {
  if (!q && !type) return loaded;
  const word = q.toLowerCase();
  const fits = (row: TemplateRow) =>
    row.name.toLowerCase().includes(word) && (!type || row.type === type) && (!active || row.isActive === (active === 'yes'));
  const ids = new Set(loaded.map(({ id }) => id));
  return [...named.filter((row) => !ids.has(row.id)), ...loaded].filter(fits);
}
