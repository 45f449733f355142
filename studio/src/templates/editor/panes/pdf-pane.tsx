import { DownloadIcon } from '@radix-ui/react-icons';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Operations } from '../../../../../clients/js/src/generated/rendering';
import { useApi, useRefusal } from '../../../api/api-context';
import { Button, Switch } from '../../../ui/controls';
import { SelectField } from '../../../ui/fields';
import { formatBytes, plural } from '../../../ui/format';
import { PdfPreview } from '../../../ui/pdf-preview';
import { ErrorNotice } from '../../../ui/states';
import { useTemplateNames } from '../../reading';
import styles from '../../templates.module.css';

type Input = Operations['renderFile']['variables']['input'];
type Pdf = NonNullable<Input['pdf']>;

const PAPER_WORDS = { A4: 'A4', A5: 'A5', LETTER: 'Letter', LEGAL: 'Legal' } as const;
const KEPT_S = 3_600;

/** Prints the template as it is written as a PDF, into a file that is deleted after an hour. */
export function PdfPane({ asked, name }: { asked: string; name: string }) {
  const [pdf, setPdf] = useState<Pdf>({ paper: 'A4', landscape: false });
  const { refusal, printing } = usePrinting(name);
  const { data, error, isPending, mutate, variables } = printing;
  const input = { ...(JSON.parse(asked) as Input), pdf };
  const isCurrent = data && variables && JSON.stringify(variables) === JSON.stringify(input);
  const change = (part: Pdf) => setPdf((before) => ({ ...before, ...part }));
  return (
    <div className="stack">
      <div className={styles.pdfOptions}>
        <SelectField label="Paper" words={PAPER_WORDS} value={pdf.paper ?? 'A4'} onChange={(paper) => change({ paper })} />
        <MarginField
          label="Header"
          value={pdf.headerTemplateName}
          onChange={(headerTemplateName) => change({ headerTemplateName })}
        />
        <MarginField
          label="Footer"
          value={pdf.footerTemplateName}
          onChange={(footerTemplateName) => change({ footerTemplateName })}
        />
      </div>
      <div className="row">
        <Switch label="Landscape" checked={pdf.landscape ?? false} onChange={(landscape) => change({ landscape })} />
        <span className="grow" />
        <Button look={isCurrent ? undefined : 'primary'} refusal={refusal} disabled={isPending} onClick={() => mutate(input)}>
          {isPending ? 'Creating PDF' : 'Create PDF'}
        </Button>
        {data && (
          <a className={isCurrent ? 'button primary' : 'button'} href={data.address} download>
            <DownloadIcon aria-hidden />
            Download PDF
          </a>
        )}
      </div>
      {error && <ErrorNotice error={error} tried="create the PDF" />}
      {data ? (
        <>
          <p className="muted small" role="status">
            {`${plural(data.pages, 'page')}, ${formatBytes(data.size)}. The file is deleted after an hour.`}
            {!isCurrent && ' It shows an earlier text.'}
          </p>
          <PdfPreview key={data.id} address={data.address} version={data.id} name={name} size={data.size} />
        </>
      ) : (
        !error && <p className="muted small">Prints the text as you see it here, with the sample data.</p>
      )}
    </div>
  );
}

function usePrinting(name: string) {
  const api = useApi();
  const refusal = useRefusal(['document-rendering', 'mutation', 'renderFile'], ['file-management', 'query', 'file']);
  const printing = useMutation({
    mutationFn: async (input: Input) => {
      const file = { name: `${name.replaceAll('/', '-')}.pdf`, expiresIn: KEPT_S };
      const made = await api.rendering.renderFile(
        { input: { ...input, file } },
        { fileId: true, pages: true, contentLength: true },
      );
      const found = await api.files.file({ ID: made.fileId }, { downloadUrl: { expiresIn: KEPT_S } });
      return { id: made.fileId, pages: made.pages, size: made.contentLength, address: found?.downloadUrl ?? '' };
    },
  });
  return { refusal, printing };
}

interface MarginProps {
  label: string;
  value: string | null | undefined;
  onChange: (name: string | null) => void;
}

/** Chooses a template of HTML for a margin. */
function MarginField({ label, value, onChange }: MarginProps) {
  const { data: templates = [] } = useTemplateNames();
  const names = templates.filter(({ contentType }) => contentType === 'html').map(({ name }) => name);
  return (
    <SelectField
      label={label}
      words={[['', 'None'], ...names.map((name) => [name, name] as const)]}
      value={value ?? ''}
      onChange={(name) => onChange(name || null)}
    />
  );
}
