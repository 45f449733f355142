import { useMemo } from 'react';
import { useDescription, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { FilterBar } from '../../ui/filter-bar';
import { ListPage, listingOf, useCreate } from '../../ui/list-page';
import { PageHead } from '../../ui/page';
import type { Column } from '../../ui/records';
import { sampleOf } from '../../ui/sample';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { CONTENT_WORDS } from '../model/template';
import { type PartialRow, usePartials } from '../reading-parts';
import { ListTabs } from './list-tabs';
import { NewPart } from './new-part';
import styles from '../templates.module.css';

const CREATE = 'mutation { createPartial(input: {name: "footer", contentType: html, body: "<p>{{ company }}</p>"}) { id } }';

const COLUMNS: readonly Column<PartialRow>[] = [
  {
    word: 'Name',
    sortBy: ({ name }) => name,
    cell: ({ name }) => <span className={`truncate ${styles.templateName}`}>{name}</span>,
  },
  {
    word: 'Content',
    width: 120,
    room: 'medium',
    sortBy: ({ contentType }) => contentType,
    cell: ({ contentType }) => <span className="muted">{CONTENT_WORDS[contentType]}</span>,
  },
  {
    word: 'Modified',
    width: 96,
    isNumber: true,
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];

/** The list of partials. */
export function PartialsPage() {
  const { prefix } = useDescription();
  const refusal = useRefusal(['document-rendering', 'query', 'partials']);
  const cannotCreate = useRefusal(['document-rendering', 'mutation', 'createPartial']);
  const create = useCreate({ id: 'new partial', word: 'New partial', refusal: cannotCreate });
  const [{ q = '' }, change] = useFilters();
  const partials = usePartials();
  const { data } = partials;
  const items = useMemo(() => data?.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase())), [data, q]);
  const list = listingOf<PartialRow>(partials, items);
  return (
    <>
      <ListPage
        head={
          <PageHead title="Partials" actions={create.button}>
            <ListTabs />
          </PageHead>
        }
        refusal={refusal}
        tried="list partials"
        label="Partials"
        list={list}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/partials/${id}`}
        openKey={undefined}
        columns={COLUMNS}
        filters={<FilterBar search={{ name: 'q', label: 'Name' }} list={list} counted={['partial', 'partials']} />}
        empty={
          q ? (
            <Empty title="No partials match" action={<Button onClick={() => change({ q: '' })}>Clear filters</Button>} />
          ) : (
            <Empty title="No partials yet" action={create.button}>
              <p className="muted">A partial is a piece of text that templates include. Changes apply to all of them.</p>
              <Snippet label="request to create a partial" code={sampleOf(prefix, 'document-rendering', CREATE)} />
            </Empty>
          )
        }
      />
      {create.isOpen && <NewPart word="partial" onClose={create.close} />}
    </>
  );
}
