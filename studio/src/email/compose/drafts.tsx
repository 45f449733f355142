import { TrashIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useDescription } from '../../api/api-context';
import { timeColumn } from '../../ui/columns';
import { Button } from '../../ui/controls';
import { FilterBar } from '../../ui/filter-bar';
import { ListPage } from '../../ui/list-page';
import { PageHead } from '../../ui/page';
import type { Column } from '../../ui/records';
import { Empty } from '../../ui/states';
import { toasts } from '../../ui/toasts';
import { MAY_SEND } from '../mails';
import { NO_SUBJECT, written, writtenBriefly } from '../words';
import { keepCurrent, type StoredDraft, storeDraft, useDrafts } from './draft/drafts';

const COLUMNS: readonly Column<StoredDraft>[] = [
  {
    word: 'To',
    line: 'who',
    share: 1,
    sortBy: ({ draft }) => writtenBriefly(draft.to),
    cell: ({ draft }) => (
      <span className="truncate" title={draft.to.map(written).join(', ')}>
        {writtenBriefly(draft.to) || <span className="muted">No recipients</span>}
      </span>
    ),
  },
  {
    word: 'Subject',
    line: 'what',
    share: 3,
    sortBy: ({ draft }) => draft.subject,
    cell: ({ draft }) => (
      <span className="truncate">
        {draft.form === 'template' ? draft.templateName : draft.subject || <span className="muted">{NO_SUBJECT}</span>}
      </span>
    ),
  },
  timeColumn('Modified', ({ at }) => at, { line: 'when' }),
];

/** Drafts of emails, which this browser stores. */
export function Drafts({ tabs }: { tabs: ReactNode }) {
  const { id: keyId } = useDescription();
  const [, navigate] = useLocation();
  const items = useDrafts();
  const discard = ({ id, ...rest }: StoredDraft) => {
    storeDraft(keyId, id, undefined);
    toasts.add({ title: 'Draft discarded', actionProps: { children: 'Undo', onClick: () => storeDraft(keyId, id, rest) } });
  };
  const begin = () => {
    keepCurrent(undefined);
    navigate('/compose');
  };
  const list = { items, error: null, hasMore: false, isLoading: false, readMore: () => undefined, readAgain: () => undefined };
  return (
    <ListPage
      head={
        <PageHead
          title="Email"
          actions={
            <Button look="primary" right={MAY_SEND} onClick={begin}>
              New email
            </Button>
          }
        >
          {tabs}
        </PageHead>
      }
      tried="list drafts"
      label="Drafts"
      list={list}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/compose?draft=${id}`}
      columns={COLUMNS}
      actionsOf={(draft) => [
        { label: 'Discard', icon: <TrashIcon aria-hidden />, isDanger: true, onSelect: () => discard(draft) },
      ]}
      filters={<FilterBar list={list} counted={['draft', 'drafts']} />}
      empty={
        <Empty title="No drafts">
          <p className="muted">
            An email that you begin is stored here, in this browser, until you send or discard it, or sign out.
          </p>
        </Empty>
      }
    />
  );
}
