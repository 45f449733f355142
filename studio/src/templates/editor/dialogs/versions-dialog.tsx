import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useRefusal } from '../../../api/api-context';
import { useAction } from '../../../api/use-action';
import { useRead } from '../../../api/use-read';
import { Button, Modal } from '../../../ui/controls';
import { Empty, ErrorNotice, NoPermission, Skeleton } from '../../../ui/states';
import { Time } from '../../../ui/status';
import { toasts } from '../../../ui/toasts';
import { type Draft, draftOf, type Saved } from '../../model/template';
import { readTemplate, templateKey } from '../../reading';
import { Differences } from './differences';
import styles from '../../templates.module.css';

interface Version {
  version: number;
  createdAt: string;
  author: string | undefined;
  draft: Draft;
}

interface VersionsDialogProps {
  base: Saved;
  isDirty: boolean;
  isOpen: boolean;
  onClose: () => void;
  onRestored: (saved: Saved) => void;
}

/** Versions of the last saves: compared with the current one, and restored. */
export function VersionsDialog({ base, isDirty, isOpen, onClose, onRestored }: VersionsDialogProps) {
  const readRefusal = useRefusal(['document-rendering', 'query', 'templateVersions']);
  return (
    <Modal title={`Versions of ${base.name}`} form="wide" isOpen={isOpen} onClose={onClose}>
      {readRefusal ? (
        <NoPermission what="view versions" refusal={readRefusal} />
      ) : (
        <Versions base={base} isDirty={isDirty} onRestored={onRestored} onClose={onClose} />
      )}
    </Modal>
  );
}

interface VersionsProps {
  base: Saved;
  isDirty: boolean;
  onRestored: (saved: Saved) => void;
  onClose: () => void;
}

function Versions({ base, isDirty, onRestored, onClose }: VersionsProps) {
  const { data, error, refetch } = useVersions(base);
  const refusal = useRefusal(['document-rendering', 'mutation', 'restoreTemplateVersion']);
  const restoring = useRestoring(base, (saved) => {
    onRestored(saved);
    onClose();
  });
  const [chosen, setChosen] = useState<number>();
  if (error) return <ErrorNotice error={error} tried="load versions" onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={4} label="Loading versions" />;
  const shown = data.find(({ version }) => version === chosen) ?? data.find(({ version }) => version !== base.version) ?? data[0];
  if (!shown) return <Empty title="No versions yet">Versions appear after the next save.</Empty>;
  const isPresent = shown.version === base.version;
  const unsaved = isDirty ? 'Save or discard your changes first' : undefined;
  return (
    <div className={styles.versions}>
      <ul aria-label="Versions">
        {data.map((one) => (
          <li key={one.version}>
            <button type="button" className={styles.version} aria-pressed={one === shown} onClick={() => setChosen(one.version)}>
              <span>{`Version ${one.version}${one.version === base.version ? ', current' : ''}`}</span>
              <span className="muted small">
                <Time at={one.createdAt} />
                {one.author && ` by ${one.author}`}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <section className="stack" aria-label={`Version ${shown.version}`}>
        <div className="row">
          <p className="muted small grow">{`Left: version ${shown.version}. Right: the saved template.`}</p>
          {!base.isInherited && (
            <Button
              size="small"
              look="primary"
              disabled={restoring.isPending}
              refusal={refusal ?? unsaved ?? (isPresent ? 'This is the saved template' : undefined)}
              onClick={() => restoring.mutate(shown.version)}
            >
              Restore
            </Button>
          )}
        </div>
        {restoring.error && <ErrorNotice error={restoring.error} tried={`restore version ${shown.version}`} />}
        <Differences
          key={shown.version}
          before={shown.draft}
          after={draftOf(base)}
          same={isPresent ? 'This version is the saved template.' : 'No differences from the saved template.'}
        />
      </section>
    </div>
  );
}

function useVersions(base: Saved) {
  return useRead({
    queryKey: ['rendering', 'versions', base.id, base.version],
    read: async (api, signal): Promise<Version[]> => {
      const { items } = await api.rendering.templateVersions(
        { name: base.name },
        { items: VERSION, nextToken: true },
        { signal },
      );
      return items.map((item) => ({
        version: item.version ?? 0,
        createdAt: item.createdAt ?? '',
        author: item.author?.name ?? item.author?.email ?? undefined,
        draft: {
          ...draftOf(base),
          subject: item.subject ?? '',
          body: item.body ?? '',
          css: item.css ?? '',
          parentCssId: item.parentCssId ?? '',
          layoutId: item.layoutId ?? '',
          contentType: item.contentType ?? base.contentType,
          comment: item.comment ?? '',
          locale: item.locale ?? base.locale,
        },
      }));
    },
  });
}

const VERSION = {
  version: true,
  createdAt: true,
  author: { name: true, email: true },
  subject: true,
  body: true,
  css: true,
  parentCssId: true,
  layoutId: true,
  contentType: true,
  comment: true,
  locale: true,
} as const;

/** Restores a version. Returns the saved template, if it is still there. */
function useRestoring({ id }: Saved, onRestored: (saved: Saved) => void) {
  const queries = useQueryClient();
  return useAction(
    async (api, version: number) => {
      await api.rendering.restoreTemplateVersion({ id, version }, { id: true });
      return readTemplate(api, id);
    },
    {
      again: ['rendering', 'templates'],
      onDone: (saved, version) => {
        if (!saved) return;
        queries.setQueryData(templateKey(id), saved);
        toasts.add({ title: `Version ${version} restored as version ${saved.version}` });
        onRestored(saved);
      },
    },
  );
}
