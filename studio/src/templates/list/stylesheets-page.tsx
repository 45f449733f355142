import { useMemo } from 'react';
import { useDescription, useRefusal } from '../../api/api-context';
import { textColumn, timeColumn } from '../../ui/columns';
import { Snippet } from '../../ui/copy';
import { plural } from '../../ui/format';
import type { Column } from '../../ui/records';
import { ResourcePage } from '../../ui/resource-page';
import { sampleOf } from '../../ui/sample';
import { Empty } from '../../ui/states';
import type { Saved } from '../model/template';
import { type Users, useUsers } from '../reading';
import { useStylesheets } from '../reading-parts';
import { BY_NAME, ListTabs, NAME } from './list-parts';
import { NewPart } from './new-template';
import { StylesheetDetail } from './stylesheet-detail';

const CREATE = 'mutation { createCss(input: {name: "house", text: "body { font-family: Arial }"}) { id } }';

/** List of shared stylesheets, with the one of the URL. */
export function StylesheetsPage({ id }: { id: string | undefined }) {
  const { prefix } = useDescription();
  const list = useStylesheets();
  const { data: users } = useUsers();
  const columns = useMemo(() => columnsOf(users), [users]);
  return (
    <ResourcePage<Saved>
      word="stylesheet"
      path="/stylesheets"
      heading="Stylesheets"
      tabs={<ListTabs />}
      refusal={useRefusal(['document-rendering', 'query', 'css'])}
      list={list}
      columns={columns}
      keyOf={(one) => one.id}
      search={BY_NAME}
      create={{
        id: 'new stylesheet',
        rights: [['document-rendering', 'mutation', 'createCss']],
        renderDialog: (close) => <NewPart word="stylesheet" onClose={close} />,
      }}
      renderEmpty={(action) => (
        <Empty
          title="No stylesheets yet"
          action={action}
          sample={<Snippet label="request to create a stylesheet" code={sampleOf(prefix, 'document-rendering', CREATE)} />}
        >
          <p className="muted">A stylesheet is shared by templates. Changes apply to all of them.</p>
        </Empty>
      )}
      shown={id}
      renderItem={(saved, close) => <StylesheetDetail key={saved.id} saved={saved} users={users} onClose={close} />}
    />
  );
}

const columnsOf = (users: Users | undefined): readonly Column<Saved>[] => [
  NAME,
  textColumn('Used by', ({ id }) => users && usedBy(users.byStylesheet.get(id)?.length ?? 0, users.isWhole), {
    width: 160,
    room: 'medium',
    isMuted: true,
    sortBy: ({ id }) => users?.byStylesheet.get(id)?.length ?? 0,
  }),
  timeColumn('Modified', ({ updatedAt }) => updatedAt),
];

const usedBy = (count: number, isWhole: boolean) =>
  count === 0 ? (isWhole ? 'Not used' : '') : `${isWhole ? '' : 'At least '}${plural(count, 'template')}`;
