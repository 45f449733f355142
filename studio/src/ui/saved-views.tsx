import { Cross2Icon } from '@radix-ui/react-icons';
import { useSearch } from 'wouter';
import { IconButton, TextField } from './controls';
import { FormDialog } from './form-dialog';
import { useSetting } from './kept';
import { useForm } from './use-form';

/** A search of a list, under a name. */
export interface SavedView {
  name: string;
  /** Search part of the URL. */
  search: string;
}

const MOST = 20;
const LONGEST_NAME = 60;

const isView = (one: unknown): one is SavedView =>
  typeof (one as SavedView | null)?.name === 'string' && typeof (one as SavedView).search === 'string';

/** Returns the saved views of a list, which this browser stores, and their setter. */
export function useViews(label: string): [views: readonly SavedView[], set: (views: readonly SavedView[]) => void] {
  const [stored, set] = useSetting<readonly SavedView[]>(`studio-views:${label}`);
  return [Array.isArray(stored) ? stored.filter(isView).slice(0, MOST) : [], set];
}

interface ViewsDialogProps {
  views: readonly SavedView[];
  onChange: (views: readonly SavedView[]) => void;
  onClose: () => void;
}

/** Saves filters and order of a list under a name, and removes saved ones. */
export function ViewsDialog({ views, onChange, onClose }: ViewsDialogProps) {
  const search = useSearch();
  const form = useForm({
    first: { name: '' },
    send: () => {
      onChange([...views.filter((view) => view.name !== name), { name, search }]);
      onClose();
    },
  });
  const name = form.values.name.trim();
  const isFull = views.length >= MOST && !views.some((view) => view.name === name);
  const isReady = name !== '' && !isFull;
  return (
    <FormDialog form={form} title="Save view" action="Save" tried="save the view" isReady={isReady} onClose={onClose}>
      <TextField
        label="Name"
        hint="Stores the filters and the order in this browser. A view with the same name is replaced."
        maxLength={LONGEST_NAME}
        autoComplete="off"
        {...form.field('name')}
        fault={isFull && name ? `Remove a view first: at most ${MOST} are stored.` : undefined}
      />
      {views.length > 0 && (
        <ul className="stack tight" aria-label="Saved views">
          {views.map((view) => (
            <li key={view.name} className="row">
              <span className="grow truncate">{view.name}</span>
              <IconButton
                label={`Remove ${view.name}`}
                look="plain"
                size="small"
                onClick={() => onChange(views.filter((one) => one !== view))}
              >
                <Cross2Icon />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </FormDialog>
  );
}
