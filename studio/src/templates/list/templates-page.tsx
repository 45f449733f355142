import { type ReactNode, useMemo, useState } from 'react';
import { useDescription, useRefusal } from '../../api/api-context';
import { textColumn, timeColumn } from '../../ui/columns';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import type { Filter } from '../../ui/filter-bar';
import { formatCount } from '../../ui/format';
import { InheritedMark } from '../../ui/inherited';
import { NoMatch } from '../../ui/no-match';
import type { Column } from '../../ui/records';
import { ResourcePage } from '../../ui/resource-page';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { languageName } from '../model/languages';
import { CONTENT_WORDS, type TemplateRow, TYPE_WORDS } from '../model/template';
import type { TemplatesOrder } from '../../../../clients/js/src/generated/rendering';
import { useTemplateNamed, useTemplates } from '../reading';
import { ListTabs } from './list-parts';
import { NewTemplate } from './new-template';
import { sampleOf } from '../../ui/sample';
import styles from '../templates.module.css';

/** Number of templates searched by a part of their name without asking. */
const LOOKED_THROUGH = 2_000;
const SEARCH = { name: 'q', label: 'Name' };
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
/** Columns of templates; the layouts are those of the loaded ones. */
const columnsOf = (layouts: ReadonlySet<string>): readonly Column<TemplateRow>[] => [
  {
    word: 'Name',
    line: 'who',
    sortBy: ({ name }) => name,
    served: 'up',
    cell: ({ id, name, isActive, isInherited }) => (
      <>
        <span className={`truncate ${styles.templateName}`}>{name}</span>
        {layouts.has(id) && <Status kind="none" word="Layout" />}
        {!isActive && <Status kind="none" word="Inactive" />}
        {isInherited && <InheritedMark />}
      </>
    ),
  },
  textColumn('Subject', ({ subject }) => subject, { room: 'wide', line: 'what', isMuted: true }),
  textColumn('Stylesheet', ({ stylesheet }) => stylesheet?.name, { width: 160, room: 'widest', isMuted: true }),
  textColumn('Type', ({ type }) => TYPE_WORDS[type], { width: 84, line: 'state', isMuted: true }),
  textColumn('Language', ({ locale }) => locale && languageName(locale), { width: 128, room: 'widest', isMuted: true }),
  textColumn('Content', ({ contentType }) => CONTENT_WORDS[contentType], { width: 84, room: 'medium', isMuted: true }),
  timeColumn('Modified', ({ updatedAt }) => updatedAt, { line: 'when', served: 'down' }),
];

/** Sort orders of the service by their URL parameter. */
const ORDERS: Readonly<Record<string, TemplatesOrder>> = { Name: 'NAME', '-Modified': 'RECENTLY_UPDATED' };

/** The list of templates. */
export function TemplatesPage() {
  const refusal = useRefusal(['document-rendering', 'query', 'templates']);
  const [{ q = '', active = '', type = '', sort = '' }] = useFilters();
  const list = useTemplates(active === 'yes' ? true : active === 'no' ? false : undefined, ORDERS[sort]);
  const [looked, setLooked] = useState(LOOKED_THROUGH);
  const isFiltered = q !== '' || type !== '';
  const isMore = list.hasMore && (!isFiltered || list.items.length < looked);
  const named = useTemplateNamed(q, list.hasMore);
  const items = useMemo(
    () => found(list.items, named.data ?? [], { q, type, active }),
    [list.items, named.data, q, type, active],
  );
  const columns = useMemo(() => columnsOf(new Set(list.items.flatMap(({ layoutId }) => layoutId ?? []))), [list.items]);
  // The service has no filter by part of a name.
  const shown = { ...list, items, hasMore: isMore, readAll: isFiltered ? undefined : list.readAll };
  const isNone = list.items.length === 0 && !isFiltered && active === '';
  return (
    <ResourcePage<TemplateRow>
      word="template"
      path="/"
      heading="Templates"
      tabs={<ListTabs />}
      refusal={refusal}
      list={shown}
      columns={columns}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/${id}`}
      search={SEARCH}
      filters={FILTERS}
      note={
        isFiltered &&
        list.hasMore &&
        !isMore && (
          <span className="row small muted">
            Searched the first {formatCount(list.items.length)} for parts of the name. Exact names are always found.
            <Button size="small" onClick={() => setLooked(list.items.length + LOOKED_THROUGH)}>
              Search more
            </Button>
          </span>
        )
      }
      create={{
        id: 'new template',
        rights: [['document-rendering', 'mutation', 'createTemplate']],
        renderDialog: (close) => <NewTemplate onClose={close} />,
      }}
      renderEmpty={(action) => (isNone ? <NoTemplates action={action} /> : <NoMatch what="templates" />)}
    />
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
    <Empty title="No templates yet" action={action} sample={<Snippet label="request to create a template" code={code} />}>
      <p className="muted">
        A template is an email or a document with {'{{ parameters }}'}, rendered by name from your application.
      </p>
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
