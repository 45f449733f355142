import { useState } from 'react';
import { formatBytes } from '../../../ui/format';
import { PdfPreview } from '../../../ui/pdf-preview';
import { ErrorNotice } from '../../../ui/states';
import { contentKind } from '../../model/content-kind';
import { baseName, type FileRecord } from '../../model/file-record';
import { ofVersion, useContentAddress } from '../../model/queries';
import { TextPreview } from './text-preview';
import styles from '../../files.module.css';

/** Shows content without running it: HTML as source, SVG as an image. */
export function ContentPreview({ file }: { file: FileRecord }) {
  const { id, etag, public: isPublic, contentType, contentLength } = file;
  const { data: address, error, refetch } = useContentAddress({ id: id ?? '', etag, isPublic });
  if (error) return <ErrorNotice error={error} tried="load the content" onRetry={() => void refetch()} />;
  const kind = contentKind(contentType);
  if (contentLength === 0) return <p className="preview none muted">This file is empty.</p>;
  if (kind === 'archive' || kind === 'other') {
    return <p className="preview none muted">No preview for {contentType}. Download the file to open it.</p>;
  }
  if (!address) {
    return (
      <div className="stack tight" role="status" aria-label="Loading content">
        <div className={`preview ${kind}`} />
        {kind === 'image' && <span className="small">&nbsp;</span>}
      </div>
    );
  }
  // Replaced content has another version, though its URL may be the same.
  const version = `${id} ${etag}`;
  const shown = {
    address: isPublic ? ofVersion(address, etag) : address,
    version,
    name: baseName(file.name),
    size: contentLength ?? 0,
  };
  if (kind === 'text') return <TextPreview key={version} {...shown} contentType={contentType ?? ''} />;
  if (kind === 'pdf') return <PdfPreview key={version} {...shown} />;
  return <MediaPreview key={version} {...shown} kind={kind} />;
}

interface MediaProps {
  address: string;
  name: string;
  size: number;
  kind: 'image' | 'video' | 'audio';
}

function MediaPreview({ address, name, size, kind }: MediaProps) {
  const [broken, setBroken] = useState<string>();
  const [measure, setMeasure] = useState<string>();
  const fail = () => setBroken(address);
  if (broken === address) {
    return (
      <p className="preview none muted">{`Couldn’t show this ${kind} (${formatBytes(size)}). The content may not match its type.`}</p>
    );
  }
  if (kind === 'audio')
    return (
      <audio className={`preview ${styles.audio}`} controls preload="metadata" src={address} aria-label={name} onError={fail} />
    );
  if (kind === 'video')
    return (
      <video className={`preview ${styles.video}`} controls preload="metadata" src={address} aria-label={name} onError={fail} />
    );
  return (
    <figure className="stack tight">
      <a className={`preview ${styles.image}`} href={address} target="_blank" rel="noreferrer" title="Open in a new tab">
        <img
          src={address}
          alt={name}
          onError={fail}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setMeasure(`${naturalWidth} × ${naturalHeight} pixels`)}
        />
      </a>
      <figcaption className="small muted">{measure ?? ' '}</figcaption>
    </figure>
  );
}
