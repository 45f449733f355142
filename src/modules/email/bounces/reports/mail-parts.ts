import PostalMime from 'postal-mime';

/** Bytes read of a mail. The report precedes the returned mail, which may be long. */
export const MAX_REPORT_BYTES = 256 * 1024;
const MAX_DEPTH = 20;
const MAX_HEADER_BYTES = 128 * 1024;
/** Lines read, and lines that may begin a part, to bound the parsing time. The rest is cut off. */
const MAX_LINES = 6_000;
const MAX_DASHED_LINES = 500;
const LF = 0x0a;
const DASH = 0x2d;
/** Parts examined besides texts. */
const MAX_PARTS = 50;

/** Parsed mail, reduced to what a report needs. */
export interface MailParts {
  subject: string;
  /** Returns the values of a header by lowercase name. */
  header(name: string): string[];
  /** Texts, without those of an enclosed mail. */
  text: string;
  /** Original mail, followed by its decoded texts. */
  whole: string;
  /** Returns the first part of a type, such as message/delivery-status. */
  part(...types: string[]): string | undefined;
}

const LATIN1 = new TextDecoder('latin1');

/** Parses the structure of a mail. Returns undefined if it is nested too deeply or its headers are too long. */
export async function readMail(bytes: Uint8Array): Promise<MailParts | undefined> {
  try {
    const read = beginningOf(bytes);
    const { headers, subject, text, html, attachments } = await PostalMime.parse(read, {
      forceRfc822Attachments: true,
      maxNestingDepth: MAX_DEPTH,
      maxHeadersSize: MAX_HEADER_BYTES,
    });
    const parts = attachments.slice(0, MAX_PARTS);
    return {
      subject: subject ?? '',
      header: (name) => headers.filter(({ key }) => key === name).map(({ value }) => value),
      text: text ?? html ?? '',
      whole: [LATIN1.decode(read), text, ...parts.map(({ content }) => asText(content))].join('\n'),
      part: (...types) => {
        const found = parts.find(({ mimeType }) => types.includes(mimeType));
        return found && asText(found.content);
      },
    };
  } catch {
    return undefined;
  }
}

/** Truncates a mail before parsing, which cannot be paused. */
function beginningOf(bytes: Uint8Array): Uint8Array {
  const read = bytes.subarray(0, MAX_REPORT_BYTES);
  let dashed = 0;
  let lines = 0;
  for (let at = read.indexOf(LF) + 1; at > 0; at = read.indexOf(LF, at) + 1) {
    if (read[at] === DASH && read[at + 1] === DASH) dashed++;
    if (++lines > MAX_LINES || dashed > MAX_DASHED_LINES) return read.subarray(0, at);
  }
  return read;
}

const asText = (content: string | ArrayBuffer | Uint8Array): string =>
  typeof content === 'string' ? content : LATIN1.decode(content);
