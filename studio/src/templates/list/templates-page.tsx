import { PlusIcon } from '@radix-ui/react-icons';
import { useMemo, useState } from 'react';
import { useDescription, useRefusal } from '../../api/api-context';
import { useCommands } from '../../shell/commands';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { formatCount } from '../../ui/format';
import { Chip, FilterField, PageHead } from '../../ui/page';
import { Records } from '../../ui/records';
import { useShortcut } from '../../ui/shortcuts';
import { Empty, ErrorNotice, NoPermission } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { CONTENT_WORDS, type TemplateRow, TYPE_WORDS } from '../model/template';
import { useTemplateNamed, useTemplates } from '../reading';
import { ListTabs } from './list-tabs';
import { NewTemplate } from './new-template';

/** So many templates are looked through by a part of their name without being asked to. */
const LOOKED_THROUGH = 2_000;

/** The list of templates. */
export function TemplatesPage() {
  const readRefusal = useRefusal(['document-rendering', 'query', 'templates']);
  const createRefusal = useRefusal(['document-rendering', 'mutation', 'createTemplate']);
  const [filters, setFilters] = useFilters();
  const [isNew, setNew] = useState(false);
  const { q = '', active = '', type = '' } = filters;
  const list = useTemplates(active === 'yes' ? true : active === 'no' ? false : undefined);
  const [looked, setLooked] = useState(LOOKED_THROUGH);
  const isFiltered = q !== '' || type !== '';
  const isMore = list.hasMore && (!isFiltered || list.items.length < looked);
  const named = useTemplateNamed(q, list.hasMore);
  const items = useMemo(
    () => found(list.items, named.data ?? [], { q, type, active }),
    [list.items, named.data, q, type, active],
  );
  const begin = createRefusal ? undefined : () => setNew(true);
  useShortcut('c', begin);
  useCommands(
    useMemo(
      () => (createRefusal ? [] : [{ id: 'new template', group: 'Create', word: 'New template', run: () => setNew(true) }]),
      [createRefusal],
    ),
  );
  if (readRefusal) return <NoPermission what="see templates" refusal={readRefusal} />;
  const newButton = (
    <Button look="primary" onClick={begin} refusal={createRefusal}>
      <PlusIcon aria-hidden />
      New template
    </Button>
  );
  const chip = (name: string, value: string, word: string) => (
    <Chip isActive={filters[name] === value} onClick={() => setFilters({ [name]: filters[name] === value ? undefined : value })}>
      {word}
    </Chip>
  );
  const isNone = list.items.length === 0 && !isFiltered && active === '';
  return (
    <div className="page">
      <PageHead title="Templates" count={list.isPending || list.hasMore ? undefined : items.length} actions={newButton}>
        <ListTabs />
      </PageHead>
      <div className="filters">
        <FilterField isMain label="Filter by name" value={q} onChange={(next) => setFilters({ q: next })} />
        {chip('active', 'yes', 'Active')}
        {chip('active', 'no', 'Not active')}
        {chip('type', 'email', 'Emails')}
        {chip('type', 'document', 'Documents')}
        {isFiltered && list.hasMore && !isMore && (
          <span className="row small muted">
            Looked through the first {formatCount(list.items.length)} by a part of the name, and through all by the whole name.
            <Button size="small" onClick={() => setLooked(list.items.length + LOOKED_THROUGH)}>
              Look further
            </Button>
          </span>
        )}
      </div>
      <div className="split">
        <div className="list">
          {list.error ? (
            <div className="page-body">
              <ErrorNotice error={list.error} tried="read the templates" onRetry={list.readAgain} />
            </div>
          ) : (
            <Records
              label="Templates"
              items={items}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/${id}`}
              rowHeight={52}
              hasMore={isMore}
              isLoading={list.isLoading}
              onMore={list.readMore}
              empty={
                isNone ? (
                  <NoTemplates action={newButton} />
                ) : (
                  <NothingFound onClear={() => setFilters({ q: '', active: '', type: '' })} />
                )
              }
            >
              {(template) => <Row template={template} />}
            </Records>
          )}
        </div>
      </div>
      <NewTemplate isOpen={isNew} onClose={() => setNew(false)} />
    </div>
  );
}

function Row({ template: { name, subject, type, contentType, isActive, updatedAt, stylesheet } }: { template: TemplateRow }) {
  const about = subject || (stylesheet && `Styled by ${stylesheet.name}`);
  return (
    <>
      <span className="grow template-row">
        <span className="truncate template-name">{name}</span>
        {about && <span className="truncate muted small">{about}</span>}
      </span>
      {!isActive && <Status kind="none" word="Not active" />}
      <span className="template-kind muted">{TYPE_WORDS[type]}</span>
      <span className="template-kind muted tpl-wide-only">{CONTENT_WORDS[contentType]}</span>
      <span className="template-time muted number">
        <Time at={updatedAt} />
      </span>
    </>
  );
}

function NoTemplates({ action }: { action: React.ReactNode }) {
  const { prefix } = useDescription();
  const code = `curl ${location.origin}/document-rendering/graphql \\
  -H 'x-api-key: ${prefix}…' -H 'content-type: application/json' \\
  -d '{"query": "mutation { createTemplate(input: {name: \\"welcome\\", type: email, contentType: html, subject: \\"Hello {{ name }}\\", body: \\"<p>Welcome, {{ name }}</p>\\"}) { id } }"}'`;
  return (
    <Empty title="No templates yet" action={action}>
      <p className="muted">
        A template is a mail or a document with {'{{ parameters }}'}, which your applications render by its name.
      </p>
      <Snippet label="creating a template" code={code} />
    </Empty>
  );
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <Empty title="Nothing matches" action={<Button onClick={onClear}>Clear the filters</Button>}>
      <p className="muted">No template that was looked at matches these filters.</p>
    </Empty>
  );
}

/** Loaded templates that match, with the one of exactly this name first when it is not loaded yet. */
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
