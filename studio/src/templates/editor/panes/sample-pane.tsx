import { MagicWandIcon } from '@radix-ui/react-icons';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi, useRefusal } from '../../../api/api-context';
import { toasts } from '../../../ui/toasts';
import { Button } from '../../../ui/controls';
import { plural } from '../../../ui/format';
import { Code } from '../../code/lazy-code';
import type { Problem } from '../../model/problems';
import { readsOf } from '../../model/reads';
import { fillIn } from '../../model/samples';
import { draftOf, type Saved, sourceOf } from '../../model/template';
import { readTemplate, templateKey } from '../../reading';
import type { EditingState } from '../work/use-editing';
import type { useSamples } from '../work/use-samples';
import type { Going } from './source-pane';
import styles from '../../templates.module.css';

interface SamplePaneProps {
  editing: Pick<EditingState, 'draft' | 'base' | 'isDirty'>;
  sample: ReturnType<typeof useSamples>;
  missing: readonly string[];
  problems: readonly Problem[];
  going: Going | undefined;
}

/** Sample data for the preview, as JSON. */
export function SamplePane({ editing: { draft, base, isDirty }, sample, missing, problems, going }: SamplePaneProps) {
  const fill = () => {
    const filled = fillIn(sample.params, missing, [...readsOf(draft.subject), ...readsOf(draft.body)]);
    sample.change(JSON.stringify(filled, undefined, 2));
  };
  const { store, isStored, storeRefusal } = useStoring(base, sample, isDirty);
  const own = useMemo(() => problems.filter(({ place }) => place === 'params'), [problems]);
  const refusal =
    'reason' in sample.parsed ? 'Fix the sample data first' : missing.length === 0 ? 'No missing parameters' : undefined;
  return (
    <section className={styles.samplePane} aria-label="Sample data">
      <div className={styles.paneHead}>
        <h2>Sample data</h2>
        <span className="muted small grow truncate">
          {!isStored ? 'Stored in this browser' : base.sampleParams ? 'Stored with the template' : 'None yet'}
        </span>
        {missing.length > 0 && <span className="small muted">{plural(missing.length, 'name')} missing</span>}
        <Button size="small" onClick={fill} refusal={refusal}>
          <MagicWandIcon aria-hidden />
          Fill in missing
        </Button>
        {base.kind === 'template' && !base.isInherited && (
          <Button size="small" onClick={() => void store()} refusal={storeRefusal}>
            Store with template
          </Button>
        )}
      </div>
      <Code
        label="Sample data"
        language="json"
        value={sample.text}
        onChange={sample.change}
        problems={own}
        target={going?.place === 'params' ? going : undefined}
      />
    </section>
  );
}

/** Stores the sample data with the saved template, so that everybody sees the same preview. */
function useStoring(base: Saved, { text, parsed }: ReturnType<typeof useSamples>, isDirty: boolean) {
  const api = useApi();
  const queries = useQueryClient();
  const refusal = useRefusal(['document-rendering', 'mutation', 'updateTemplate']);
  const isStored = base.kind !== 'partial' && text === (base.sampleParams || '{}');
  const store = async () => {
    const { type: _, ...source } = sourceOf(draftOf(base), base.type);
    try {
      await api.rendering.updateTemplate({ id: base.id, input: { ...source, sampleParams: text } }, { id: true });
      queries.setQueryData(templateKey(base.id), await readTemplate(api, base.id));
    } catch (error) {
      toasts.add({ title: `Couldn’t store the sample data: ${(error as Error).message}` });
    }
  };
  const wrong = 'reason' in parsed ? 'Fix the sample data first' : isDirty ? 'Save or discard your changes first' : undefined;
  return { store, isStored, storeRefusal: refusal ?? wrong ?? (isStored ? 'Already stored' : undefined) };
}
