import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useRefusal } from '../../../api/api-context';
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

/** Versions of the last saves: compared with the current one, and restored. */
export function VersionsDialog({
  base,
  isDirty,
  isOpen,
  onClose,
  onRestored,
}: {
  base: Saved;
  isDirty: boolean;
  isOpen: boolean;
  onClose: () => void;
  onRestored: (saved: Saved) => void;
}) {
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

function Versions({
  base,
  isDirty,
  onRestored,
  onClose,
}: {
  base: Saved;
  isDirty: boolean;
  onRestored: (saved: Saved) => void;
  onClose: () => void;
}) {
  const { data, error, refetch } = useVersions(base);
  const { restore, isBusy, failure, refusal } = useRestoring(base, (saved) => {
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
          <Button
            size="small"
            look="primary"
            disabled={isBusy}
            refusal={refusal ?? unsaved ?? (isPresent ? 'This is the saved template' : undefined)}
            onClick={() => void restore(shown.version)}
          >
            Restore
          </Button>
        </div>
        {failure !== undefined && <ErrorNotice error={failure} tried={`restore version ${shown.version}`} />}
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
  const api = useApi();
  return useQuery({
    queryKey: ['rendering', 'versions', base.id, base.version],
    queryFn: async ({ signal }): Promise<Version[]> => {
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

function useRestoring({ id }: Saved, onRestored: (saved: Saved) => void) {
  const api = useApi();
  const queries = useQueryClient();
  const refusal = useRefusal(['document-rendering', 'mutation', 'restoreTemplateVersion']);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const restore = async (version: number) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await api.rendering.restoreTemplateVersion({ id, version }, { id: true });
      const saved = await readTemplate(api, id);
      if (!saved) return;
      queries.setQueryData(templateKey(id), saved);
      await queries.invalidateQueries({ queryKey: ['rendering', 'templates'] });
      toasts.add({ title: `Version ${version} restored as version ${saved.version}` });
      onRestored(saved);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return { restore, isBusy, failure, refusal };
}
