import { ArchiveIcon, FileIcon, FileTextIcon, ImageIcon, ReaderIcon, SpeakerLoudIcon, VideoIcon } from '@radix-ui/react-icons';
import { type ContentKind, contentKind } from '../model/content-kind';
import styles from '../files.module.css';

const ICONS: Readonly<Record<ContentKind, typeof FileIcon>> = {
  image: ImageIcon,
  video: VideoIcon,
  audio: SpeakerLoudIcon,
  pdf: ReaderIcon,
  text: FileTextIcon,
  archive: ArchiveIcon,
  other: FileIcon,
};

/** Icon for the kind of a file. The type beside it says the same. */
export function KindIcon({ contentType }: { contentType: string | null }) {
  const Icon = ICONS[contentKind(contentType)];
  return (
    <span className={`lead ${styles.kind}`}>
      <Icon aria-hidden />
    </span>
  );
}

/** Folder icon, which the icon set does not have. */
export function FolderIcon() {
  return (
    <span className={`lead ${styles.kind}`}>
      <svg aria-hidden className="folder" width="15" height="15" viewBox="0 0 15 15" fill="none">
        <path
          d="M1.5 3.5a1 1 0 0 1 1-1h3.2l1.5 1.6h5.3a1 1 0 0 1 1 1v6.4a1 1 0 0 1-1 1h-10a1 1 0 0 1-1-1z"
          fill="currentColor"
          fillOpacity="0.18"
          stroke="currentColor"
        />
      </svg>
    </span>
  );
}
