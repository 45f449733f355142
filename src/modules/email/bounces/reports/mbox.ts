const LF = 0x0a;
/** Maximum line length. The rest of a longer line counts as another line, which begins no mail. */
const MAX_LINE = 64 * 1024;
const FROM = Buffer.from('From ');

/**
 * Splits an mbox stream into mails, up to `maxBytes` of each. Supports both dialects: a "From " line after an empty line begins a mail, and
 * one ">" is removed from ">From ", ">>From " and so on. A stream without an initial "From " line is a single mail.
 */
export async function* mailsOf(input: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let mail: Buffer[] | undefined;
  let kept = 0;
  let isAfterEmpty = true;
  for await (const { line, isWhole } of linesOf(input)) {
    if (isWhole && isAfterEmpty && line.subarray(0, FROM.length).equals(FROM)) {
      if (mail) yield Buffer.concat(mail).subarray(0, maxBytes);
      [mail, kept] = [[], 0];
    } else {
      mail ??= [];
      const text = isWhole && isQuoted(line) ? line.subarray(1) : line;
      if (kept < maxBytes) mail.push(text);
      kept += text.length;
    }
    isAfterEmpty = isWhole && (line.length === 1 || (line.length === 2 && line[0] === 0x0d));
  }
  if (mail) yield Buffer.concat(mail).subarray(0, maxBytes);
}

function isQuoted(line: Buffer): boolean {
  let at = 0;
  while (line[at] === 0x3e) at++;
  return at > 0 && line.subarray(at, at + FROM.length).equals(FROM);
}

/** Yields lines with their line breaks. `isWhole` is false for later parts of an overlong line. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<{ line: Buffer; isWhole: boolean }> {
  let rest: Buffer = Buffer.alloc(0);
  let isWhole = true;
  for await (const chunk of input) {
    let data: Buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    for (let end = data.indexOf(LF); end >= 0; end = data.indexOf(LF)) {
      yield { line: data.subarray(0, end + 1), isWhole };
      isWhole = true;
      data = data.subarray(end + 1);
    }
    if (data.length > MAX_LINE) {
      yield { line: data, isWhole };
      isWhole = false;
      data = Buffer.alloc(0);
    }
    rest = data;
  }
  if (rest.length > 0) yield { line: rest, isWhole };
}
