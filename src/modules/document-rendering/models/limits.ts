/** Limits that a check and its description share. */
import { MIB } from '../../../common/base/amounts.js';

export const MAX_SUBJECT = 4_096;
/** The longest params, in UTF-16 units. */
export const MAX_PARAMS = 5 * MIB;
export const MAX_PARAMS_DEPTH = 100;
/** The most processor time of a rendering. */
export const WORK_LIMIT_MS = 2_000;
/** The most time of a rendering that does not get this processor time, since the machine is too busy. */
export const CLOCK_LIMIT_MS = 10_000;
export const MAX_WAITING_OF_TENANT = 50;
/** The longest body of a partial, in UTF-16 units. */
export const MAX_PARTIAL = 262_144;
export const MAX_PARTIAL_NAME = 100;
/** The most partials of a tenant. */
export const MAX_PARTIALS = 1_000;
/** The most partials that one text includes, by their names. */
export const MAX_INCLUDED = 200;
/** The most templates that can be made of one part. Each is checked when the part changes. */
export const MAX_USERS = 1_000;

/** The most translations of a template, and their length together in UTF-16 units. */
export const MAX_TRANSLATIONS = 50;
export const MAX_TRANSLATED = 4 * MIB;
/** The most versions of a template that are kept, and the length of all their texts in UTF-16 units. */
export const MAX_VERSIONS = 50;
export const MAX_VERSIONS_SIZE = 32 * MIB;
/** The longest sample params, in UTF-16 units. */
export const MAX_SAMPLE_PARAMS = 65_536;
/** The language of a template that names none. */
export const DEFAULT_LOCALE = 'en';

/** The most that a PDF may have, and that the files may have which its HTML shows. */
export const MAX_PDF_BYTES = 50 * MIB;
export const MAX_PDF_PAGES = 2_000;
export const MAX_SHOWN_BYTES = 20 * MIB;
export const MAX_SHOWN_FILES = 100;
/** The most processor time and memory of the processes that print a PDF. */
export const PDF_WORK_LIMIT_MS = 20_000;
/** The most time of a PDF, with its wait. An operation ends by then too. */
export const PDF_CLOCK_LIMIT_MS = 30_000;
export const PDF_MEMORY_BYTES = 1_024 * MIB;
export const MAX_PDFS_WAITING_OF_TENANT = 100;
/** The most files that a PDF embeds, and their bytes together. */
export const MAX_EMBEDDED = 10;
export const MAX_EMBEDDED_BYTES = 20 * MIB;
export const MAX_MARGIN_MM = 100;
export const DEFAULT_MARGIN_MM = 10;
/** The longest header or footer, in UTF-16 units. */
export const MAX_HEADER = MIB;
/** The most bytes of one with the files that it shows. A browser reads it anew for each page. */
export const MAX_HEADER_WITH_FILES = 10 * MIB;
