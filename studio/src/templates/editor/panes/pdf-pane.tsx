import { DownloadIcon } from '@radix-ui/react-icons';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Operations } from '../../../../../clients/js/src/generated/rendering';
import { useApi, useRefusal } from '../../../api/api-context';
import { Button, Switch } from '../../../ui/controls';
import { SelectField } from '../../../ui/fields';
import { formatBytes, plural } from '../../../ui/format';
import { PdfFrame, readPdf } from '../../../ui/pdf-preview';
import { saveFile } from '../../../ui/save-file';
import { ErrorNotice } from '../../../ui/states';
import { useTemplateNames } from '../../reading';
import styles from '../../templates.module.css';

type Input = Operations['renderFile']['variables']['input'];
type Pdf = NonNullable<Input['pdf']>;

const PAPER_WORDS = { A4: 'A4', A5: 'A5', LETTER: 'Letter', LEGAL: 'Legal' } as const;
/** Expiry of the file in seconds, if the tab is closed before it deletes it. */
const KEPT_S = 600;

/** Prints the current draft as a PDF, to view and to download. The file is deleted. */
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
          <Button look={isCurrent ? 'primary' : undefined} onClick={() => saveFile(fileNameOf(name), [data.content], PDF)}>
            <DownloadIcon aria-hidden />
            Download PDF
          </Button>
        )}
      </div>
      {error && <ErrorNotice error={error} tried="create the PDF" />}
      {data ? (
        <>
          <p className="muted small" role="status">
            {`${plural(data.pages, 'page')}, ${formatBytes(data.content.size)}.`}
            {!data.isDeleted && ' The file in Files is deleted after 10 minutes: this key may not delete it.'}
            {!isCurrent && ' It shows an earlier text.'}
          </p>
          <PdfFrame content={data.content} name={name} />
        </>
      ) : (
        !error && (
          <p className="muted small">
            Prints the text as you see it here, with the sample data. The file exists for a moment, so webhooks get file.done and
            file.deleted.
          </p>
        )
      )}
    </div>
  );
}

const PDF = 'application/pdf';
const fileNameOf = (name: string): string => `${name.replaceAll('/', '-')}.pdf`;

function usePrinting(name: string) {
  const api = useApi();
  const refusal = useRefusal(['document-rendering', 'mutation', 'renderFile'], ['file-management', 'query', 'file']);
  const printing = useMutation({
    mutationFn: async (input: Input) => {
      const file = { name: fileNameOf(name), expiresIn: KEPT_S };
      const { fileId, pages } = await api.rendering.renderFile({ input: { ...input, file } }, { fileId: true, pages: true });
      const remove = () =>
        api.files.deleteFile({ id: fileId }, { id: true }).then(
          () => true,
          () => false,
        );
      try {
        const found = await api.files.file({ ID: fileId }, { downloadUrl: { expiresIn: KEPT_S } });
        const content = await readPdf(found?.downloadUrl ?? '');
        return { pages, content, isDeleted: await remove() };
      } catch (failure) {
        await remove();
        throw failure;
      }
    },
  });
  return { refusal, printing };
}

interface MarginProps {
  label: string;
  value: string | null | undefined;
  onChange: (name: string | null) => void;
}

/** Choice of an HTML template for a margin. */
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
