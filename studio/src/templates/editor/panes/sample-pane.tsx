import { MagicWandIcon } from '@radix-ui/react-icons';
import { useMemo } from 'react';
import { Button } from '../../../ui/controls';
import { plural } from '../../../ui/format';
import { Code } from '../../code/lazy-code';
import type { Problem } from '../../model/problems';
import { readsOf } from '../../model/reads';
import { fillIn } from '../../model/samples';
import type { Draft } from '../../model/template';
import type { useSamples } from '../work/use-samples';
import type { Going } from './source-pane';

/** Sample data for the preview, as JSON. */
export function SamplePane({
  draft,
  sample,
  missing,
  problems,
  going,
}: {
  draft: Draft;
  sample: ReturnType<typeof useSamples>;
  missing: readonly string[];
  problems: readonly Problem[];
  going: Going | undefined;
}) {
  const fill = () => {
    const filled = fillIn(sample.params, missing, [...readsOf(draft.subject), ...readsOf(draft.body)]);
    sample.change(JSON.stringify(filled, undefined, 2));
  };
  const own = useMemo(() => problems.filter(({ place }) => place === 'params'), [problems]);
  const refusal =
    'reason' in sample.parsed ? 'Fix the sample data first' : missing.length === 0 ? 'Nothing is missing' : undefined;
  return (
    <section className="sample-pane" aria-label="Sample data">
      <div className="tpl-pane-head">
        <h2>Sample data</h2>
        <span className="muted small grow truncate" title="Templates have no place for it on the server">
          Kept in this browser
        </span>
        {missing.length > 0 && <span className="small muted">{plural(missing.length, 'name')} missing</span>}
        <Button size="small" onClick={fill} refusal={refusal}>
          <MagicWandIcon aria-hidden />
          Fill in missing
        </Button>
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
