/** Limits shared by checks and descriptions. */
import { MIB } from '../../../common/base/amounts.js';

export const MAX_SUBJECT = 4_096;
/** Maximum length of params, in UTF-16 units. */
export const MAX_PARAMS = 5 * MIB;
export const MAX_PARAMS_DEPTH = 100;
/** Maximum processor time of a rendering. */
export const WORK_LIMIT_MS = 2_000;
/** Maximum total time of a rendering, for a machine too busy to grant that processor time. */
export const CLOCK_LIMIT_MS = 10_000;
export const MAX_WAITING_OF_TENANT = 50;
/** Maximum length of a partial, in UTF-16 units. */
export const MAX_PARTIAL = 262_144;
export const MAX_PARTIAL_NAME = 100;
/** Maximum number of partials per tenant. */
export const MAX_PARTIALS = 1_000;
/** Maximum number of partials that one text includes by name. */
export const MAX_INCLUDED = 200;
/** Maximum number of templates composed of one part. Each is checked when the part changes. */
export const MAX_USERS = 1_000;

/** Maximum number of translations per template, and their total length in UTF-16 units. */
export const MAX_TRANSLATIONS = 50;
export const MAX_TRANSLATED = 4 * MIB;
/** Maximum number of stored versions per template, and their total length in UTF-16 units. */
export const MAX_VERSIONS = 50;
export const MAX_VERSIONS_SIZE = 32 * MIB;
/** Maximum length of sample params, in UTF-16 units. */
export const MAX_SAMPLE_PARAMS = 65_536;
/** Language of a template without a locale. */
export const DEFAULT_LOCALE = 'en';

/** Limits of a PDF, and of the files that its HTML shows. */
export const MAX_PDF_BYTES = 50 * MIB;
export const MAX_PDF_PAGES = 2_000;
export const MAX_SHOWN_BYTES = 20 * MIB;
export const MAX_SHOWN_FILES = 100;
/** Maximum processor time and memory of the processes that print a PDF. */
export const PDF_WORK_LIMIT_MS = 20_000;
/** Maximum total time of a PDF, including queueing. Equals the limit of an operation. */
export const PDF_CLOCK_LIMIT_MS = 30_000;
export const PDF_MEMORY_BYTES = 1_024 * MIB;
export const MAX_PDFS_WAITING_OF_TENANT = 100;
/** Maximum number of embedded files, and their total size. */
export const MAX_EMBEDDED = 10;
export const MAX_EMBEDDED_BYTES = 20 * MIB;
export const MAX_MARGIN_MM = 100;
export const DEFAULT_MARGIN_MM = 10;
/** Maximum length of a header or footer, in UTF-16 units. */
export const MAX_HEADER = MIB;
/** Maximum size of a header or footer with its files. A browser reads it again for each page. */
export const MAX_HEADER_WITH_FILES = 10 * MIB;

/** Description of the field `inherited`. */
export const INHERITED =
  'True if it belongs to the parent tenant, which alone can change it. One of the same name replaces it. Its author is null.';
