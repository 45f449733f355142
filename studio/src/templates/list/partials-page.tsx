import { useDescription, useRefusal } from '../../api/api-context';
import { textColumn, timeColumn } from '../../ui/columns';
import { Snippet } from '../../ui/copy';
import { listingOf } from '../../ui/list-page';
import type { Column } from '../../ui/records';
import { ResourcePage } from '../../ui/resource-page';
import { sampleOf } from '../../ui/sample';
import { Empty } from '../../ui/states';
import { CONTENT_WORDS } from '../model/template';
import { type PartialRow, usePartials } from '../reading-parts';
import { BY_NAME, ListTabs, NAME } from './list-parts';
import { NewPart } from './new-template';

const CREATE = 'mutation { createPartial(input: {name: "footer", contentType: html, body: "<p>{{ company }}</p>"}) { id } }';

const COLUMNS: readonly Column<PartialRow>[] = [
  NAME,
  textColumn('Content', ({ contentType }) => CONTENT_WORDS[contentType], { width: 120, room: 'medium', isMuted: true }),
  timeColumn('Modified', ({ updatedAt }) => updatedAt),
];

/** The list of partials. */
export function PartialsPage() {
  const { prefix } = useDescription();
  const partials = usePartials();
  return (
    <ResourcePage<PartialRow>
      word="partial"
      path="/partials"
      heading="Partials"
      tabs={<ListTabs />}
      refusal={useRefusal(['document-rendering', 'query', 'partials'])}
      list={listingOf(partials)}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/partials/${id}`}
      search={BY_NAME}
      create={{
        id: 'new partial',
        rights: [['document-rendering', 'mutation', 'createPartial']],
        renderDialog: (close) => <NewPart word="partial" onClose={close} />,
      }}
      renderEmpty={(action) => (
        <Empty
          title="No partials yet"
          action={action}
          sample={<Snippet label="request to create a partial" code={sampleOf(prefix, 'document-rendering', CREATE)} />}
        >
          <p className="muted">A partial is a piece of text that templates include. Changes apply to all of them.</p>
        </Empty>
      )}
    />
  );
}
