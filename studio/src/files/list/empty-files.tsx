import { UploadIcon } from '@radix-ui/react-icons';
import { useDescription } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { Empty } from '../../ui/states';
import { curl } from '../../ui/sample';

/** Help for the first file. */
export function EmptyFiles({ folder, onUpload, refusal }: { folder: string; onUpload: () => void; refusal: string | undefined }) {
  const { prefix } = useDescription();
  const name = `${folder}hello.txt`;
  const code = [
    `# Set KEY to the key that begins with ${prefix}`,
    `URL=$(${curl('file-management', `mutation { createFile(input: {name: ${JSON.stringify(name)}}) { uploadUrl } }`)} |`,
    '  jq -r .data.createFile.uploadUrl)',
    `curl -X PUT -H 'content-type: text/plain' -d 'Hello, file' "$URL"`,
  ].join('\n');
  return (
    <Empty title={folder ? `${folder} has no files` : 'No files yet'} action={<Snippet code={code} label="upload request" />}>
      <p className="muted">Drop files or folders anywhere on this page, or upload with the API.</p>
      <Button look="primary" refusal={refusal} onClick={onUpload}>
        <UploadIcon aria-hidden />
        Upload files
      </Button>
    </Empty>
  );
}
